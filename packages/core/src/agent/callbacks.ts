import type { RetinueError } from '../errors/retinue-error.ts'
import type { Chunk } from '../events/chunk.ts'
import type { EventLog } from '../events/event-log.ts'
import type { Run } from '../loop/run.ts'
import { callbackFailed } from '../loop/run-hooks.ts'
import type { Step } from '../loop/run-state.ts'
import { type Application, warnIn } from '../memory/application.ts'
import type { RunResult } from './run-result.ts'

/** What a call is told of. A callback that throws is reported, and changes nothing of the run. */
export interface Callbacks {
  /** Each event of the run and its children, flat. It does not hold the run up. */
  onChunk?: (chunk: Chunk) => void | Promise<void>
  /** The end of each step of this run. */
  onStepFinish?: (step: Step) => void | Promise<void>
  /** The end of the run, however it ended. */
  onFinish?: (result: RunResult) => void | Promise<void>
  /** The error that the run ended with. */
  onError?: (event: { error: RetinueError }) => void | Promise<void>
  /** The run was aborted. */
  onAbort?: (event: { steps: readonly Step[] }) => void | Promise<void>
}

/** Hands every event to `onChunk`, in order; resolves when the run has ended and all were handed over. */
export async function tellChunks(
  run: Run,
  log: EventLog | undefined,
  onChunk: NonNullable<Callbacks['onChunk']>,
): Promise<void> {
  const reader = log?.read()
  for (let item = await reader?.next(); item && !item.done; item = await reader?.next()) {
    try {
      await onChunk(item.value)
    } catch (thrown) {
      // It would be told of its own failure, and fail again.
      warnIn(run.root.application, 'callback-failed', callbackFailed('onChunk', thrown).message)
    }
  }
}

/** Tells of the end of a run, before anybody else learns of it. */
export async function tellEnd({ root }: Run, callbacks: Callbacks, result: RunResult): Promise<void> {
  const { application } = root
  const { onError, onAbort, onFinish } = callbacks
  if (result.finishReason === 'error' && result.error)
    await safely(application, 'onError', onError, { error: result.error })
  if (result.finishReason === 'aborted') await safely(application, 'onAbort', onAbort, { steps: result.steps })
  await safely(application, 'onFinish', onFinish, result)
}

async function safely<T>(
  application: Application,
  name: string,
  callback: ((event: T) => void | Promise<void>) | undefined,
  event: T,
): Promise<void> {
  try {
    await callback?.(event)
  } catch (thrown) {
    warnIn(application, 'callback-failed', callbackFailed(name, thrown).message)
  }
}
