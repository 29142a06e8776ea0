import { exportPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B1.1: what core would refuse when the agent is made. */
export const scorerInvalid: Rule = {
  code: 'scorer-invalid',
  severity: 'error',
  why: 'a scorer is one that createScorer made, or { scorer, sampling }: an agent with another can not be made',
  *check(context) {
    for (const { agent, modules } of context.plans) {
      for (const { file } of modules) {
        const fact = context.loaded.facts.get(file)
        if (fact?.kind !== 'scorer' || fact.refused === undefined) continue
        const { message, entry, hint = 'correct the scorer' } = fact.refused
        // What core shows as an option stands in a file of its own here.
        const fix = entry === undefined ? hint : `write: export default ${entry}`
        yield { message, place: exportPlace(context, file), agentPath: agent.path, fix }
      }
    }
  },
}
