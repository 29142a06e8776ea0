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
  /** Default: true. What else goes on with it then, is recovered. */
  readonly durable?: boolean
}

export interface DurableEnd {
  readonly result: Pick<RunResult, 'text' | 'finishReason' | 'toolResults' | 'response'>
  readonly statuses: readonly string[]
  /** Its background tasks, and how they ended. */
  readonly tasks: readonly string[]
  /** What of them its model was told, by whom they ended. */
  readonly told: readonly string[]
  /** The runs that are left in the store. */
  readonly left: readonly string[]
  readonly writes: number
}

const { url, ledger, plan, takes, killed, by, durable = true } = JSON.parse(process.argv[2] as string) as DurableRun
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
const app = new Retinue({ agents: { root }, storage, logger: false, durable, backgroundTasks: { enabled: true } })
const agent = app.getAgent('root')
const runId = 'run'

async function stands(): Promise<RunResult> {
  const there = await store.runs.get(runId).then(
    () => true,
    () => false,
  )
  // Of one that is not durable nothing is there any more; what it left is called off.
  if (!there && !durable) await app.recover()
  if (!there) return agent.generate(ROOT_TASK, { runId })
  if (by === 'recover') await app.recover()
  return agent.resumeRunGenerate({ runId })
}

/** Approves one call; one that somebody decided on who died over it is gone on with. */
async function decide(toolCallId: string): Promise<RunResult> {
  try {
    const stream = await agent.approveToolCall({ runId, toolCallId, decidedBy: 'driver' })
    const result = await stream.result
    // Of a task only what came of it.
    return plan.tasks && durable ? await agent.resumeRunGenerate({ runId }) : result
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
const { items } = await store.approvals.list({ limit: 100 })
const statuses = items.map(({ toolName, status }) => `${toolName} ${status}`).toSorted()
await app.tasks.settled()
// As each process does that begins: what somebody who died was about to delete is deleted.
if (plan.tasks) await app.recover()
const tasks = (await store.tasks.list({ limit: 100 })).items
const said = response.messages.flatMap(({ role, content }) => (role === 'user' ? JSON.stringify(content) : []))
const end: DurableEnd = {
  result: { text, finishReason, toolResults, response },
  statuses,
  tasks: tasks.map(({ toolName, status }) => `${toolName} ${status}`).toSorted(),
  told: said.flatMap((text) => [...text.matchAll(/The background task (\S+) \(/g)].map(([, id]) => String(id))),
  left: (await store.runs.list({ limit: 100 })).items.map(
    ({ runId: id, status }) => `${id === runId ? id : 'task'} ${status}`,
  ),
  writes: storage.writes.length,
}
writeSync(1, `${JSON.stringify(end)}\n`)
await store.close()
