// Takes the lease of a run until far ahead, says so, and holds it until it is killed, or who started it has ended.
import { writeSync } from 'node:fs'
import { LibSQLStore } from '../src/libsql-store.ts'

export interface Leasing {
  readonly url: string
  /** `save`: the run is made by this process, with its lease; `acquire`: it is there already. */
  readonly by: 'save' | 'acquire'
}

const { url, by } = JSON.parse(process.argv[2] as string) as Leasing
const store = new LibSQLStore({ id: 's', url })
const lease = { holder: 'child', until: 1_000_000 }
if (by === 'acquire') await store.runs.acquire({ runId: 'r1', ...lease, at: 200 })
else {
  const run = { runId: 'r1', agentId: 'sup', status: 'running' as const, body: 'of the child' }
  await store.runs.save({ ...run, lease, expectedVersion: 0, at: 200 })
}
writeSync(1, 'leased\n')
process.stdin.resume()
