import type { ChooseModel, Retinue } from '@retinue/core'
import { isRetinueError } from '@retinue/core/errors'
import type { ScheduleContext } from '@retinue/core/schedules'
import type { OwnedSchedule } from '../assemble-project.ts'
import type { ScheduleOutcome } from './schedule-record.ts'

export interface Firing {
  readonly owned: OwnedSchedule
  readonly due: number
  /** Unguessable: the conversation of this time is called after it. */
  readonly id: string
  readonly app: Retinue
  readonly resolveModel: ChooseModel | undefined
  readonly signal: AbortSignal
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
  const { owned, due, id, app, resolveModel, signal } = firing
  const { agent: agentKey, key, schedule } = owned
  const threadId = `schedule-${key.replaceAll('/', '-')}-${id}`
  let last: Fired = { outcome: 'completed' }
  const run: ScheduleContext['run'] = async (input, options) => {
    const title = `${agentKey}/${key}, ${new Date(due).toISOString()}`
    const result = await app.getAgent(agentKey).generate(input, {
      memory: {
        thread: { id: threadId, title, metadata: { schedule: `${agentKey}/${key}`, due } },
        resource: resourceOf(owned),
      },
      abortSignal: signal,
      ...(resolveModel === undefined ? {} : { resolveModel }),
      ...options,
    })
    const outcome =
      result.finishReason === 'suspended' ? 'waiting' : result.finishReason === 'aborted' ? 'aborted' : 'completed'
    last = { outcome, text: result.text, threadId }
    return result
  }
  try {
    if (schedule.handler === undefined) await run(schedule.prompt)
    else {
      const agent = app.getAgent(agentKey)
      await schedule.handler({ agent, key, due: new Date(due), abortSignal: signal, run })
    }
    return last
  } catch (error) {
    const isAborted = signal.aborted
    return { ...last, outcome: isAborted ? 'aborted' : 'failed', ...(isAborted ? {} : { error: toldError(error) }) }
  }
}

function toldError(error: unknown): NonNullable<ScheduleOutcome['error']> {
  const message = error instanceof Error ? error.message : String(error)
  return isRetinueError(error) ? { code: error.code, message } : { message }
}
