// Decides one question after the other: that of each line which it reads. Prints for each whether it won.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { LibSQLStore } from '../src/libsql-store.ts'

export interface Deciding {
  readonly url: string
  readonly name: string
}

const { url, name } = JSON.parse(process.argv[2] as string) as Deciding
const store = new LibSQLStore({ id: name, url })
await store.approvals.list({ limit: 1 })
writeSync(1, 'ready\n')
for await (const toolCallId of createInterface({ input: process.stdin })) {
  const question = { runId: 'r1', toolCallId, round: 1, at: 200 }
  const decided = await store.approvals.change({
    ...question,
    from: ['pending'],
    to: 'approved',
    decision: { by: name },
  })
  writeSync(1, `${decided ? 'won' : 'lost'}\n`)
}
