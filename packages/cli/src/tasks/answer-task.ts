import { isRetinueError } from '@retinue/core/errors'
import { decideIn } from '../approvals/decide.ts'
import { findRun } from '../approvals/find-run.ts'
import { forCommandLine } from '../approvals/hints.ts'
import { taskHasEnded } from './find-task.ts'
import { onTask, type TaskOptions } from './on-task.ts'

export interface AnswerTaskOptions extends TaskOptions {
  readonly data: unknown
  /** Which of its questions. Left out: the only one. */
  readonly toolCallId?: string | undefined
  readonly model?: string | undefined
}

/** Answers what a task asks, and shows what follows: of the run that waits for it, else of the task. Gives the exit code. */
export function answerTask(options: AnswerTaskOptions): Promise<number> {
  const { data, toolCallId } = options
  return onTask(options, async ({ task, agents }) => {
    const { taskId: runId } = task
    if (task.endedAt !== undefined) throw taskHasEnded(task)
    try {
      const verdict = { type: 'answer', data } as const
      return await decideIn(await findRun(agents, runId), { ...options, runId, toolCallId, verdict })
    } catch (error) {
      throw isRetinueError(error) ? forCommandLine(error, runId) : error
    }
  })
}
