import type { RunOptions } from '../../src/agent/run-options.ts'
import { type CrashedEnd, type Crashing, crashedRun, toldIn } from '../crashed-tasks.ts'
import type { EventClock } from '../event-clock.ts'
import type { PlannedAgent } from '../gated-plan.ts'

/** A plan with background tasks, and what each agent that has some is told of them in the end. */
export interface TaskPlan {
  readonly what: string
  readonly plan: PlannedAgent
  readonly tells: Readonly<Record<string, readonly string[]>>
  /** The call that a person approves. */
  readonly gate: string
}

/** Two tasks at once; one of them takes three steps, in the second of which a person has to decide. */
const TWO: TaskPlan = {
  what: 'two tasks',
  plan: {
    key: 'root',
    id: 'root',
    steps: [
      [
        { key: 'a', id: 'wa', steps: [['free'], ['gate']] },
        { key: 'b', id: 'wb', steps: [['free']] },
      ],
    ],
    tasks: ['a', 'b'],
  },
  tells: { r: ['a', 'b'] },
  gate: 'r.0-0.1-0',
}

/** A task whose subagent has a task of its own, in which a person has to decide. */
const NESTED: TaskPlan = {
  what: 'a task with a task of its own',
  plan: {
    key: 'root',
    id: 'root',
    steps: [[{ key: 'a', id: 'wa', steps: [[{ key: 'c', id: 'wc', steps: [['free'], ['gate']] }]], tasks: ['c'] }]],
    tasks: ['a'],
  },
  tells: { r: ['a'], 'r.0-0': ['c'] },
  gate: 'r.0-0.0-0.1-0',
}

/** A subagent in the foreground that has a task. */
const BELOW: TaskPlan = {
  what: 'a subagent with a task',
  plan: {
    key: 'root',
    id: 'root',
    steps: [
      [{ key: 'f', id: 'wf', steps: [[{ key: 'c', id: 'wc', steps: [['gate']] }, 'free']], tasks: ['c'] }, 'free'],
    ],
  },
  tells: { 'r.0-0': ['c'] },
  gate: 'r.0-0.0-0.0-0',
}

export const TASK_PLANS: readonly TaskPlan[] = [TWO, NESTED, BELOW]

/** A subagent that has tasks is run in the foreground where its parent says so. */
const foreground: Crashing['more'] = ({ steps }) =>
  steps === BELOW.plan.steps ? { backgroundTasks: { tools: { f: false } } } : {}

/**
 * Dies before and after each write of the whole, or each `stride`th of them. Gives what of each end is not as it should be, by the crash,
 * and how many crashes there were.
 */
export async function everyTaskCrash(
  clock: EventClock,
  { plan, tells, gate }: TaskPlan,
  call: RunOptions,
  stride = 1,
): Promise<{ readonly wrong: Readonly<Record<string, unknown>>; readonly crashes: number }> {
  const crashing = { plan, call, more: foreground }
  // What is loaded with the first run takes time that no clock here knows.
  await crashedRun(clock, crashing)
  const { writes } = await crashedRun(clock, crashing)
  const wrong: Record<string, unknown> = {}
  let crashes = 0
  for (let write = 1; write <= writes; write += stride)
    for (const when of ['before', 'after'] as const) {
      crashes += 1
      const problems = await crashedRun(clock, { ...crashing, crash: { write, when } }).then(
        (end) => [
          ...(call.durable ? wrongInDurable(end, tells) : wrongInOther(end)),
          ...((end.starts.get(gate) ?? 0) > 1 ? ['what was approved was started twice'] : []),
        ],
        (error: unknown) => [String(error)],
      )
      if (problems.length > 0) wrong[`${when} write ${write} of ${writes}`] = problems
    }
  return { wrong, crashes }
}

/** A durable run ends as it would have, each of its tasks is done once, and each result is told once. */
function wrongInDurable(end: CrashedEnd, tells: TaskPlan['tells']): unknown[] {
  const { result, tasks, repeated, left, warnings } = end
  const expected = Object.values(tells).flatMap((keys) => keys.map((key) => `${key} completed`))
  const own = tasks.map(({ toolName, status }) => `${toolName} ${status}`).toSorted()
  const untold = Object.entries(tells).filter(([agent, keys]) => {
    const told = toldIn(lastAsked(end, agent)).toSorted()
    return told.join() !== keys.map((key) => `${key} has completed`).join()
  })
  return [
    ...(result?.finishReason === 'stop' ? [] : [`it ended with ${result?.finishReason}`]),
    ...(own.join() === expected.join() ? [] : [`the tasks are ${own}`]),
    ...untold.map(([agent]) => `${agent} was told ${toldIn(lastAsked(end, agent))}`),
    ...repeated.map((at) => `${at} was asked again`),
    ...(left.join() === 'run ended' ? [] : [`left are ${left}`]),
    ...warnings,
  ]
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'cancelled'])

/** Of a run that nobody can go on with nothing goes on, and nothing is left. One that waited for a person goes on all the same. */
function wrongInOther(end: CrashedEnd): unknown[] {
  const { result, tasks, left, warnings } = end
  // One that nobody had begun has failed.
  const open = tasks.filter(({ status, error }) => !ENDED.has(status) && error?.code !== 'task-lost')
  return [
    ...(result === undefined || result.finishReason === 'stop' ? [] : [`it ended with ${result.finishReason}`]),
    ...open.map(({ toolName, status, error }) => `${toolName} is ${status} ${error?.code}`),
    ...(left.length === 0 ? [] : [`left are ${left}`]),
    ...warnings,
  ]
}

/** What the model of an agent was asked last. */
export function lastAsked({ asked }: CrashedEnd, agent: string): string | undefined {
  const [, last] = [...asked].filter(([at]) => at.startsWith(`${agent} `)).at(-1) ?? []
  return last?.at(-1)
}
