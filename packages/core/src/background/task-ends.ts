import { type ErrorInfo, errorInfo, isRetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import { emit } from '../loop/run.ts'
import { type Application, warnIn } from '../memory/application.ts'
import type { EndedTaskStatus } from '../storage/tasks.ts'
import { failed, type Outcome } from '../tools/outcome.ts'
import { callOf, type LiveTask, referenceTo } from './live-task.ts'
import { OPEN } from './open-states.ts'
import { notResumed, taskBroken } from './task-errors.ts'
import type { TaskManager } from './task-manager.ts'
import { endedStatus, errorIn, packEnd } from './task-outcome.ts'

/** Writes down how a task ended, tells of it, and forgets its tree. Throws what the store fails with. */
export async function endTask(manager: TaskManager, task: LiveTask): Promise<void> {
  const { run } = task
  const failure = run.root.keeper?.failure
  if (isRetinueError(failure, 'run-lost')) {
    await run.root.keeper?.end()
    return tellCancelled(manager, task)
  }
  if (failure) throw failure
  const outcome = callOf(task).outcome as Outcome
  await write(manager, task, endedStatus(outcome, run.abort), outcome)
  if (outcome.kind === 'result' && outcome.bail !== undefined) await manager.bail(task, outcome.bail)
  await run.root.keeper?.end()
  await manager.site.score(run.root)
}

/** Somebody else has it: how it ends is for him to say, unless he has called it off. */
async function tellCancelled({ site }: TaskManager, task: LiveTask): Promise<void> {
  const { status, error } = await site.storage.tasks.get(task.taskId)
  if (status !== 'cancelled') return
  const reason = error?.message ?? 'somebody cancelled it'
  emit(task.run, 'background-task-cancelled', { ...referenceTo(task), reason })
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
  const error = whyEnded(task, outcome, status)
  const change = { taskId, from: OPEN, to: status, at: Date.now() } as const
  const end = packEnd({ outcome, usage: run.state.totalUsage })
  const why = error && { error: { code: error.code, message: error.message } }
  // Who ended it before has said so.
  const write = () => manager.site.storage.tasks.change({ ...change, outcome: end, ...why })
  if (await persisting(task, write)) tell(task, status, outcome)
}

/** What ended a task by force is the reason, whatever its tool or its subagent made of that. */
function whyEnded({ run }: LiveTask, outcome: Outcome, status: EndedTaskStatus): ErrorInfo | undefined {
  const { reason } = run.abort.signal
  if (status === 'timed-out' && isRetinueError(reason, 'run-timed-out')) return errorInfo(reason)
  if (status !== 'cancelled') return errorIn(outcome, status)
  const message = typeof reason === 'string' ? reason : 'the run that began it was aborted'
  return { code: 'task-cancelled', message }
}

/** Between tries to write down how a task ended, in milliseconds: its work is worth more than a moment's trouble of the store. */
const AGAIN_MS = [0, 1_000, 5_000]

async function persisting<T>({ run }: LiveTask, write: () => Promise<T>): Promise<T> {
  for (const wait of AGAIN_MS) {
    try {
      return await write()
    } catch {
      await new Promise<void>((resolve) => {
        run.root.effects.startTimer(wait, resolve)
      })
    }
  }
  return write()
}

function tell(task: LiveTask, status: EndedTaskStatus, outcome: Outcome): void {
  const reference = referenceTo(task)
  const error = whyEnded(task, outcome, status) ?? { code: 'task-failed', message: `The task ended as ${status}.` }
  const result = outcome.kind === 'result' ? { result: outcome.result } : {}
  if (status === 'completed')
    emit(task.run, 'background-task-completed', { ...reference, result: undefined, ...result })
  else if (status === 'failed') emit(task.run, 'background-task-failed', { ...reference, error, ...result })
  else if (status === 'cancelled') emit(task.run, 'background-task-cancelled', { ...reference, reason: error.message })
  else emit(task.run, 'background-task-timed-out', { ...reference, error })
}

/** Whoever waits for a task stored, and not in this process, goes on. */
export async function wake(manager: TaskManager, taskId: string): Promise<void> {
  try {
    const stored = await manager.site.storage.tasks.get(taskId)
    // Who is told by a run that is at work hears of it there.
    if (stored.deliveredAt === undefined) await manager.site.wake(stored)
  } catch (thrown) {
    if (!isRetinueError(thrown, 'task-not-found')) manager.warn('run-not-resumed', notResumed(taskId, thrown))
  }
}
