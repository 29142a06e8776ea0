import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Crash, type CrashedEnd, type Crashing, crashedRun, toldIn } from '../../test-support/crashed-tasks.ts'
import { EventClock } from '../../test-support/event-clock.ts'
import type { PlannedAgent } from '../../test-support/gated-plan.ts'

let clock: EventClock
beforeEach(() => {
  clock = new EventClock()
})
afterEach(() => clock.restore())

/** Two tasks at once; one of them takes three steps, in the second of which a person has to decide. */
const TWO: PlannedAgent = {
  key: 'root',
  id: 'root',
  steps: [
    [
      { key: 'a', id: 'wa', steps: [['free'], ['gate']] },
      { key: 'b', id: 'wb', steps: [['free']] },
    ],
  ],
  tasks: ['a', 'b'],
}

/** A task whose subagent has a task of its own, in which a person has to decide. */
const NESTED: PlannedAgent = {
  key: 'root',
  id: 'root',
  steps: [[{ key: 'a', id: 'wa', steps: [[{ key: 'c', id: 'wc', steps: [['free'], ['gate']] }]], tasks: ['c'] }]],
  tasks: ['a'],
}

/** A subagent in the foreground that has a task. */
const BELOW: PlannedAgent = {
  key: 'root',
  id: 'root',
  steps: [[{ key: 'f', id: 'wf', steps: [[{ key: 'c', id: 'wc', steps: [['gate']] }, 'free']], tasks: ['c'] }, 'free']],
}

/** What the model at a path was asked last. */
function lastAsked({ asked }: CrashedEnd, agent: string): string | undefined {
  const [, last] = [...asked].filter(([at]) => at.startsWith(`${agent} `)).at(-1) ?? []
  return last?.at(-1)
}

/** Which agents have tasks, and which. */
const TELLS: ReadonlyMap<PlannedAgent, Readonly<Record<string, readonly string[]>>> = new Map([
  [TWO, { r: ['a', 'b'] }],
  [NESTED, { r: ['a'], 'r.0-0': ['c'] }],
  [BELOW, { 'r.0-0': ['c'] }],
])

/** Dies before and after each write of the whole; gives what of each end is not as it should be, by the crash. */
async function everywhere(crashing: Crashing, wrong: (end: CrashedEnd) => unknown[]): Promise<Record<string, unknown>> {
  // What is loaded with the first run takes time that no clock here knows.
  await crashedRun(clock, crashing)
  const { writes } = await crashedRun(clock, crashing)
  const all: Record<string, unknown> = {}
  for (let write = 1; write <= writes; write++)
    for (const when of ['before', 'after'] as const) {
      const crash: Crash = { write, when }
      const found = await crashedRun(clock, { ...crashing, crash }).then(wrong, (error: unknown) => [String(error)])
      if (found.length > 0) all[`${when} write ${write} of ${writes}`] = found
    }
  expect(writes).toBeGreaterThan(20)
  return all
}

/** Starts of a call that a person approved. */
function startedTwice({ starts }: CrashedEnd): unknown[] {
  return [...starts].filter(([at, count]) => count > 1 && at.endsWith('1-0'))
}

const CASES = [
  ['two tasks', TWO],
  ['a task with a task of its own', NESTED],
  ['a subagent with a task', BELOW],
] as const

/** A subagent that has tasks is run in the foreground where its parent says so. */
const more: Crashing['more'] = ({ steps }) =>
  steps === BELOW.steps ? { backgroundTasks: { tools: { f: false } } } : {}

describe('B9.6 a durable run that waits for its tasks, whose process dies', () => {
  test.each(CASES)('before or after any of its writes, with %s: it ends as it would have', async (_what, plan) => {
    const tells = Object.entries(TELLS.get(plan) ?? {})
    const statuses = tells.flatMap(([, keys]) => keys.map((key) => `${key} completed`)).join()
    const wrong = (end: CrashedEnd): unknown[] => {
      const { result, tasks, repeated, left, warnings } = end
      const own = tasks.map(({ toolName, status }) => `${toolName} ${status}`).toSorted()
      const told = tells.filter(([agent, keys]) => {
        const is = toldIn(lastAsked(end, agent)).toSorted().join()
        return is !== keys.map((key) => `${key} has completed`).join()
      })
      return [
        ...(result?.finishReason === 'stop' ? [] : [`it ended with ${result?.finishReason}`]),
        ...(own.join() === statuses ? [] : [`the tasks are ${own}`]),
        ...told.map(([agent]) => `${agent} was told ${toldIn(lastAsked(end, agent))}`),
        ...startedTwice(end),
        ...repeated.map((at) => `${at} was asked again`),
        ...(left.join() === 'run ended' ? [] : [`left are ${left}`]),
        ...warnings,
      ]
    }
    expect(await everywhere({ plan, call: { durable: true }, more }, wrong)).toEqual({})
  })
})

const ENDED = new Set(['completed', 'cancelled'])

describe('B9.6 a run that is not durable, whose process dies', () => {
  test.each(CASES)(
    'before or after any of its writes, with %s: its tasks end, and nothing is left',
    async (_what, plan) => {
      const wrong = (end: CrashedEnd): unknown[] => {
        const { result, tasks, left, warnings } = end
        // One that nobody had begun has failed.
        const open = tasks.filter(({ status, error }) => !ENDED.has(status) && error?.code !== 'task-lost')
        return [
          ...(result === undefined || result.finishReason === 'stop' ? [] : [`it ended with ${result.finishReason}`]),
          ...open.map(({ toolName, status, error }) => `${toolName} is ${status} ${error?.code}`),
          ...startedTwice(end),
          ...(left.length === 0 ? [] : [`left are ${left}`]),
          ...warnings,
        ]
      }
      expect(await everywhere({ plan, call: {}, more }, wrong)).toEqual({})
    },
  )
})
