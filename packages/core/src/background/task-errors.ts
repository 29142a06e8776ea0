import { RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import { failed, type Outcome } from '../tools/outcome.ts'

/** Nobody can say any more what became of a task. */
export function taskBroken(taskId: string, thrown: unknown): RetinueError {
  return new RetinueError({
    code: 'task-failed',
    message: `The background task "${taskId}" broke off: ${withoutSecrets(thrownMessage(thrown))}`,
    hint: 'The cause of this error tells more.',
    cause: thrown,
  })
}

/** Nobody works on a task, and nobody can go on with it. */
export function taskLost(taskId: string, thrown: unknown): RetinueError {
  return new RetinueError({
    code: 'task-lost',
    message: `Nobody works on it any more, and it can't go on: ${withoutSecrets(thrownMessage(thrown))}`,
    hint: 'Begin it again, if it is still wanted.',
    data: { taskId },
    cause: thrown,
  })
}

export function notResumed(taskId: string, thrown: unknown): string {
  return `The background task "${taskId}" could not go on: ${withoutSecrets(thrownMessage(thrown))}`
}

/** What the model reads of a call that found no place. */
export function atLimit(toolName: string): Outcome {
  return failed(
    'task-limit',
    `As many background tasks run as may: "${toolName}" was not started.`,
    'Try again when one of them has ended, or go on without it.',
  )
}
