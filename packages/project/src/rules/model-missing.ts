import { type AgentDir, isConfiguredByAgentFile } from '../discover/agent-dir.ts'
import { configPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.3 */
export const modelMissing: Rule = {
  code: 'model-missing',
  severity: 'error',
  why: 'an agent names its model; there is no hidden default',
  *check(context) {
    for (const { agent, config, fact } of context.plans) {
      const model = fact?.kind === 'agent' ? fact.agent.model : typeof config === 'object' ? config.model : undefined
      if (config === 'unknown' || (model !== undefined && model.form !== 'absent')) continue
      yield {
        message: `agent "${agent.key}" has no model`,
        place: configPlace(context, agent, ['model'], 'value'),
        agentPath: agent.path,
        fix: fixOf(agent),
        ...(agent.config === undefined ? {} : { label: "add `model: 'provider/model'`" }),
      }
    }
  },
}

function fixOf(agent: AgentDir): string {
  if (agent.config === undefined)
    return `add "${agent.dir}/config.ts" with: export default agentConfig({ model: 'openai/gpt-5.5' })`
  if (!isConfiguredByAgentFile(agent))
    return "write model: 'openai/gpt-5.5', or another 'provider/model', or an AI SDK model"
  if (agent.agentFile?.hasFrontmatter) return 'write model: openai/gpt-5.5, or another provider/model'
  return 'begin the file with a line of ---, a line with model: openai/gpt-5.5, and another line of ---'
}
