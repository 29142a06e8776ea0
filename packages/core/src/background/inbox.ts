import { addMessage, type Run } from '../loop/run.ts'
import { frameworkNote } from '../messages/framework-note.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * Adds to the conversation of a task's run what was said to it since the last time. How far it was read is in its state, and saved with it.
 */
export async function readInbox(storage: Storage, taskId: string, run: Run): Promise<void> {
  const { state } = run
  for (const { sequence, text } of await storage.tasks.messages({ taskId, after: state.inboxRead ?? 0 })) {
    addMessage(run, frameworkNote(`While you work, you are told: ${text}`, 'task-message'))
    state.inboxRead = sequence
  }
}

/** Whether something was said to it that it has not read. */
export async function isSpokenTo(storage: Storage, taskId: string, { state }: Run): Promise<boolean> {
  return (await storage.tasks.messages({ taskId, after: state.inboxRead ?? 0 })).length > 0
}
