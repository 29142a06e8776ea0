import { pathPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.2: only top-level agents have schedules. */
export const schedulesIgnored: Rule = {
  code: 'schedules-ignored',
  severity: 'warning',
  why: 'a subagent works when its parent delegates to it, and never by itself',
  *check({ plans }) {
    for (const { agent, config } of plans) {
      if (agent.ignoredSchedules === undefined || config === 'agent') continue
      yield {
        message: `the schedules of the subagent "${agent.key}" never run`,
        place: pathPlace(agent.ignoredSchedules),
        agentPath: agent.path,
        fix: `move them to "agents/${agent.path[0]}/schedules/", and let the prompt ask for the subagent`,
      }
    }
  },
}
