import { agentConfig } from '@retinue/core/agent'

export default agentConfig({
  model: 'openai/gpt-5.5',
})
