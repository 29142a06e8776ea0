// Many writers at once in one process, each with messages of its own, one after the other. Prints each id when it is acknowledged
// (with `tell`), and at the end the times that writes took.
import { writeSync } from 'node:fs'
import { LibSQLStore } from '../src/libsql-store.ts'

export interface Writing {
  readonly url: string
  readonly name: string
  readonly writers: number
  readonly messages: number
  readonly tell: boolean
  /** The answer of the last line: all times in milliseconds, or only the number of them. */
}

const { url, name, writers, messages, tell } = JSON.parse(process.argv[2] as string) as Writing
const store = new LibSQLStore({ id: name, url })
const key = { threadId: 't1', resourceId: 'ada' }
await store.threads.beginTurn({ ...key, messages: [], lastMessages: 0, at: 1 })

const times: number[] = []
async function write(writer: number): Promise<void> {
  for (let n = 0; n < messages; n++) {
    const id = `${name}.${writer}.${n}`
    const start = performance.now()
    const text = `message ${n} of writer ${writer}`
    await store.threads.append({
      ...key,
      messages: [{ id, message: { role: 'user', content: [{ type: 'text', text }] }, createdAt: 1 }],
    })
    times.push(performance.now() - start)
    // At once, and not when the event loop is at it: what is killed must have told.
    if (tell) writeSync(1, `${id}\n`)
  }
}

await Promise.all(Array.from({ length: writers }, (_none, writer) => write(writer)))
await store.close()
const sorted = Float64Array.from(times).sort()
const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
writeSync(1, `${JSON.stringify({ p50: at(0.5), p99: at(0.99), most: at(1) })}\n`)
