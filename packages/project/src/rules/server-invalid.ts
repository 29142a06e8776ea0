import { baseName } from '../tree/source-tree.ts'
import { exportPlace, isWrittenOut, propertyPlace, quoteAll } from './places.ts'
import type { Rule } from './rule.ts'

const VALUE_WHY = 'the server does not start with it'

/** B11.2, B12.3: a setting that is not known is one that somebody relies on, and that does nothing. */
export const serverInvalid: Rule = {
  code: 'server-invalid',
  severity: 'error',
  why: 'a setting that the server does not know protects nothing, and does nothing',
  *check(context) {
    for (const { file, slot } of context.discovered.shared) {
      const fact = slot === 'server' ? context.loaded.facts.get(file) : undefined
      if (fact?.kind !== 'server') continue
      // What the environment makes is judged where the server starts: here its variables may be missing.
      for (const { path, message, fix } of fact.problems.filter((each) => isWrittenOut(context, file, each.path)))
        yield { message, place: propertyPlace(context, file, path, 'value'), agentPath: [], fix, why: VALUE_WHY }
      if (fact.unknown.length === 0) continue
      yield {
        message: `"${baseName(file)}" has settings that no server has: ${quoteAll(fact.unknown)}`,
        place: exportPlace(context, file),
        agentPath: [],
        fix: `remove them, or write one of: ${fact.known.join(', ')}`,
      }
    }
  },
}
