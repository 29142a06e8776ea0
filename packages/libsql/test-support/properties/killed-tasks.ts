import { assert, type PlannedAgent, type Property } from '../core.ts'
import { type Ended, type Life, lives } from './killed-runs.ts'

/** A supervisor and two subagents that it has work in the background; it and one of them have something that a person must allow. */
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
  tasks: ['a', 'b'],
}

const GATES = ['r.0-1.0-0', 'r.1-0']
const OTHERS = ['r.0-0.0-0', 'r.0-0.0-1', 'r.0-0.1-0', 'r.0-1.1-0']

/** The bars of every run. Gives how many calls are of an unknown outcome. */
function checked({ end, starts }: Ended, kills: number, durable: boolean): number {
  assert(end.result.finishReason === 'stop', () => `it ended with ${end.result.finishReason}`)
  const unknown = end.statuses.filter((status) => status.endsWith('unknown'))
  assert(unknown.length <= kills, () => `unknown: ${unknown}`)
  // A run that is not durable is begun anew, with calls of its own.
  if (!durable) return unknown.length
  for (const at of GATES) {
    const count = starts.get(at)?.length ?? 0
    assert(count <= 1, () => `the approved call ${at} was started ${count} times`)
  }
  const started = GATES.filter((at) => starts.has(at)).length
  assert(started + unknown.length >= GATES.length, () => 'an approved call was lost')
  for (const at of OTHERS) {
    const keys = starts.get(at) ?? []
    assert(keys.length >= 1 && new Set(keys).size === 1, () => `the starts of ${at} have the keys ${keys}`)
  }
  const statuses = end.statuses.map((status) => status.replace('unknown', 'done')).join()
  assert(statuses === 'gate done,gate done,once done', () => `the ledger says ${end.statuses}`)
  assert(end.tasks.join() === 'a completed,b completed', () => `the tasks are ${end.tasks}`)
  assert(end.told.length === 2 && new Set(end.told).size === 2, () => `its model was told of ${end.told}`)
  assert(end.left.join() === 'run ended', () => `left are ${end.left}`)
  return unknown.length
}

/** A run with background tasks whose process is killed at random moments ends as one that nobody killed. */
export function killedTasks(kills: number): Property {
  return {
    name: 'R01 B9.6 a durable run with background tasks survives kill -9',
    unit: `runs of a supervisor with two tasks, killed up to ${kills} times each`,
    check: async (random, tally) => {
      const run = await lives(PLAN, (life): Life => {
        const by = random.pick(['recover', 'resumeRun'] as const)
        return life < kills ? { after: random.below(160), by } : { by }
      })
      tally('unknown', checked(run.ended, run.kills, true))
      tally('kills', run.kills)
    },
  }
}

/** Of a run that is not durable, and whose process is killed, nothing is left: its tasks are called off, or had ended. */
export function lostTasks(kills: number): Property {
  return {
    name: 'R01 B9.6 the tasks of a run that nobody can go on with are called off',
    unit: `runs of a supervisor with two tasks, killed up to ${kills} times each and begun anew`,
    check: async (random, tally) => {
      const life = (index: number): Life => ({ by: 'recover', ...(index < kills ? { after: random.below(160) } : {}) })
      const run = await lives(PLAN, life, { durable: false })
      checked(run.ended, run.kills, false)
      const { tasks, left } = run.ended.end
      const open = tasks.filter((task) => !/ (?:completed|cancelled|failed)$/.test(task))
      assert(open.length === 0 && left.length === 0, () => `left are ${[...open, ...left]}`)
      tally('kills', run.kills)
      for (const task of tasks) tally(task)
    },
  }
}

/** The tasks of such a run whose process ends at one write, and those of the run that was begun anew: how each ended. */
export async function lostTasksAtWrite(at: number): Promise<readonly string[]> {
  const life = (index: number): Life => (index === 0 ? { killed: { at, when: 'after' } } : {})
  const { ended } = await lives(PLAN, life, { durable: false })
  return ended.end.tasks
}

/** A run with background tasks whose process ends at one write of its storage ends as one that nobody killed. */
export async function killedTaskAtWrite(at: number, when: 'before' | 'after'): Promise<number> {
  const by = at % 2 === 0 ? ('recover' as const) : ('resumeRun' as const)
  const { ended, kills } = await lives(PLAN, (life): Life => (life === 0 ? { killed: { at, when }, by } : { by }))
  checked(ended, kills, true)
  return kills
}

/** The same for each write that there is; two runs at a time. */
export const killedTasksAtEveryWrite: Property = {
  name: 'R02 B9.6 a durable run with background tasks survives kill -9 before and after every write',
  unit: 'run of a supervisor with two tasks, once for each crash',
  check: async (_random, tally) => {
    const { ended } = await lives(PLAN, () => ({}))
    checked(ended, 0, true)
    const { writes } = ended.end
    tally('writes', writes)
    const crashes = Array.from({ length: writes }, (_none, n) => n + 1).flatMap((at) =>
      (['before', 'after'] as const).map((when) => ({ at, when })),
    )
    const one = async (): Promise<void> => {
      for (let crash = crashes.shift(); crash; crash = crashes.shift())
        tally('crashes', await killedTaskAtWrite(crash.at, crash.when))
    }
    await Promise.all([one(), one()])
  },
}
