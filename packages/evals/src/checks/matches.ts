import { assertCheckOptions, type Check, type CheckOptions, createCheck, idOf, optionInvalid } from './create-check.ts'
import { textOf } from './run-data.ts'

/** The answer matches this regular expression somewhere. Throws `option-invalid` for what is none. */
export function matches(pattern: RegExp, options: CheckOptions = {}): Check {
  assertCheckOptions('matches', options, [])
  if (Object.prototype.toString.call(pattern) !== '[object RegExp]')
    throw optionInvalid('matches', 'needs a regular expression')
  const id = idOf('matches', options, String(pattern))
  return createCheck({
    id,
    description: `The answer matches ${pattern}.`,
    // A fresh one each time: with the flags g and y an expression remembers where it was.
    look: (run) =>
      new RegExp(pattern.source, pattern.flags).test(textOf(run, id))
        ? { ok: true, reason: `The answer matches ${pattern}.` }
        : { ok: false, reason: `The answer does not match ${pattern}, and it must.` },
  })
}
