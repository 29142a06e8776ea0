import { assertCheckOptions, type Check, type CheckOptions, createCheck, idOf, textsOf } from './create-check.ts'
import { textOf } from './run-data.ts'
import { quoted } from './words.ts'

/** Options of `includes` and `excludes`. */
export interface TextOptions extends CheckOptions {
  /** Default: false. */
  readonly ignoreCase?: boolean
}

/** The answer holds this text, or all of these. Throws `option-invalid` for an empty one. */
export function includes(text: string | readonly string[], options: TextOptions = {}): Check {
  return createTextCheck('includes', text, options, (held, all) => {
    const missing = all.filter((each) => !held.includes(each))
    return missing.length === 0
      ? { ok: true, reason: `The answer holds ${quoted(all)}.` }
      : { ok: false, reason: `The answer does not hold ${quoted(missing)}, and it must.` }
  })
}

/** The answer holds none of these texts. Throws `option-invalid` for an empty one. */
export function excludes(text: string | readonly string[], options: TextOptions = {}): Check {
  return createTextCheck('excludes', text, options, (held, all) =>
    held.length === 0
      ? { ok: true, reason: `The answer does not hold ${quoted(all)}.` }
      : { ok: false, reason: `The answer holds ${quoted(held)}, and it must not.` },
  )
}

function createTextCheck(
  name: string,
  text: string | readonly string[],
  options: TextOptions,
  judge: (held: readonly string[], all: readonly string[]) => { ok: boolean; reason: string },
): Check {
  assertCheckOptions(name, options, ['ignoreCase'])
  const all = textsOf(name, text)
  const folded = (each: string): string => (options.ignoreCase ? each.toLowerCase() : each)
  const id = idOf(name, options, ...all)
  return createCheck({
    id,
    description: `The answer ${name} ${quoted(all)}.`,
    look(run) {
      const answer = folded(textOf(run, id))
      return judge(
        all.filter((each) => answer.includes(folded(each))),
        all,
      )
    },
  })
}
