import type { MiddlewareHandler } from 'hono'
import type { Authenticate } from './caller.ts'

/** What `server.ts` exports as its default. */
export interface ServerSettings {
  /** Where it listens. Default: 4111. */
  port?: number
  /** Default: '127.0.0.1', this machine alone. Another one needs `token` or `auth`. */
  host?: string
  /** A secret that callers send as `Authorization: Bearer …`, of at least 16 characters. Who has it sees everything. */
  token?: string
  /** Says who asks. It goes before `token`, which then opens nothing by itself. */
  auth?: Authenticate
  /** Names by which the server is called beside `host` and those of loopback: `['agents.example.com']`. They need `token` or `auth`. */
  allowedHosts?: readonly string[]
  /** Pages of which other origins may call: `{ origins: ['https://app.example.com'] }`. Default: none. */
  cors?: { readonly origins: readonly string[]; readonly credentials?: boolean }
  /** Hono's middleware, around every route and behind the checks of host and origin. It reads no body. */
  middleware?: readonly MiddlewareHandler[]
  /** How long a body may be, in bytes. Default: 4 MiB. */
  bodyLimit?: number
  /**
   * A stream in which nothing happens says so after this time, so that nobody in between ends it. Milliseconds, at most 15,000, the
   * default.
   */
  heartbeatMs?: number
  /**
   * How long a run goes on that nobody reads, in milliseconds; `Infinity`: to its end. 0: it ends with its last reader. Default: 10
   * minutes.
   */
  detachMs?: number
  /** How long `close` waits for the runs that go on, in milliseconds. Default: 10,000. */
  shutdownMs?: number
}

/** Types the settings of `server.ts`, and gives them back as they are. */
export function serverConfig(settings: ServerSettings): ServerSettings {
  return settings
}
