import type { ChooseModel, Retinue } from '@retinue/core'
import type { AgentInput, RunOptions, RunResult } from '@retinue/core/agent'
import { RetinueError } from '@retinue/core/errors'
import type { MemoryOption } from '@retinue/core/memory'
import type { HandlerSchedule, ScheduleContext } from '@retinue/core/schedules'
import type { OwnedSchedule } from '../assemble-project.ts'
import { OpenRuns } from './open-runs.ts'
import type { ScheduleOutcome } from './schedule-record.ts'
import { toldError } from './told-error.ts'

export interface Firing {
  readonly owned: OwnedSchedule
  readonly due: number
  /** Unguessable: the conversation of this time is called after it. */
  readonly id: string
  readonly app: Retinue
  readonly resolveModel: ChooseModel | undefined
  /** What runs is to end. */
  readonly signal: AbortSignal
  /** What pays no heed to that is not waited for any more. */
  readonly givenUp: AbortSignal
}

/** What a time came to, and what the agent said last. */
export interface Fired extends Pick<ScheduleOutcome, 'outcome' | 'error' | 'threadId'> {
  readonly text?: string
}

/** Whose the conversations of a schedule are. */
function resourceOf({ agent, key }: Pick<OwnedSchedule, 'agent' | 'key'>): string {
  return `schedule:${agent}/${key}`
}

/** Does what a schedule says. It never rejects: what goes wrong is the outcome. */
export async function fireSchedule(firing: Firing): Promise<Fired> {
  const { owned, due, id, app, resolveModel, signal, givenUp } = firing
  // Nothing begins that is to end.
  if (signal.aborted) return { outcome: 'aborted' }
  const { agent: agentKey, key, schedule } = owned
  const title = `${agentKey}/${key}, ${new Date(due).toISOString()}`
  const memory: MemoryOption = {
    thread: {
      id: `schedule-${key.replaceAll('/', '-')}-${id}`,
      title,
      metadata: { schedule: `${agentKey}/${key}`, due },
    },
    resource: resourceOf(owned),
  }
  let came: Fired = { outcome: 'completed' }
  const runs = new OpenRuns()
  const begun = async (input: AgentInput, options: RunOptions | undefined): Promise<RunResult> => {
    const own = options?.abortSignal
    const all: RunOptions = {
      memory,
      // Each time has a thread of its own: no later turn would hear of what is still at work.
      untilIdle: true,
      ...(resolveModel === undefined ? {} : { resolveModel }),
      ...options,
      abortSignal: own === undefined ? signal : AbortSignal.any([signal, own]),
    }
    const result = await app.getAgent(agentKey).generate(input, all)
    came = worse(came, outcomeOf(result, threadOf(all.memory)))
    return result
  }
  const run: ScheduleContext['run'] = (input, options) => runs.begin(() => begun(input, options), overError)
  const work = async (): Promise<void> => {
    const { prompt, handler } = schedule
    const context = { agent: app.getAgent(agentKey), key, due: new Date(due), abortSignal: signal, run }
    const [handled] = await Promise.allSettled([handler === undefined ? run(prompt) : begin(handler, context)])
    // A run that nobody waited for is a part of this time all the same.
    const errors = await runs.rest()
    if (handled.status === 'rejected') throw handled.reason
    if (errors.length > 0) throw errors[0]
  }
  try {
    const isGivenUp = await isAbortedBefore(work(), givenUp)
    return isGivenUp ? { ...came, outcome: 'aborted' } : came
  } catch (error) {
    const isAborted = signal.aborted
    return { ...came, outcome: isAborted ? 'aborted' : 'failed', ...(isAborted ? {} : { error: toldError(error) }) }
  }
}

/** Whether a signal aborts before some work has ended. Rejects as the work does. */
async function isAbortedBefore(work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const abort = (): void => resolve(true)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    return await Promise.race([work.then(() => false), promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function overError(): RetinueError {
  return new RetinueError({
    code: 'schedule-over',
    message: 'The time of the schedule is over: "run" was called after its handler had ended.',
    hint: 'Wait in the handler for all that it begins, such as for a promise of a timer.',
  })
}

/** What is thrown at once is as what is rejected later. */
async function begin(handler: HandlerSchedule['handler'], context: ScheduleContext): Promise<void> {
  await handler(context)
}

/** What a run came to. Nobody is there who could read how it ended: what may be unfinished has failed. */
function outcomeOf({ finishReason, error, text }: RunResult, threadId: string | undefined): Fired {
  const rest = { text, ...(threadId === undefined ? {} : { threadId }) }
  if (finishReason === 'aborted') return { outcome: 'aborted', ...rest }
  if (error !== undefined) return { outcome: 'failed', error: toldError(error), ...rest }
  switch (finishReason) {
    case 'stop':
    case 'bailed':
      return { outcome: 'completed', ...rest }
    case 'suspended':
      return { outcome: 'waiting', ...rest }
    case 'length':
    case 'content-filter':
    case 'tool-calls':
    case 'max-steps':
    case 'incomplete':
    case 'over-budget':
    case 'error':
    case 'other': {
      const message = `The run ended with "${finishReason}": its answer may be unfinished.`
      return { outcome: 'failed', error: { message }, ...rest }
    }
  }
}

/** Of several runs, one that waits for a person counts before one that failed: somebody must know of it. */
const BY_WEIGHT: readonly Fired['outcome'][] = ['waiting', 'failed', 'aborted', 'completed']

/** What a time has come to with one more run; the text is that of the last one. */
function worse(before: Fired, run: Fired): Fired {
  const isWorse = BY_WEIGHT.indexOf(before.outcome) < BY_WEIGHT.indexOf(run.outcome)
  return isWorse ? { ...before, ...(run.text === undefined ? {} : { text: run.text }) } : run
}

/** Where the conversation of a run is kept, if it is. */
function threadOf(memory: MemoryOption | undefined): string | undefined {
  if (memory === undefined || memory.options?.readOnly === true) return undefined
  return typeof memory.thread === 'string' ? memory.thread : memory.thread.id
}
