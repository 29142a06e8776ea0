import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CrashedEnd, crashedRun, toldIn } from '../../test-support/crashed-tasks.ts'
import { EventClock } from '../../test-support/event-clock.ts'
import type { PlannedAgent } from '../../test-support/gated-plan.ts'
import { everyTaskCrash, lastAsked, TASK_PLANS } from '../../test-support/properties/task-crashes.ts'

let clock: EventClock
beforeEach(() => {
  clock = new EventClock()
})
afterEach(() => clock.restore())

describe.each(TASK_PLANS)('B9.6 a run with $what, whose process dies before or after one of its writes', (plan) => {
  test('durable: it ends as it would have, and each result is told once', async () => {
    const { wrong, crashes } = await everyTaskCrash(clock, plan, { durable: true }, 5)
    expect(wrong).toEqual({})
    expect(crashes).toBeGreaterThan(10)
  })

  test('not durable: its tasks end, and nothing is left', async () => {
    const { wrong, crashes } = await everyTaskCrash(clock, plan, {}, 5)
    expect(wrong).toEqual({})
    expect(crashes).toBeGreaterThan(10)
  })
})

/** One task of three steps, in the second of which a person decides, and one that waits for its place. */
const PLAN: PlannedAgent = {
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

const statuses = ({ tasks }: CrashedEnd) =>
  tasks.map(({ toolName, status, error }) => (error ? `${toolName} ${status} ${error.code}` : `${toolName} ${status}`))

const queued = { backgroundTasks: { enabled: true, globalConcurrency: 1 } }

describe('B9.6 what the process died in', () => {
  test.each([
    ['the first model call of a task', { model: 'r.0-0 0' }],
    ['a later model call of a task', { model: 'r.0-0 1' }],
    ['the last model call of a task', { model: 'r.0-0 2' }],
    ['a tool of a task', { tool: 'r.0-0.0-0' }],
    ['a model call of the run, after its tasks began', { model: 'r 1' }],
  ])('%s: a durable run ends as it would have', async (_what, crash) => {
    const end = await crashedRun(clock, { plan: PLAN, call: { durable: true }, application: queued, crash })
    expect(end.result?.finishReason).toBe('stop')
    expect(statuses(end)).toEqual(['a completed', 'b completed'])
    expect(end.repeated).toEqual([])
    expect(toldIn(lastAsked(end, 'r')).toSorted()).toEqual(['a has completed', 'b has completed'])
    // What was under way is begun once more.
    if ('model' in crash) expect(end.asked.get(crash.model)).toHaveLength(2)
    const twice = [...end.starts].filter(([, count]) => count > 1).map(([at]) => at)
    expect(twice).toEqual('tool' in crash ? [crash.tool] : [])
  })

  test('B7.2 two tasks that went on after a crash never ask about calls of the same id: the run’s id and the call’s are enough', async () => {
    const plan: PlannedAgent = {
      ...PLAN,
      steps: [['a', 'b'].map((key) => ({ key, id: `w${key}`, steps: [['gate']] })), ['gate']],
    }
    const crash = { model: 'r.0-1 0' }
    const end = await crashedRun(clock, { plan, call: { durable: true }, crash })
    expect(end.result?.finishReason).toBe('stop')
    expect(statuses(end)).toEqual(['a completed', 'b completed'])
    expect(end.approvals).toEqual(['done', 'done', 'done'])
    expect([...end.starts.values()]).toEqual([1, 1, 1])
    expect(new Set(end.callIds).size).toBe(3)
  })

  test('the approved tool of a task: it is not started again, and its model is told that nobody knows', async () => {
    const crash = { tool: 'r.0-0.1-0' }
    const end = await crashedRun(clock, { plan: PLAN, call: { durable: true }, crash })
    expect(end.result?.finishReason).toBe('stop')
    expect(statuses(end)).toEqual(['a completed', 'b completed'])
    expect(end.starts.get('r.0-0.1-0')).toBe(1)
    expect(end.approvals).toEqual(['unknown'])
    expect(end.asked.get('r.0-0 2')?.at(-1)).toContain('whether it did its work is unknown')
    expect(toldIn(lastAsked(end, 'r')).toSorted()).toEqual(['a has completed', 'b has completed'])
  })

  test.each([
    ['the first model call of a task', { model: 'r.0-0 0' }],
    ['a tool of a task', { tool: 'r.0-0.0-0' }],
  ])(
    '%s, of a run that is not durable: its tasks are cancelled as orphans, those that waited for a place too',
    async (_what, crash) => {
      const end = await crashedRun(clock, { plan: PLAN, call: {}, application: queued, crash })
      expect(end.result).toBeUndefined()
      expect(statuses(end)).toEqual(['a cancelled task-cancelled', 'b cancelled task-cancelled'])
      expect(end.tasks[0]?.error?.message).toBe('the run that waited for it died')
      expect(end.left).toEqual([])
      expect([...end.asked].flatMap(([, said]) => said).length).toBeLessThanOrEqual(4)
    },
  )
})

describe('B9.6 what is not there any more when a task goes on', () => {
  const crash = { model: 'r.0-0 1' }
  const without = (removed: string): PlannedAgent => ({
    ...PLAN,
    steps: [PLAN.steps[0]?.filter((step) => typeof step === 'string' || step.key !== removed) ?? []],
    tasks: (PLAN.tasks ?? []).filter((key) => key !== removed),
  })

  test('its subagent: it has failed with the reason, and the conversation is told', async () => {
    const end = await crashedRun(clock, { plan: PLAN, call: { durable: true }, crash, laterPlan: without('a') })
    expect(end.result?.finishReason).toBe('stop')
    expect(statuses(end)).toEqual(['a failed tool-unknown', 'b completed'])
    expect(toldIn(lastAsked(end, 'r')).toSorted()).toEqual(['a has failed', 'b has completed'])
    expect(lastAsked(end, 'r')).toContain('There is no tool "a"')
    expect(end.left).toEqual(['run ended'])
  })

  test('the agent above it: it is called off', async () => {
    const nested = TASK_PLANS[1]?.plan as PlannedAgent
    const dies = { model: 'r.0-0.0-0 1' }
    const laterPlan = { ...nested, steps: [[]], tasks: [] }
    const end = await crashedRun(clock, { plan: nested, call: { durable: true }, crash: dies, laterPlan })
    expect(statuses(end)).toEqual(['a failed tool-unknown', 'c cancelled task-cancelled'])
    expect(toldIn(lastAsked(end, 'r'))).toEqual(['a has failed'])
    expect(end.left).toEqual(['run ended'])
  })

  test('a tool that its subagent called: its model is told, and it goes on', async () => {
    const later = { removed: new Set(['free'] as const) }
    const gone = { model: 'r.0-0 1' }
    const end = await crashedRun(clock, { plan: PLAN, call: { durable: true }, crash: gone, later })
    expect(statuses(end)).toEqual(['a completed', 'b completed'])
    expect(end.left).toEqual(['run ended'])
  })

  test('code of the call: what guards a run must not vanish, so that nothing goes on, and a warning says why', async () => {
    const call = { durable: true, requireToolApproval: () => false }
    await expect(crashedRun(clock, { plan: PLAN, call, crash })).rejects.toThrow('it does not come to an end')
    const end = await crashedRun(clock, { plan: PLAN, call, crash, resumedWith: { requireToolApproval: () => false } })
    expect(statuses(end)).toEqual(['a completed', 'b completed'])
    expect(end.result?.finishReason).toBe('stop')
  })
})
