// Decides on the runs that it is told of, several times at once: a line of stdin is a race. Prints `ready`, and for each race how its
// decisions ended. The first line of a run begins it.
import { appendFileSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Retinue } from '@retinue/core'
import { isRetinueError } from '@retinue/core/errors'
import { LibSQLStore } from '../src/libsql-store.ts'
import { MortalProcess, type PlannedAgent, plannedAgent, ROOT_TASK } from './core.ts'

export interface Race {
  readonly runId: string
  /** The call that is decided; absent: the run is begun, and waits. */
  readonly toolCallId?: string
  readonly verdicts: readonly ('approve' | 'decline')[]
  readonly streams: boolean
}

/** How one decision ended. */
export interface RaceEnd {
  readonly verdict: 'approve' | 'decline'
  /** The text of the run for who won, and else the code of the error. */
  readonly text?: string
  readonly code?: string
}

/** What a client learns of a call that waits. */
export interface Announced {
  readonly runId: string
  readonly toolCallId: string
}

interface Racer {
  readonly url: string
  readonly ledger: string
  readonly plan: PlannedAgent
  readonly name: string
}

const { url, ledger, plan, name } = JSON.parse(process.argv[2] as string) as Racer
const store = new LibSQLStore({ id: name, url })
const root = plannedAgent(plan, {
  process: new MortalProcess(),
  deployed: { version: '1', schema: 'first', removed: new Set() },
  onStart: ({ key }) => appendFileSync(ledger, `${key}\n`),
  onModelCall: () => {},
})
const agent = new Retinue({ agents: { root }, storage: store, logger: false }).getAgent('root')

async function decided(verdict: 'approve' | 'decline', { runId, toolCallId, streams }: Race): Promise<RaceEnd> {
  const options = { runId, toolCallId: toolCallId as string, decidedBy: name }
  try {
    const text = streams
      ? await (await agent[`${verdict}ToolCall`](options)).text
      : (await agent[`${verdict}ToolCallGenerate`](options)).text
    return { verdict, text }
  } catch (thrown) {
    return { verdict, code: isRetinueError(thrown) ? thrown.code : String(thrown) }
  }
}

await store.runs.list({ limit: 1 })
writeSync(1, 'ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const race = JSON.parse(line) as Race
  if (race.toolCallId === undefined) {
    const { fullStream } = await agent.stream(ROOT_TASK, { runId: race.runId })
    const announced: Announced[] = []
    for await (const { type, runId, payload } of fullStream)
      if (type === 'tool-call-approval') announced.push({ runId, toolCallId: payload.toolCallId })
    writeSync(1, `${JSON.stringify(announced)}\n`)
  } else {
    const ends = await Promise.all(race.verdicts.map((verdict) => decided(verdict, race)))
    writeSync(1, `${JSON.stringify(ends)}\n`)
  }
}
await store.close()
