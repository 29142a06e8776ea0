import { callOf, type LiveTask } from '../background/live-task.ts'
import { RetinueError } from '../errors/retinue-error.ts'
import { isEnvelope } from '../events/envelope.ts'
import type { EventLog } from '../events/event-log.ts'
import { pendingCalls } from './pending-calls.ts'
import { type RunResult, resultOf } from './run-result.ts'
import { RunStream } from './run-stream.ts'

/** What follows in a background task, as a stream: to its end, or until it waits again. */
export function taskStream(task: LiveTask): RunStream {
  const log: EventLog = task.log.watch()
  const result = task.left.then(() => {
    log.close()
    return taskResult(task)
  })
  return new RunStream(task.run, log, result)
}

/** What came of a task, as a run gives it. */
function taskResult(task: LiveTask): RunResult {
  const { run } = task
  const { outcome } = callOf(task)
  const whole = resultOf(run)
  if (!outcome) return { ...whole, finishReason: 'suspended', pendingCalls: pendingCalls(run) }
  if (outcome.kind === 'error') {
    const finishReason = run.abort.aborted ? 'aborted' : 'error'
    return { ...whole, finishReason, error: new RetinueError(outcome.error) }
  }
  if (!isEnvelope(outcome.result)) return { ...whole, finishReason: 'stop' }
  const { text, object, finishReason, usage, totalUsage, sources, files, error } = outcome.result
  return {
    ...whole,
    ...{ text, object, finishReason, usage, totalUsage, sources, files },
    error: error && new RetinueError(error),
  }
}
