import { agentConfig } from '@retinue/core/agent'

export default agentConfig({
  model: 'openai/gpt-5.5',
  description: 'Use to turn research notes into a structured draft.',
})
