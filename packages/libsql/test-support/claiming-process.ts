// Claims ended tasks, one batch after the other: a line of stdin is the ids of one. Prints for each what it got, as JSON.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { LibSQLStore } from '../src/libsql-store.ts'

export interface Claiming {
  readonly url: string
  readonly name: string
}

const { url, name } = JSON.parse(process.argv[2] as string) as Claiming
const store = new LibSQLStore({ id: name, url })
await store.tasks.list({ limit: 1 })
writeSync(1, 'ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const taskIds = JSON.parse(line) as string[]
  // One statement each, so that the processes take turns within a batch.
  const got: string[] = []
  for (const taskId of taskIds)
    for (const claimed of await store.tasks.claim({ taskIds: [taskId], by: name, until: 900, at: 300 })) {
      await store.tasks.deliver({ taskIds: [taskId], by: name, at: 300 })
      got.push(claimed.taskId)
    }
  writeSync(1, `${JSON.stringify(got)}\n`)
}
