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
  return Response.json(envelope, { status: statusOf(error.code), headers })
}
