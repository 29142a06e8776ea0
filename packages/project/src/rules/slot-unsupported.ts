import type { Note } from '../discover/agent-dir.ts'
import { notesOf } from '../plan.ts'
import { pathPlace } from './places.ts'
import type { Rule, Violation } from './rule.ts'

/** B11.2, B11.10: parts of the convention that are not read yet are told. */
export const slotUnsupported: Rule = {
  code: 'slot-unsupported',
  severity: 'warning',
  why: 'it is a part of the convention, and this version of Retinue leaves it out: the agent works without it',
  *check({ discovered, plans }) {
    yield* violations(discovered.notes, [])
    for (const plan of plans) yield* violations(notesOf(plan), plan.agent.path)
  },
}

function* violations(notes: readonly Note[], agentPath: readonly string[]): Iterable<Violation> {
  for (const note of notes) {
    if (note.kind !== 'unsupported') continue
    yield {
      message: `this version of Retinue doesn't read "${note.slot}" (${note.path})`,
      place: pathPlace(note.path),
      agentPath,
      fix: 'remove it, or keep it for a version that reads it',
    }
  }
}
