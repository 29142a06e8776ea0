import { isTopLevel } from '../discover/agent-dir.ts'
import { legalName, nameProblem } from '../names.ts'
import type { AgentPlan } from '../plan.ts'
import { configPlace, pathPlace } from './places.ts'
import type { Rule, RuleContext, Violation } from './rule.ts'

const SCHEDULE_WHY =
  'a schedule is asked for by its name, in a terminal and over HTTP, where 1 to 64 letters, digits, "_" and "-" need no quotes'

/** B1.5 */
export const nameInvalid: Rule = {
  code: 'name-invalid',
  severity: 'error',
  why: 'the name becomes the name of a tool, and providers take 1 to 64 letters, digits, "_" and "-"',
  *check(context) {
    for (const plan of context.plans) yield* inPlan(context, plan)
  },
}

function* inPlan(context: RuleContext, { agent, modules, tools, coded }: AgentPlan): Iterable<Violation> {
  const report = (what: string, name: string, place: Violation['place']): Violation[] => {
    const problem = nameProblem(name)
    if (problem === undefined) return []
    const message = `${what} can't be called ${JSON.stringify(name)}: ${problem}`
    return [{ message, place, agentPath: agent.path, fix: `rename it, for example to "${legalName(name)}"` }]
  }
  yield* report(isTopLevel(agent) ? 'an agent' : 'a subagent', agent.key, pathPlace(agent.dir))
  for (const { key, slot, file } of modules) if (slot === 'tool') yield* report('a tool', key, pathPlace(file))
  for (const { key, from } of tools) {
    if (from === 'config') yield* report('a tool', key, configPlace(context, agent, ['tools', key], 'key'))
  }
  for (const { key, file } of agent.schedules)
    for (const name of key.split('/'))
      for (const violation of report('a schedule', name, pathPlace(file))) yield { ...violation, why: SCHEDULE_WHY }
  for (const { key } of coded) yield* report('a subagent', key, configPlace(context, agent, ['agents', key], 'key'))
}
