import type { ErrorInfo } from '@retinue/core/errors'
import { statusOf } from './http-status.ts'

/** The form of every error that the server answers with. */
export interface ErrorEnvelope extends ErrorInfo {
  /** The path that was asked for. */
  readonly path: string
  /** Names the request in the server's log. */
  readonly requestId: string
}

/** What is said of a request in its answer. */
export interface RequestPlace {
  readonly path: string
  readonly requestId: string
}

export function errorResponse(
  error: ErrorInfo,
  { path, requestId }: RequestPlace,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const envelope: ErrorEnvelope = { ...error, path, requestId }
  // OpenAI's clients look for it there.
  const { code, message } = error
  const status = statusOf(code)
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  const body = path.startsWith('/v1/') ? { ...envelope, error: { message, type, code, param: null } } : envelope
  return Response.json(body, { status, headers })
}
