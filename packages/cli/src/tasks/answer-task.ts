import { isRetinueError } from '@retinue/core/errors'
import { decideIn } from '../approvals/decide.ts'
import { findRun } from '../approvals/find-run.ts'
import { forCommandLine } from '../approvals/hints.ts'
import { taskHasEnded } from './find-task.ts'
import type { FoundTask, TasksOptions } from './found-task.ts'

export interface AnswerTaskOptions extends TasksOptions {
  readonly data: unknown
  /** Which of its questions. Left out: the only one. */
  readonly toolCallId?: string | undefined
  readonly model?: string | undefined
}

/**
 * Answers what a task asks, and shows what follows: of the run that waits for it, else of the task. Gives the exit code; rejects with what
 * keeps it from being answered.
 */
export async function answerTask({ task, agents }: FoundTask, options: AnswerTaskOptions): Promise<number> {
  const { taskId: runId } = task
  if (task.endedAt !== undefined) throw taskHasEnded(task)
  try {
    const verdict = { type: 'answer', data: options.data } as const
    return await decideIn(await findRun(agents, runId), { ...options, runId, verdict })
  } catch (error) {
    throw isRetinueError(error) ? forCommandLine(error, runId) : error
  }
}
