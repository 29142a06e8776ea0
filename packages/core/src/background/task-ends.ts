import { isRetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import { emit } from '../loop/run.ts'
import { type Application, warnIn } from '../memory/application.ts'
import type { EndedTaskStatus } from '../storage/tasks.ts'
import { failed, type Outcome } from '../tools/outcome.ts'
import { callOf, type LiveTask, referenceTo } from './live-task.ts'
import { OPEN } from './open-states.ts'
import { taskBroken } from './task-errors.ts'
import type { TaskManager } from './task-manager.ts'
import { endedStatus, errorIn, packEnd } from './task-outcome.ts'

/** Writes down how a task ended, tells of it, and forgets its tree. Throws what the store fails with. */
export async function endTask(manager: TaskManager, task: LiveTask): Promise<void> {
  const { run } = task
  const failure = run.root.keeper?.failure
  // Somebody else works on it: how it ends is for him to say.
  if (isRetinueError(failure, 'run-lost')) return run.root.keeper?.end()
  if (failure) throw failure
  const outcome = callOf(task).outcome as Outcome
  await write(manager, task, endedStatus(outcome, run.abort), outcome)
  await run.root.keeper?.end()
  await manager.site.score(run.root)
}

/** The store failed, or the framework did: the task has failed, and is told as such where that can be written down. */
export async function breakTask(
  manager: TaskManager,
  application: Application,
  task: LiveTask,
  thrown: unknown,
): Promise<void> {
  const { taskId, run } = task
  const why = withoutSecrets(thrownMessage(thrown))
  warnIn(application, 'task-failed', `The background task "${taskId}" broke off: ${why}`)
  const error = isRetinueError(thrown) ? thrown : taskBroken(taskId, thrown)
  manager.leave(task)
  run.abort.abort(error)
  await write(manager, task, 'failed', failed(error.code, error.message)).catch(() => {})
  await run.root.keeper?.end()
}

async function write(manager: TaskManager, task: LiveTask, status: EndedTaskStatus, outcome: Outcome): Promise<void> {
  const { taskId, run } = task
  const error = errorIn(outcome, status)
  const change = { taskId, from: OPEN, to: status, at: Date.now() } as const
  const end = packEnd({ outcome, usage: run.state.totalUsage })
  const why = error && { error: { code: error.code, message: error.message } }
  // Who ended it before has said so.
  if (await manager.site.storage.tasks.change({ ...change, outcome: end, ...why })) tell(task, status, outcome)
}

function tell(task: LiveTask, status: EndedTaskStatus, outcome: Outcome): void {
  const reference = referenceTo(task)
  const error = errorIn(outcome, status) ?? { code: 'task-failed', message: `The task ended as ${status}.` }
  const result = outcome.kind === 'result' ? { result: outcome.result } : {}
  if (status === 'completed')
    emit(task.run, 'background-task-completed', { ...reference, result: undefined, ...result })
  else if (status === 'failed') emit(task.run, 'background-task-failed', { ...reference, error, ...result })
  else if (status === 'cancelled') emit(task.run, 'background-task-cancelled', { ...reference, reason: error.message })
  else emit(task.run, 'background-task-timed-out', { ...reference, error })
}
