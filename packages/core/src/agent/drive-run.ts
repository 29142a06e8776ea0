import type { Run } from '../loop/run.ts'
import { runLoop } from '../loop/run-loop.ts'
import type { OpenedRoot } from './open-run.ts'
import { type RunResult, resultOf } from './run-result.ts'
import { RunStream } from './run-stream.ts'

/** Runs what was opened, and gives its stream at once. */
export function streamed(opened: OpenedRoot): RunStream {
  const { run, log } = opened
  if (!log) throw new TypeError('A stream needs a log.')
  const result = drive(opened).finally(() => log.close())
  return new RunStream(run, log, result)
}

/** Runs what was opened, and gives its result. Rejects if it ended with finish reason `error`. */
export async function generated(opened: OpenedRoot): Promise<RunResult> {
  const result = await drive(opened)
  if (result.finishReason === 'error') throw result.error
  return result
}

/** Runs what was opened to its end, and tells whoever wants to be told. */
export async function drive({ run, log, callbacks }: OpenedRoot): Promise<RunResult> {
  const { onChunk, onFinish, onError, onAbort } = callbacks
  const wanted = onChunk || onFinish || onError || onAbort
  const tell = wanted && (await import('./callbacks.ts'))
  const telling = tell && onChunk && tell.tellChunks(run, log, onChunk)
  // One that had ended when it was opened was graded then.
  const hasEnded = run.state.finishReason !== undefined
  await runLoop(run)
  run.close()
  if (run.scoring && !hasEnded) await gradeLater(run)
  const scores = run.root.scoring && (await import('./live-scorers.ts')).startScoring(run.root)
  const result = resultOf(run, scores)
  if (telling) await telling
  if (tell) await tell.tellEnd(run, callbacks, result)
  return result
}

/** Has the answer graded later, by what is loaded with the first run that has scorers. */
export async function gradeLater(run: Run): Promise<void> {
  const { scoreLater } = await import('./live-scorers.ts')
  scoreLater(run)
}
