import type { ChooseModel, Retinue } from '@retinue/core'
import type { RunOptions, RunResult } from '@retinue/core/agent'
import type { MemoryOption } from '@retinue/core/memory'
import type { ScheduleContext } from '@retinue/core/schedules'
import type { OwnedSchedule } from '../assemble-project.ts'
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
  let last: Fired = { outcome: 'completed' }
  const run: ScheduleContext['run'] = async (input, options) => {
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
    last = after(last, result, threadOf(all.memory))
    return result
  }
  const work = async (): Promise<unknown> => {
    if (schedule.handler === undefined) return run(schedule.prompt)
    const agent = app.getAgent(agentKey)
    return schedule.handler({ agent, key, due: new Date(due), abortSignal: signal, run })
  }
  try {
    const isGivenUp = await isAbortedBefore(work(), givenUp)
    return isGivenUp ? { ...last, outcome: 'aborted' } : last
  } catch (error) {
    const isAborted = signal.aborted
    return { ...last, outcome: isAborted ? 'aborted' : 'failed', ...(isAborted ? {} : { error: toldError(error) }) }
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

/** What a time has come to with one more run. Of several, one that waits for a person counts: somebody must know of it. */
function after(before: Fired, { finishReason, text }: RunResult, threadId: string | undefined): Fired {
  if (before.outcome === 'waiting') return { ...before, text }
  const outcome = finishReason === 'suspended' ? 'waiting' : finishReason === 'aborted' ? 'aborted' : 'completed'
  return { outcome, text, ...(threadId === undefined ? {} : { threadId }) }
}

/** Where the conversation of a run is kept, if it is. */
function threadOf(memory: MemoryOption | undefined): string | undefined {
  if (memory === undefined || memory.options?.readOnly === true) return undefined
  return typeof memory.thread === 'string' ? memory.thread : memory.thread.id
}
