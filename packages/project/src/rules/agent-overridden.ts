import { mainFile } from '../discover/agent-dir.ts'
import { applicationAgents } from './application-agents.ts'
import { pathPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.2: what the application of `index.ts` says holds, its agents included. */
export const agentOverridden: Rule = {
  code: 'agent-overridden',
  severity: 'warning',
  why: 'of two agents under one key only one can be asked, and the other looks as if it counted',
  *check(context) {
    const { file, entries } = applicationAgents(context)
    const keys = new Set(entries.map(({ key }) => key))
    for (const agent of context.discovered.agents) {
      if (!keys.has(agent.key)) continue
      yield {
        message: `the agent "${agent.key}" of ${file} wins over the folder "${agent.dir}"`,
        place: pathPlace(mainFile(agent)),
        agentPath: agent.path,
        fix: `remove one of the two (agents.${agent.key} in ${file}, ${agent.dir})`,
      }
    }
  },
}
