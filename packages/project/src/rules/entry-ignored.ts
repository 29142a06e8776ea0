import type { Note } from '../discover/agent-dir.ts'
import { notesOf } from '../plan.ts'
import { pathPlace } from './places.ts'
import type { Rule, Violation } from './rule.ts'

/** B11.10: nothing is ignored silently. */
export const entryIgnored: Rule = {
  code: 'entry-ignored',
  severity: 'warning',
  why: 'a file that looks as if it counted, and does not, is a mistake that nobody sees',
  *check({ discovered, plans }) {
    yield* violations(discovered.notes, [])
    for (const plan of plans) yield* violations(notesOf(plan), plan.agent.path)
  },
}

function* violations(notes: readonly Note[], agentPath: readonly string[]): Iterable<Violation> {
  for (const note of notes) {
    if (note.kind !== 'ignored') continue
    const { path, what, because, fix } = note
    yield { message: `the ${what} "${path}" is ignored: ${because}`, place: pathPlace(path), agentPath, fix }
  }
}
