import { RetinueError } from '../errors/retinue-error.ts'

/** Two reasons, one answer: whether somebody else has a thread of that id is not for everybody to know. */
export function threadNotFound(threadId: string): RetinueError {
  return new RetinueError({
    code: 'thread-not-found',
    message: `The resource has no thread '${threadId}'.`,
    hint: 'Check the id of the thread and that of the resource: a thread is found only by the resource that owns it.',
    data: { threadId },
  })
}

export function threadExists(threadId: string): RetinueError {
  return new RetinueError({
    code: 'thread-exists',
    message: `There is a thread '${threadId}' already.`,
    hint: 'Choose another id, or use the thread that is there.',
    data: { threadId },
  })
}

export function messageNotFound(threadId: string, messageId: string): RetinueError {
  return new RetinueError({
    code: 'message-not-found',
    message: `The thread '${threadId}' has no message '${messageId}'.`,
    data: { threadId, messageId },
  })
}

export function runNotFound(runId: string): RetinueError {
  return new RetinueError({
    code: 'run-not-found',
    message: `There is no run '${runId}' in the storage.`,
    hint: 'Check the id of the run. One that has ended, or was cancelled, is not kept for ever.',
    data: { runId },
  })
}

export function runExists(runId: string): RetinueError {
  return new RetinueError({
    code: 'run-exists',
    message: `There is a run '${runId}' already; nothing was written.`,
    hint: 'Choose another id for the new run, or go on with the one that is there.',
    data: { runId },
  })
}

export function taskNotFound(taskId: string): RetinueError {
  return new RetinueError({
    code: 'task-not-found',
    message: `There is no background task '${taskId}' in the storage.`,
    hint: 'Check the id of the task. One whose end was told is not kept for ever.',
    data: { taskId },
  })
}

/** To write a task that is there already. */
export function taskConflict(taskId: string): RetinueError {
  return new RetinueError({
    code: 'storage-conflict',
    message: `There is a background task '${taskId}' already; nothing was written.`,
    hint: 'Choose another id for the new task, or read the one that is there.',
    data: { taskId },
  })
}

export function taskEnded(taskId: string): RetinueError {
  return new RetinueError({
    code: 'task-ended',
    message: `The background task '${taskId}' has ended; nothing was written.`,
    hint: 'Read what came of it, or delegate again.',
    data: { taskId },
  })
}

export function storageConflict(expectedVersion: number): RetinueError {
  return new RetinueError({
    code: 'storage-conflict',
    message: `Somebody else has changed version ${expectedVersion}, or what was to change with it, since it was read; nothing was written.`,
    hint: 'Read again, decide again, and write with the version that you have read.',
    data: { expectedVersion },
  })
}

export function storageClosed(id: string): RetinueError {
  return new RetinueError({
    code: 'storage-closed',
    message: `The storage '${id}' was closed.`,
    hint: 'Close a storage only when all runs that use it have ended.',
    data: { id },
  })
}

export function rowUnreadable(id: string, reason: string): RetinueError {
  return new RetinueError({
    code: 'storage-row-unreadable',
    message: `The stored row '${id}' can't be read: ${reason}.`,
    hint: 'Something outside changed or damaged it. Restore it from a backup, or delete what it belongs to.',
    data: { id, reason },
  })
}

/** A value that would not come back as it was written. `place` is the way to it, as in code: `messages[0].message.content`. */
export function valueRefused(place: string, reason: string, data: Record<string, unknown> = {}): RetinueError {
  return new RetinueError({
    code: 'storage-value-refused',
    message: `${place} can't be stored: ${reason}. Nothing was written.`,
    hint: 'Store plain JSON values; keep large data elsewhere, and a link to it here.',
    data: { place, reason, ...data },
  })
}
