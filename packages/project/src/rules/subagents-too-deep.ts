import { MAX_SUBAGENT_DEPTH } from '../layout.ts'
import { notesOf } from '../plan.ts'
import { pathPlace, quoteAll } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.8 */
export const subagentsTooDeep: Rule = {
  code: 'subagents-too-deep',
  severity: 'warning',
  why: `subagents nest ${MAX_SUBAGENT_DEPTH} levels below a top-level agent; each level costs time and loses context`,
  *check(context) {
    for (const plan of context.plans) {
      for (const note of notesOf(plan)) {
        if (note.kind !== 'too-deep') continue
        yield {
          message: `subagents deeper than ${MAX_SUBAGENT_DEPTH} levels are ignored: ${quoteAll(note.names)}`,
          place: pathPlace(note.path),
          agentPath: plan.agent.path,
          fix: 'move them up into the "subagents/" of an agent above, or remove them',
        }
      }
    }
  },
}
