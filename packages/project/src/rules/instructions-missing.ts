import { isConfiguredByAgentFile } from '../discover/agent-dir.ts'
import { configPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.3 */
export const instructionsMissing: Rule = {
  code: 'instructions-missing',
  severity: 'error',
  why: 'without instructions a model does not know what the agent is for',
  *check(context) {
    for (const { agent, instructions } of context.plans) {
      if (instructions !== undefined) continue
      yield {
        message: `agent "${agent.key}" has no instructions`,
        place: configPlace(context, agent, ['instructions'], 'value'),
        agentPath: agent.path,
        fix: isConfiguredByAgentFile(agent)
          ? `write them into "${agent.config?.file}", below the frontmatter`
          : `write them into "${agent.dir}/instructions.md"`,
      }
    }
  },
}
