import type { TaskManager } from '../background/task-manager.ts'
import { endOf } from '../background/task-outcome.ts'
import type { ErrorInfo } from '../errors/retinue-error.ts'
import type { Chunk } from '../events/chunk.ts'
import type { Application } from '../memory/application.ts'
import { AbortScope } from '../shared/abort.ts'
import { assertNever } from '../shared/assert-never.ts'
import type { StoredTask } from '../storage/tasks.ts'
import { directEffects } from './direct-effects.ts'
import { taskManagerIn } from './task-manager-in.ts'

/** How often a task is looked at that another process works on, in milliseconds. */
const LOOK_MS = 500

/** What happens in a task, from how it stands now to its end. */
export async function* watchTask(
  application: Application,
  taskId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Chunk> {
  const manager = await taskManagerIn(application)
  const scope = new AbortScope(signal)
  let told: string | undefined
  try {
    while (!scope.aborted) {
      const live = manager.live(taskId)
      const log = live?.log.watch()
      const change = nextChange(manager, taskId, scope)
      const task = await manager.site.storage.tasks.get(taskId)
      const standing = `${task.status} ${task.attempts}`
      // What a live task tells itself is not told twice.
      if (standing !== told) yield stateOf(task)
      told = standing
      if (task.endedAt !== undefined) return change.stop()
      if (live && log) {
        const release = scope.onAbort(() => log.close())
        for (let next = log.read(), item = await next.next(); !item.done; item = await next.next()) yield item.value
        release()
        live.log.leave(log)
        told = undefined
        change.stop()
        const ended = await manager.site.storage.tasks.get(taskId)
        told = `${ended.status} ${ended.attempts}`
        if (ended.endedAt !== undefined) return
      } else await change.happened
    }
  } finally {
    scope.dispose()
  }
}

/** The next sign of a task, or the time to look at it again. */
function nextChange(
  manager: TaskManager,
  taskId: string,
  scope: AbortScope,
): { readonly happened: Promise<void>; stop(): void } {
  const stops: (() => void)[] = []
  const stop = (): void => {
    for (const each of stops.splice(0)) each()
  }
  const happened = new Promise<void>((resolve) => {
    const end = (): void => {
      stop()
      resolve()
    }
    stops.push(manager.signals.subscribe((changed) => changed === taskId && end()))
    stops.push(scope.onAbort(end))
    stops.push(directEffects.startTimer(LOOK_MS, end, true))
  })
  return { happened, stop }
}

/** How a task stands, as the chunk that told of it. */
function stateOf(task: StoredTask): Chunk {
  const { taskId, toolCallId, toolName, parentRunId: runId, path, status, attempts: attempt } = task
  const reference = { taskId, toolCallId, toolName }
  const place = { runId, from: 'AGENT', path } as const
  switch (status) {
    case 'pending':
      return { ...place, type: 'background-task-started', payload: reference }
    case 'running':
      return { ...place, type: 'background-task-running', payload: { ...reference, attempt } }
    case 'suspended':
      return { ...place, type: 'background-task-suspended', payload: reference }
    case 'completed':
      return { ...place, type: 'background-task-completed', payload: { ...reference, result: resultOf(task) } }
    case 'failed': {
      const result = resultOf(task)
      const payload = { ...reference, error: errorOf(task), ...(result === undefined ? {} : { result }) }
      return { ...place, type: 'background-task-failed', payload }
    }
    case 'cancelled':
      return { ...place, type: 'background-task-cancelled', payload: { ...reference, reason: errorOf(task).message } }
    case 'timed-out':
      return { ...place, type: 'background-task-timed-out', payload: { ...reference, error: errorOf(task) } }
    default:
      return assertNever(status, 'task status')
  }
}

function resultOf(task: StoredTask): unknown {
  const { outcome } = endOf(task)
  return outcome.kind === 'result' ? outcome.result : undefined
}

function errorOf({ error, status }: StoredTask): ErrorInfo {
  return (error as ErrorInfo | undefined) ?? { code: 'task-failed', message: `The task ended as ${status}.` }
}
