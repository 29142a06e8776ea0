import { isObject } from '../shared/records.ts'
import type { ErrorCode } from './codes.ts'

const BRAND: unique symbol = Symbol.for('retinue.error')

/** What an error is made of. */
export interface RetinueErrorInit {
  code: ErrorCode
  /** What happened, in one or two sentences. It never holds a provider's raw text. */
  message: string
  /** What to do about it. */
  hint?: string
  /** Facts for programs: names, positions, what was expected. */
  data?: Record<string, unknown>
  cause?: unknown
}

/**
 * The one error class of Retinue. Tell errors apart by `code`, which is stable; `hint` says how to mend what happened. Use
 * `isRetinueError` instead of `instanceof`: two copies of this package in one process are normal.
 */
export class RetinueError extends Error {
  override readonly name = 'RetinueError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly data: Readonly<Record<string, unknown>>

  constructor(init: RetinueErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause })
    this.code = init.code
    this.hint = init.hint
    this.data = init.data ?? {}
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** The form that is safe to store and to send: no cause, no stack. */
  toJSON(): ErrorInfo {
    return errorInfo(this)
  }
}

/** An error as plain JSON: what chunks, envelopes and records carry. */
export interface ErrorInfo {
  code: ErrorCode
  message: string
  hint?: string
}

export function errorInfo(error: RetinueError): ErrorInfo {
  return error.hint === undefined
    ? { code: error.code, message: error.message }
    : { code: error.code, message: error.message, hint: error.hint }
}

/** Whether a value is a Retinue error (of this copy of the package or another), and of that code if one is given. */
export function isRetinueError(value: unknown, code?: ErrorCode): value is RetinueError {
  return (
    isObject(value) &&
    (value as { [BRAND]?: unknown })[BRAND] === true &&
    (code === undefined || value['code'] === code)
  )
}

/** The text of whatever was thrown: people throw strings, null and objects too. */
export function thrownMessage(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name
  if (isObject(thrown) && typeof thrown['message'] === 'string') return thrown['message']
  try {
    return typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? String(thrown))
  } catch {
    return String(thrown)
  }
}

/** Errors whose words are all our own, or such as the application means its models to read. */
const TOLD: ReadonlySet<ErrorCode> = new Set([
  'answer-invalid',
  'budget-spent',
  'delegation-cycle',
  'delegation-invalid',
  'delegation-rejected',
  'delegation-too-deep',
  'file-url-unsupported',
  'model-answer-empty',
  'model-key-missing',
  'model-missing',
  'model-package-missing',
  'model-provider-unknown',
  'model-stream-incomplete',
  'model-timed-out',
  'price-missing',
  'processor-stopped',
  'reference-unknown',
  'run-timed-out',
  'script-mismatch',
  'strict-model-refused',
  'thread-busy',
])

/** What is said of the others, where there is something to say. */
const SAID: Readonly<Partial<Record<ErrorCode, string>>> = {
  'model-call-failed': 'The call of its model failed.',
  'context-too-long': 'The conversation was too long for its model.',
  'processor-failed': 'A processor of the application failed.',
  'delegation-hook-failed': 'A hook of the application failed.',
  'hook-failed': 'A hook of the application failed.',
  'prepare-step-failed': 'A hook of the application failed.',
  'agent-invalid': 'It could not begin.',
  'message-filter-failed': 'What it may see of the conversation could not be decided, so it did not run.',
  'tool-failed-repeatedly': 'It was given up: the same call of a tool failed three steps running.',
  'completion-unjudged': 'Whether its answer is complete could not be judged.',
}

/**
 * What a model may read of an error: our own words, never a provider's, which can hold secrets, nor those of an application's own
 * functions or of another agent's tools. A code that is not listed says nothing.
 */
export function modelSafeMessage({ code, message }: Pick<ErrorInfo, 'code' | 'message'>): string {
  return TOLD.has(code) ? message : (SAID[code] ?? 'It broke off with an error.')
}
