import { RetinueError } from './retinue-error.ts'

/** The error for an option with a value that it can't have. */
export function optionInvalid(message: string, hint: string, data: Record<string, unknown> = {}): RetinueError {
  return new RetinueError({ code: 'option-invalid', message, hint, data })
}

/** The error for `options` that are not among the known ones: typos, mostly. */
export function optionUnknown(message: string, known: readonly string[], options: readonly string[]): RetinueError {
  return new RetinueError({
    code: 'option-unknown',
    message,
    hint: `Known are ${known.join(', ')}.`,
    data: { options },
  })
}

/** Throws `option-unknown` for keys that `known` does not have. `problem`: what the message says of them; `prefix`: where they stand. */
export function assertKnownKeys(given: object, known: object, problem: string, prefix = ''): void {
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(known, key))
  if (unknown.length === 0) return
  const names = unknown.map((key) => prefix + key).join(', ')
  throw optionUnknown(`${problem}: ${names}.`, Object.keys(known), unknown)
}

/** The error for what makes no agent. */
export function agentInvalid(message: string, hint: string, data: Record<string, unknown> = {}): RetinueError {
  return new RetinueError({ code: 'agent-invalid', message, hint, data })
}
