import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { child } from '../child.ts'
import { assert, type PlannedAgent, type Property } from '../core.ts'
import type { DurableEnd, DurableRun } from '../durable-run-process.ts'
import { checkedIds } from '../integrity.ts'
import { tempFolder } from '../temp-folder.ts'

/** A supervisor and two subagents that work at the same time; each has something that a person must allow. */
const PLAN: PlannedAgent = {
  key: 'root',
  id: 'sup',
  steps: [
    [
      { key: 'a', id: 'researcher', steps: [['once', 'free'], ['free']] },
      { key: 'b', id: 'writer', steps: [['gate'], ['free']] },
    ],
    ['gate'],
  ],
}

/** How a run ended: the last process of it, and what all of them started. */
export interface Ended {
  readonly end: DurableEnd
  /** The keys of the starts of each call. */
  readonly starts: ReadonlyMap<string, readonly string[]>
}

/** What becomes of one of the processes: at which write it dies, or after how many milliseconds. */
export interface Life extends Pick<DurableRun, 'killed'> {
  readonly after?: number
  readonly by?: DurableRun['by']
}

/** A process after another goes on with one run, until one of them ends it. */
export async function lives(
  plan: PlannedAgent,
  each: (life: number) => Life,
  more: Pick<DurableRun, 'durable'> = {},
): Promise<{ readonly kills: number; readonly ended: Ended }> {
  using folder = tempFolder()
  const [url, ledger] = [folder.file(), join(folder.path, 'ledger')]
  let kills = 0
  for (let life = 0; ; life++) {
    assert(life < 100, () => 'the run does not come to its end')
    const { killed, after, by = 'resumeRun' } = each(life)
    const run: DurableRun = { url, ledger, plan, takes: 3, by, ...more, ...(killed ? { killed } : {}) }
    const process = child('durable-run-process.ts', run)
    await process.printed(1)
    if (after !== undefined) {
      await Promise.race([pause(after), process.ended])
      process.kill()
    }
    await process.ended
    await checkedIds(url)
    const [, said] = process.lines
    if (said !== undefined) return { kills, ended: { end: JSON.parse(said) as DurableEnd, starts: startsIn(ledger) } }
    kills += 1
  }
}

function startsIn(ledger: string): Map<string, string[]> {
  const starts = new Map<string, string[]>()
  for (const line of existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n') : []) {
    const [at = '', key = ''] = line.split(' ')
    starts.set(at, [...(starts.get(at) ?? []), key])
  }
  return starts
}

const CALLS = { once: ['r.0-0.0-0'], gate: ['r.0-1.0-0', 'r.1-0'], free: ['r.0-0.0-1', 'r.0-0.1-0', 'r.0-1.1-0'] }

/** What of an end must be the same however often the run was killed. Ids are named in the order in which calls happen to begin. */
function comparable({ result, statuses }: DurableEnd): string {
  const text = JSON.stringify(result, (key, value) => {
    if (IDS_AND_TIMES.has(key)) return undefined
    const isEndOfGate = value?.toolName === 'gate' && ('output' in value || 'result' in value || 'error' in value)
    return isEndOfGate ? { toolName: 'gate' } : value
  })
  // What models are told of a decided call that somebody died in is the one thing that may differ.
  const known = text.replaceAll(/\\*"gate\\*" was started.*?not known\./g, '[gate]')
  const named = CALLS.gate.reduce((so, at) => so.replaceAll(`[ok ${at}]`, '[gate]'), known)
  return `${named} ${statuses.map((status) => status.replace('gate unknown', 'gate done'))}`
}

const IDS_AND_TIMES = new Set([
  ...['toolCallId', 'runId', 'id', 'subAgentThreadId', 'subAgentResourceId'],
  ...['timestamp', 'durationMs', 'usage', 'totalUsage'],
])

/** How two texts differ, where they begin to. */
function difference(got: string, expected: string): string {
  const from = [...got].findIndex((char, n) => char !== expected[n])
  return `${got.slice(Math.max(0, from - 200), from + 300)}\nand without kills: ${expected.slice(from, from + 300)}`
}

/** The bars of every run, and how it differs from one that nobody killed. Gives how many calls are of an unknown outcome. */
function checked({ end, starts }: Ended, undisturbed: string, kills: number): number {
  assert(end.result.finishReason === 'stop', () => `it ended with ${end.result.finishReason}`)
  const unknown = end.statuses.filter((status) => status.endsWith('unknown'))
  assert(unknown.length <= kills && unknown.every((status) => status.startsWith('gate')), () => `unknown: ${unknown}`)
  for (const at of CALLS.gate) {
    const count = starts.get(at)?.length ?? 0
    assert(count <= 1, () => `the approved call ${at} was started ${count} times`)
  }
  const started = CALLS.gate.filter((at) => starts.has(at)).length
  assert(started + unknown.length >= CALLS.gate.length, () => 'an approved call was lost')
  for (const at of [...CALLS.once, ...CALLS.free]) {
    const keys = starts.get(at) ?? []
    assert(keys.length >= 1 && new Set(keys).size === 1, () => `the starts of ${at} have the keys ${keys}`)
  }
  const got = comparable(end)
  assert(got === undisturbed, () => `another end: ${difference(got, undisturbed)}`)
  return unknown.length
}

let known: { readonly text: string; readonly writes: number; readonly took: number } | undefined

/** The run without kills. */
async function undisturbedRun(): Promise<NonNullable<typeof known>> {
  if (known) return known
  const begun = performance.now()
  const { ended } = await lives(PLAN, () => ({}))
  const text = comparable(ended.end)
  known = { text, writes: ended.end.writes, took: performance.now() - begun }
  checked(ended, text, 0)
  return known
}

/** A run whose process is killed at random moments ends as one that nobody killed. */
export function killedRuns(kills: number): Property {
  return {
    name: 'R01 B7.4 a durable run survives kill -9',
    unit: `runs of a supervisor and two subagents, killed up to ${kills} times each`,
    check: async (random, tally) => {
      const { text } = await undisturbedRun()
      const run = await lives(PLAN, (life) => {
        const by = random.pick(['recover', 'resumeRun'] as const)
        return life < kills ? { after: random.below(120), by } : { by }
      })
      tally('unknown', checked(run.ended, text, run.kills))
      tally('kills', run.kills)
    },
  }
}

/** A run whose process ends at one write of its storage, before or after it, ends as one that nobody killed. */
export async function killedAtWrite(at: number, when: 'before' | 'after'): Promise<number> {
  const { text } = await undisturbedRun()
  const by = at % 2 === 0 ? ('recover' as const) : ('resumeRun' as const)
  const { ended, kills } = await lives(PLAN, (life) => (life === 0 ? { killed: { at, when }, by } : { by }))
  checked(ended, text, kills)
  return kills
}

/** The same for each write that there is; two runs at a time. */
export const killedAtEveryWrite: Property = {
  name: 'R02 B7.4 a durable run survives kill -9 before and after every write',
  unit: 'run of a supervisor and two subagents, once for each crash',
  check: async (_random, tally) => {
    const { writes } = await undisturbedRun()
    tally('writes', writes)
    const crashes = Array.from({ length: writes }, (_none, n) => n + 1).flatMap((at) =>
      (['before', 'after'] as const).map((when) => ({ at, when })),
    )
    const one = async (): Promise<void> => {
      for (let crash = crashes.shift(); crash; crash = crashes.shift())
        tally('crashes', await killedAtWrite(crash.at, crash.when))
    }
    await Promise.all([one(), one()])
  },
}
