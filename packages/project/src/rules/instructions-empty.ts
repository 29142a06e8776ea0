import type { AgentPlan } from '../plan.ts'
import { configPlace, exportPlace } from './places.ts'
import type { Place, Rule, RuleContext } from './rule.ts'

/** B11.3: what is there but empty is a warning, not a missing one. */
export const instructionsEmpty: Rule = {
  code: 'instructions-empty',
  severity: 'warning',
  why: 'an agent without a word of instructions does whatever its model does by itself',
  *check(context) {
    for (const plan of context.plans) {
      const place = emptyPlace(context, plan)
      if (place === undefined) continue
      yield {
        message: `the instructions of "${plan.agent.key}" are empty`,
        place,
        agentPath: plan.agent.path,
        fix: 'say what the agent is for and how it works',
      }
    }
  },
}

function emptyPlace(context: RuleContext, { agent, instructions, config }: AgentPlan): Place | undefined {
  if (instructions === 'markdown' && agent.markdown?.text?.trim() === '') return { file: agent.markdown.file }
  if (instructions === 'module' && agent.instructions !== undefined) {
    const fact = context.loaded.facts.get(agent.instructions.file)
    return fact?.kind === 'instructions' && fact.instructions.blank
      ? exportPlace(context, agent.instructions.file)
      : undefined
  }
  const isBlank = instructions === 'config' && typeof config === 'object' && config.instructions.blank
  return isBlank ? configPlace(context, agent, ['instructions'], 'value') : undefined
}
