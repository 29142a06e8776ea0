import { notesOf } from '../plan.ts'
import { pathPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.1 */
export const toolDuplicate: Rule = {
  code: 'tool-duplicate',
  severity: 'error',
  why: "the file's name is the tool's name, and two tools of one name can not be told apart",
  *check({ plans }) {
    for (const plan of plans) {
      for (const note of notesOf(plan)) {
        if (note.kind !== 'same-tool') continue
        const [first, second] = note.files
        yield {
          message: `two files make the tool "${note.key}": ${first} and ${second}`,
          place: pathPlace(second),
          agentPath: plan.agent.path,
          fix: 'rename or remove one of them',
        }
      }
    }
  },
}
