import { assertCheckOptions, type Check, createCheck, idOf, optionInvalid } from './create-check.ts'
import type { TextOptions } from './includes.ts'
import { textOf } from './run-data.ts'

/** Options of `equals`. */
export interface EqualsOptions extends TextOptions {
  /** Whether space at both ends counts too. Default: false. */
  readonly exactSpace?: boolean
}

/** The answer is this text. Throws `option-invalid` for what is no text. */
export function equals(text: string, options: EqualsOptions = {}): Check {
  assertCheckOptions('equals', options, ['ignoreCase', 'exactSpace'])
  if (typeof text !== 'string') throw optionInvalid('equals', 'needs a text')
  const folded = (each: string): string => {
    const trimmed = options.exactSpace ? each : each.trim()
    return options.ignoreCase ? trimmed.toLowerCase() : trimmed
  }
  const id = idOf('equals', options, text)
  return createCheck({
    id,
    description: `The answer is ${JSON.stringify(text)}.`,
    look: (run) =>
      folded(textOf(run, id)) === folded(text)
        ? { ok: true, reason: 'The answer is what it must be.' }
        : { ok: false, reason: `The answer must be ${JSON.stringify(text)} and nothing else, and it is not.` },
  })
}
