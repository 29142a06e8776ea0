import { isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import { isObject } from '../shared/records.ts'

/** A failed model call as a typed error: the provider's words without keys, the raw error as `cause`. */
export function modelError(thrown: unknown, model: string, secrets: readonly string[] = []): RetinueError {
  if (isRetinueError(thrown)) return thrown
  const status = statusOf(thrown)
  const said = withoutSecrets(thrownMessage(thrown), secrets)
  if (isTooLong(thrown, status)) {
    return new RetinueError({
      code: 'context-too-long',
      message: `The conversation is too long for ${model}: ${said}`,
      hint: 'Send less of it: cut the history, or hand children less with the filters lastMessages(n) or maxTokens(n).',
      data: { model, status },
      cause: thrown,
    })
  }
  return new RetinueError({
    code: 'model-call-failed',
    message: `The call of ${model} failed${status === undefined ? '' : ` with status ${status}`}: ${said}`,
    hint: hintFor(status),
    data: { model, status },
    cause: thrown,
  })
}

/** The error of an answer whose stream ended before the provider had said that it is complete. */
export function brokenOff(model: string): RetinueError {
  return new RetinueError({
    code: 'model-stream-incomplete',
    message: `The answer of ${model} broke off: its stream ended without a finish.`,
    hint: 'Try again; if it happens often, look at what stands between this process and the provider.',
  })
}

function hintFor(status: number | undefined): string {
  if (status === 401 || status === 403) return 'Check the key of this provider, and that it may use this model.'
  if (status === 404) return 'Check the name of the model.'
  if (status === 429) return 'The provider limits the rate or the quota is used up: wait, or add a fallback model.'
  if (status === undefined || status >= 500)
    return 'The provider could not be reached or failed: try again, or add a fallback model.'
  return 'The provider refused the request; the cause of this error has its answer.'
}

const TOO_LONG =
  /context.{0,12}length|maximum context|context window|too many (?:input )?tokens|prompt is too long|input is too long|exceeds?.{0,30}(?:token|context)/i

function isTooLong(thrown: unknown, status: number | undefined): boolean {
  // An error part of a stream has no status.
  if (status !== undefined && status !== 400 && status !== 413 && status !== 422) return false
  if (status === undefined && isRetryable(thrown)) return false
  const { responseBody, code } = isObject(thrown) ? thrown : {}
  return [thrownMessage(thrown), responseBody, code].some((text) => typeof text === 'string' && TOO_LONG.test(text))
}

/** Whether the same call can pass when it is made again: rate limits, failures of the server, the network. */
export function isRetryable(thrown: unknown): boolean {
  if (isRetinueError(thrown)) return thrown.code === 'model-stream-incomplete' || thrown.code === 'model-timed-out'
  const status = statusOf(thrown)
  if (status !== undefined) return status === 408 || status === 409 || status === 429 || status >= 500
  if (!isObject(thrown)) return false
  if (typeof thrown['isRetryable'] === 'boolean') return thrown['isRetryable']
  return isNetworkError(thrown) || isNetworkError(thrown['cause']) || isNamedTransient(thrown)
}

/** What providers call a failure that passes, in the errors that they send inside a stream. */
const TRANSIENT = /overloaded|rate_?limit|server_?error|api_error|unavailable|timeout|too_many_requests/i

function isNamedTransient(error: Record<string, unknown>): boolean {
  // What arrived is no JSON, or ends too early: it was damaged on its way.
  if (/^(?:TimeoutError|AI_JSONParseError|AI_InvalidResponseDataError)$/.test(String(error['name']))) return true
  // OpenAI's and Anthropic's are `{ type, code, message }`, alone or inside `{ error }`.
  const { type, code, status } = isObject(error['error']) ? error['error'] : error
  return [type, code, status].some((name) => typeof name === 'string' && TRANSIENT.test(name))
}

function isNetworkError(error: unknown): boolean {
  if (!isObject(error)) return false
  const code = error['code']
  if (typeof code === 'string')
    return /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR)/.test(code)
  return error['name'] === 'TypeError' && /fetch failed|network/i.test(String(error['message']))
}

function statusOf(thrown: unknown): number | undefined {
  if (!isObject(thrown)) return undefined
  // Google's error parts have the status as `code`.
  for (const name of ['statusCode', 'status', 'code']) {
    const status = Number(thrown[name])
    if (status >= 400 && status < 600) return status
  }
  return undefined
}

/** The longest wait that a provider can ask for, in milliseconds. */
const LONGEST_WAIT = 60_000

/** How long to wait before attempt `attempt` (from 1): what `retry-after` says, else one second, doubled each time. */
export function retryDelay(thrown: unknown, attempt: number, now: number): number {
  const headers = isObject(thrown) && isObject(thrown['responseHeaders']) ? thrown['responseHeaders'] : {}
  const asked = askedDelay(headers['retry-after-ms'], headers['retry-after'], now)
  return Math.min(asked ?? 1000 * 2 ** (attempt - 1), LONGEST_WAIT)
}

function askedDelay(milliseconds: unknown, after: unknown, now: number): number | undefined {
  const ms = typeof milliseconds === 'string' ? Number(milliseconds) : Number.NaN
  if (ms >= 0) return ms
  if (typeof after !== 'string') return undefined
  const seconds = Number(after)
  if (seconds >= 0) return seconds * 1000
  const date = /[a-z]/i.test(after) ? Date.parse(after) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
