// Begins turns one after the other, and prints for each `ok` or the code of its error and of the cause.

import { writeSync } from 'node:fs'
import { isRetinueError } from '@retinue/core/errors'
import { LibSQLStore } from '../src/libsql-store.ts'
import { tornClient } from '../src/testing/torn-client.ts'

export interface Turns {
  readonly url: string
  /** The ids of their messages. */
  readonly ids: readonly string[]
  /** Length of each message. Default: that of its id. */
  readonly length?: number
  /** Ends the process in this transaction, after so many of its statements. */
  readonly tear?: { readonly at: number; readonly after: number }
}

const { url, ids, length, tear } = JSON.parse(process.argv[2] as string) as Turns
const kill = (): void => {
  process.kill(process.pid, 'SIGKILL')
}
const store = new LibSQLStore({
  id: 's',
  url,
  ...(tear ? { wrapClient: (client) => tornClient(client, { ...tear, kill }) } : {}),
})
for (const id of ids) {
  const text = length === undefined ? id : 'x '.repeat(length / 2)
  const message = { role: 'user' as const, content: [{ type: 'text' as const, text }] }
  const turn = { threadId: 't1', resourceId: 'ada', messages: [{ id, message, createdAt: 1 }], lastMessages: 3, at: 1 }
  const said = await store.threads.beginTurn(turn).then(
    () => 'ok',
    (error: unknown) => (isRetinueError(error) ? `${error.code} ${String(error.data['cause'])}` : String(error)),
  )
  writeSync(1, `${id} ${said}\n`)
}
await store.close()
