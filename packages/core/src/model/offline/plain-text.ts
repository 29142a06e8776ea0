import { dataLines } from './data-lines.ts'
import { stripNotice } from './framing.ts'
import { isRecord } from './json.ts'
import type { Outcome } from './outcome.ts'
import { passagesOf } from './passages.ts'
import { quoteLine } from './quote-line.ts'
import { withoutRefusal } from './remarks.ts'

/** What an outcome brought, as text to hand on: word for word, with references. */
export function plainText(outcome: Outcome): string {
  const { value } = outcome
  if (typeof value === 'string') return withoutRefusal(stripNotice(value))
  const only = isRecord(value) ? Object.values(value) : []
  // One text under one name is that text.
  if (only.length === 1 && typeof only[0] === 'string' && /\s/.test(only[0].trim())) return stripNotice(only[0])
  const passages = passagesOf(value)
  if (passages.length === 0) return dataLines(value).join('\n')
  return passages
    .flatMap((passage) =>
      passage.text
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '')
        .map((line) => quoteLine(line.trim(), passage.reference)),
    )
    .join('\n')
}
