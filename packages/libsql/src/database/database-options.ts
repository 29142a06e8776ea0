import type { Client } from '@libsql/client'

export interface DatabaseOptions {
  /** Names the store in errors. */
  readonly id: string
  /**
   * `file:` with a path, absolute or relative to the working directory: its folder is made if it is missing. `:memory:` lasts as long as
   * the store. `libsql:`, `https:`, `http:`, `wss:` and `ws:` are databases elsewhere.
   */
  readonly url: string
  /** For a database elsewhere that asks for one. */
  readonly authToken?: string
  /**
   * How long a call waits, in milliseconds, for another process that writes to the file before it fails with `storage-locked`: all in
   * all, from the call on, also where it has to open the file first or stands behind others.
   * Default: 5000.
   */
  readonly lockTimeoutMs?: number
  /** For tests: stands between the store and the database. */
  readonly wrapClient?: (client: Client) => Client
}
