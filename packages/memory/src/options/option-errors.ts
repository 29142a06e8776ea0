import { RetinueError } from '@retinue/core/errors'

/** `what` says what is wrong with the option: "is no number". */
export function optionInvalid(option: string, what: string, hint: string): RetinueError {
  return new RetinueError({
    code: 'option-invalid',
    message: `The memory's option \`${option}\` ${what}.`,
    hint,
    data: { option },
  })
}

/** Throws `option-unknown` for names that an object of options does not know. `prefix`: the way to it, such as `options.`. */
export function assertKnown(options: object, known: readonly string[], prefix: string): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new RetinueError({
    code: 'option-unknown',
    message: `The memory has options that are not known: ${unknown.map((name) => prefix + name).join(', ')}.`,
    hint: `Known are ${known.map((name) => prefix + name).join(', ')}.`,
    data: { options: unknown.map((name) => prefix + name) },
  })
}
