import { RetinueError } from '../errors/retinue-error.ts'
import { valueRefused } from './storage-errors.ts'

/** Those of delegations grow with each level; what people choose is kept shorter before it comes here. */
const MAX_ID_LENGTH = 1024

/** Ids are compared by databases, some of which end a text at NUL and take one lone surrogate for another. */
export function assertId(id: string, place: string): void {
  if (typeof id !== 'string' || id === '') throw valueRefused(place, 'an id is a text that is not empty')
  if (id.length > MAX_ID_LENGTH) throw valueRefused(place, `an id has at most ${MAX_ID_LENGTH} characters`)
  if (id.includes('\0') || !id.isWellFormed()) throw valueRefused(place, 'an id holds no NUL and no lone surrogate')
}

export function assertText(text: string, place: string): void {
  if (typeof text !== 'string') throw valueRefused(place, 'it is no text')
}

/** Whole milliseconds since 1970, as far as a date can say. */
export function assertTime(time: number, place: string): void {
  if (!Number.isInteger(time) || Math.abs(time) > 8.64e15)
    throw valueRefused(place, 'a time is whole milliseconds since 1970')
}

/** A number of rows, or of a row. */
export function assertCount(count: number, name: string, least = 1): void {
  if (Number.isSafeInteger(count) && count >= least) return
  throw new RetinueError({
    code: 'option-invalid',
    message: `\`${name}\` must be a whole number from ${least} on; it is ${String(count)}.`,
    data: { option: name },
  })
}

export function assertKey({ threadId, resourceId }: { threadId: string; resourceId: string }): void {
  assertId(threadId, 'threadId')
  assertId(resourceId, 'resourceId')
}

/** One of the words that there are for something. */
export function assertOneOf<T extends string>(value: unknown, allowed: readonly T[], name: string): asserts value is T {
  if (allowed.some((each) => each === value)) return
  throw new RetinueError({
    code: 'option-invalid',
    message: `\`${name}\` must be one of ${allowed.map((each) => `'${each}'`).join(', ')}; it is ${String(value)}.`,
    data: { option: name },
  })
}
