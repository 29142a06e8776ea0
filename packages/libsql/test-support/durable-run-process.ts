// Brings a durable run to its end, from wherever it stands, and approves what waits. Prints `ready` before it begins, and then its end.
import { appendFileSync, writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Retinue, type RunResult } from '@retinue/core'
import { isRetinueError } from '@retinue/core/errors'
import { faultyStorage } from '@retinue/core/testing'
import { LibSQLStore } from '../src/libsql-store.ts'
import { MortalProcess, type PlannedAgent, plannedAgent, ROOT_TASK } from './core.ts'

export interface DurableRun {
  readonly url: string
  /** The file that the tools write their starts to, one a line. */
  readonly ledger: string
  readonly plan: PlannedAgent
  /** How long a model or a tool takes, in milliseconds. */
  readonly takes: number
  /** At which write of the storage the process ends. */
  readonly killed?: { readonly at: number; readonly when: 'before' | 'after' }
  /** How the next process finds the run. */
  readonly by: 'recover' | 'resumeRun'
}

export interface DurableEnd {
  readonly result: Pick<RunResult, 'text' | 'finishReason' | 'toolResults' | 'response'>
  readonly statuses: readonly string[]
  readonly writes: number
}

const { url, ledger, plan, takes, killed, by } = JSON.parse(process.argv[2] as string) as DurableRun
const kill = (): void => void process.kill(process.pid, 'SIGKILL')
const store = new LibSQLStore({ id: 's', url })
const storage = faultyStorage(store, ...(killed ? [{ ...killed, how: 'kill' as const, kill }] : []))
const root = plannedAgent(plan, {
  process: new MortalProcess(),
  deployed: { version: '1', schema: 'first', removed: new Set() },
  onStart: async ({ at, key }) => {
    appendFileSync(ledger, `${at} ${key}\n`)
    await pause(takes)
  },
  onModelCall: () => pause(takes),
})
const agent = new Retinue({ agents: { root }, storage, logger: false, durable: true }).getAgent('root')
const runId = 'run'

async function stands(): Promise<RunResult> {
  const there = await store.runs.get(runId).then(
    () => true,
    () => false,
  )
  if (!there) return agent.generate(ROOT_TASK, { runId })
  const streams = by === 'recover' ? await agent.recover() : []
  const [stream = await agent.resumeRun({ runId })] = streams
  return stream.result
}

/** Approves one call; one that somebody decided on who died over it is gone on with. */
async function decide(toolCallId: string): Promise<RunResult> {
  try {
    return await agent.approveToolCallGenerate({ runId, toolCallId, decidedBy: 'driver' })
  } catch (thrown) {
    if (!isRetinueError(thrown, 'approval-decided')) throw thrown
    return agent.resumeRunGenerate({ runId })
  }
}

await store.runs.list({ limit: 1 })
writeSync(1, 'ready\n')
let result = await stands()
while (result.finishReason === 'suspended') result = await decide(result.pendingCalls?.[0]?.toolCallId as string)
const { text, finishReason, toolResults, response } = result
const { items } = await store.approvals.list({ runId })
const statuses = items.map(({ toolName, status }) => `${toolName} ${status}`).toSorted()
const end: DurableEnd = {
  result: { text, finishReason, toolResults, response },
  statuses,
  writes: storage.writes.length,
}
writeSync(1, `${JSON.stringify(end)}\n`)
await store.close()
