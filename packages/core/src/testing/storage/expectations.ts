import type { ErrorCode } from '../../errors/codes.ts'
import { isRetinueError, type RetinueError, thrownMessage } from '../../errors/retinue-error.ts'
import { same } from './same.ts'

/** Throws unless both are equal: the cases run under any runner, so they bring what they need. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (!same(actual, expected)) throw new Error(`${what}: expected ${shown(expected)}, got ${shown(actual)}`)
}

export function expectTrue(truth: boolean, what: string): void {
  if (!truth) throw new Error(what)
}

/** The typed error that a call must fail with. */
export async function expectError(call: Promise<unknown>, code: ErrorCode, what: string): Promise<RetinueError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('value' in outcome) throw new Error(`${what}: expected the error ${code}, got ${shown(outcome.value)}`)
  if (isRetinueError(outcome.error, code)) return outcome.error
  throw new Error(`${what}: expected the error ${code}, got: ${thrownMessage(outcome.error)}`, { cause: outcome.error })
}

const SHOWN = 500

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
