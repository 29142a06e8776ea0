import type { AgentPlan } from '../plan.ts'
import { pathPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.10: hooks of an agent that delegates to nobody look as if they counted. */
export const hooksUnused: Rule = {
  code: 'hooks-unused',
  severity: 'warning',
  why: 'delegation hooks are called around delegations, and an agent without subagents makes none',
  *check({ plans }) {
    for (const plan of plans) {
      const { agent, config } = plan
      // Of a config that can't be read it is not known whether it has agents.
      if (agent.hooks === undefined || config === 'agent' || config === 'unknown' || mayDelegate(plan)) continue
      yield {
        message: `the hooks in "${agent.hooks.file}" never run: agent "${agent.key}" has no subagents`,
        place: pathPlace(agent.hooks.file),
        agentPath: agent.path,
        fix: `put a subagent into "${agent.dir}/subagents/", or remove the file`,
      }
    }
  },
}

function mayDelegate({ config, subagents, coded }: AgentPlan): boolean {
  const form = typeof config === 'object' ? config.agents.form : 'absent'
  // What is no map of agents has a finding of its own; mending that may give the agent some.
  return subagents.length > 0 || coded.length > 0 || form === 'function' || form === 'wrong'
}
