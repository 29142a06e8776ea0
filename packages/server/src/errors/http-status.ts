import type { ErrorCode } from '@retinue/core/errors'

type Status = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 421 | 500 | 502 | 503 | 504

/** The status of each error that a request can bring about by itself. Whatever else fails is the server's failure: 500. */
const STATUS: Readonly<Partial<Record<ErrorCode, Status>>> = {
  'body-invalid': 400,
  'decision-invalid': 400,
  'input-invalid': 400,
  'option-invalid': 400,
  'option-unknown': 400,
  'request-invalid': 400,
  'file-url-unsupported': 400,
  'schema-unsupported': 400,
  'storage-value-refused': 400,
  'context-too-long': 400,
  'auth-required': 401,
  'origin-refused': 403,
  'host-refused': 421,
  'memory-read-only': 403,
  'resource-refused': 403,
  'agent-unknown': 404,
  'approval-not-found': 404,
  'memory-missing': 404,
  'message-not-found': 404,
  'route-not-found': 404,
  'run-not-found': 404,
  'task-not-found': 404,
  'thread-not-found': 404,
  'method-not-allowed': 405,
  'approval-ambiguous': 409,
  'approval-decided': 409,
  'decision-aborted': 409,
  'run-busy': 409,
  'run-code-missing': 409,
  'run-context-missing': 409,
  'run-exists': 409,
  'run-lost': 409,
  'storage-conflict': 409,
  'task-ended': 409,
  'thread-busy': 409,
  'thread-exists': 409,
  'approval-expired': 410,
  // No 409: OpenAI's clients try that again, and would begin anew what somebody has ended.
  'run-aborted': 410,
  'body-too-large': 413,
  'content-type-refused': 415,
  'model-call-failed': 502,
  'model-stream-incomplete': 502,
  'model-answer-empty': 502,
  'server-closing': 503,
  'storage-locked': 503,
  'storage-closed': 503,
  'storage-full': 503,
  'model-key-missing': 503,
  'model-package-missing': 503,
  'model-timed-out': 504,
  'run-timed-out': 504,
}

export function statusOf(code: ErrorCode): Status {
  return STATUS[code] ?? 500
}
