import { isTopLevel } from '../discover/agent-dir.ts'
import type { ReachFact } from '../facts/facts.ts'
import type { AgentPlan } from '../plan.ts'
import { configPlace, quoteAll } from './places.ts'
import type { Rule } from './rule.ts'

/** Subagents that no run delegates to, unless a call sets other options than the agent's own. */
export const subagentUnreachable: Rule = {
  code: 'subagent-unreachable',
  severity: 'warning',
  why: 'a subagent that no model can call is never asked, and nothing says so when the agent runs',
  *check(context) {
    const roots = new Map(context.plans.filter(({ agent }) => isTopLevel(agent)).map((plan) => [plan.agent.key, plan]))
    for (const plan of context.plans) {
      const root = roots.get(plan.agent.path[0] ?? '')
      for (const { keys, because, option, owner, fix } of obstacles(plan, root)) {
        yield {
          message: `nothing can reach the ${keys.length === 1 ? 'subagent' : 'subagents'} ${quoteAll(keys)}: ${because}`,
          place: configPlace(context, owner.agent, option, 'value'),
          agentPath: plan.agent.path,
          fix,
        }
      }
    }
  },
}

interface Obstacle {
  /** The subagents that it keeps from being called. */
  readonly keys: readonly string[]
  readonly because: string
  readonly option: readonly string[]
  /** The agent whose option it is. */
  readonly owner: AgentPlan
  readonly fix: string
}

function* obstacles(plan: AgentPlan, root: AgentPlan | undefined): Iterable<Obstacle> {
  const keys = [...plan.subagents, ...plan.coded].map(({ key }) => key)
  if (keys.length === 0) return
  const deepest = root === undefined ? undefined : optionsOf(root)?.maxDepth
  const depth = plan.agent.path.length
  // What lies deeper still is told of with the agent that can't be reached.
  if (root !== undefined && deepest === depth - 1) {
    const because = `maxDepth of "${root.agent.key}" is ${deepest}`
    yield { keys, because, option: ['maxDepth'], owner: root, fix: `write maxDepth: ${depth} or more, or leave it out` }
  }
  yield* hiddenTools(plan, keys)
}

function* hiddenTools(plan: AgentPlan, keys: readonly string[]): Iterable<Obstacle> {
  const { activeTools, toolChoice, isPrepared = true } = optionsOf(plan) ?? {}
  if (isPrepared) return
  if (toolChoice !== undefined) {
    const tool = toolChoice === 'none' ? undefined : toolChoice.tool
    const hidden = keys.filter((key) => key !== tool)
    const because = tool === undefined ? "toolChoice is 'none'" : `toolChoice allows only "${tool}"`
    const fix = "write toolChoice: 'auto', or leave it out"
    if (hidden.length > 0) yield { keys: hidden, because, option: option('toolChoice'), owner: plan, fix }
  } else if (activeTools !== undefined) {
    const hidden = keys.filter((key) => !activeTools.includes(key))
    const because = `activeTools ${hidden.length === 1 ? 'leaves it' : 'leaves them'} out`
    const fix = `add ${quoteAll(hidden)} to activeTools, or leave activeTools out`
    if (hidden.length > 0) yield { keys: hidden, because, option: option('activeTools'), owner: plan, fix }
  }
}

function option(name: string): string[] {
  return ['defaultOptions', name]
}

function optionsOf({ config }: AgentPlan): ReachFact | undefined {
  return typeof config === 'object' ? config.reach : undefined
}
