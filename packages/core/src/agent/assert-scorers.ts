import { optionInvalid } from '../errors/option-errors.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'

/** Throws `option-invalid` for scorers that are none. `what`: whose they are. */
export function assertScorers(scorers: unknown, what: string): void {
  if (scorers === undefined) return
  if (!isObject(scorers)) throw optionInvalid(`${what} are no object.`, inOption(ENTRY))
  for (const [key, entry] of Object.entries(scorers)) assertEntry(entry, `${what}: "${key}"`)
}

/** A scorer as it is written, wherever it stands. */
const ENTRY = "{ scorer, sampling: { type: 'ratio', rate: 0.5 } }"

function inOption(entry: string): string {
  return `scorers: { quality: ${entry} }`
}

function assertEntry(entry: unknown, what: string): void {
  if (isScorer(entry)) return
  if (!isObject(entry) || !isScorer(entry['scorer'])) throw entryInvalid(`${what} is no scorer.`)
  const { scorer: _scorer, sampling, ...rest } = entry
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw entryInvalid(`${what} has the field ${unknown}, which is not known.`)
  if (!isSampling(sampling))
    throw optionInvalid(`${what} has a sampling that is none.`, "{ type: 'ratio', rate: 0 to 1 } or { type: 'none' }")
}

/** Whether a value has what is asked of a scorer. */
export function isScorer(value: unknown): value is { id: string } {
  return isObject(value) && typeof value['id'] === 'string' && value['id'] !== '' && typeof value['run'] === 'function'
}

function isSampling(sampling: unknown): boolean {
  if (sampling === undefined) return true
  if (!isObject(sampling)) return false
  const { type, rate } = sampling
  return type === 'none' || (type === 'ratio' && typeof rate === 'number' && rate >= 0 && rate <= 1)
}

/** The data says what one scorer must be, for whoever has it in another place than the option. */
function entryInvalid(message: string): RetinueError {
  return optionInvalid(message, inOption(ENTRY), { entry: ENTRY })
}
