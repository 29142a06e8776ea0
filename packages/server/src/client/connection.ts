import { type ErrorCode, RetinueError } from '@retinue/core/errors'

export interface ClientOptions {
  /** Where the server is: `http://localhost:4111`. */
  readonly baseUrl: string
  /** Headers of every request, such as `authorization`; a function is asked each time. */
  readonly headers?: HeadersOf | (() => HeadersOf | Promise<HeadersOf>)
  /** Default: that of the platform. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Whether cookies go along to another origin. Default: as the platform has it. */
  readonly credentials?: 'omit' | 'same-origin' | 'include'
}

type HeadersOf = Readonly<Record<string, string>>

export interface CallOptions {
  readonly body?: unknown
  readonly query?: object | undefined
  readonly accept?: 'text/event-stream' | undefined
  readonly headers?: HeadersOf
  readonly signal?: AbortSignal | undefined
}

/** Sends requests to a server, and makes errors of its refusals: a `RetinueError` with the server's code, message and hint. */
export class Connection {
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = options
  }

  async send(method: string, path: string, call: CallOptions = {}): Promise<Response> {
    const { baseUrl, headers, fetch: own, credentials } = this.#options
    const { body, query, accept, signal } = call
    const given = typeof headers === 'function' ? await headers() : headers
    const url = new URL(baseUrl.replace(/\/$/, '') + path)
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const request = new Request(url, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        accept: accept ?? 'application/json',
        ...given,
        ...call.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      ...(credentials ? { credentials } : {}),
    })
    const response = await (own ? own(request) : fetch(request))
    if (!response.ok) throw await refused(response)
    return response
  }

  async json<T>(method: string, path: string, call: CallOptions = {}): Promise<T> {
    const response = await this.send(method, path, call)
    return (response.status === 204 ? undefined : await response.json()) as T
  }

  /** The events of what has its own at a path, after one. */
  events(path: string, after: string | undefined, signal: AbortSignal | undefined): Promise<Response> {
    return this.send('GET', `${path}/events`, {
      accept: 'text/event-stream',
      ...(after === undefined ? {} : { headers: { 'last-event-id': after } }),
      signal,
    })
  }
}

async function refused(response: Response): Promise<RetinueError> {
  const { status } = response
  const text = await response.text().catch(() => '')
  const envelope = parsed(text)
  const { code, message, hint, path, requestId } = envelope ?? {}
  return new RetinueError({
    code: (typeof code === 'string' ? code : 'response-invalid') as ErrorCode,
    message: typeof message === 'string' ? message : `The server answered with the status ${status}.`,
    ...(typeof hint === 'string' ? { hint } : {}),
    data: { status, path, requestId },
  })
}

/** Something between may have answered: then it is no envelope. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
