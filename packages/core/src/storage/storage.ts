import type { ApprovalStorage } from './approvals.ts'
import type { RunStorage } from './runs.ts'
import type { TaskStorage } from './tasks.ts'
import type { ThreadStorage } from './threads.ts'
import type { WorkingMemoryStorage } from './working-memory.ts'

/**
 * The port to what lasts, by domain: each holds one kind of record, and new kinds become new domains. An implementation opens what it
 * needs at the first call, so making one costs nothing, and fails only for options that make no store.
 *
 * Times are whole milliseconds since 1970 and come from the caller: a store reads no clock. Whatever fails does so with a
 * `RetinueError` (`storage-…`, `thread-…`, `run-…`, `task-…`, `message-not-found`; `option-invalid` for limits and cursors), and leaves
 * nothing half written.
 */
export interface Storage {
  readonly id: string
  /** Threads and the messages in them. */
  readonly threads: ThreadStorage
  /** What agents noted of a person or a conversation. */
  readonly workingMemory: WorkingMemoryStorage
  /** Runs that wait for a person, or must survive a crash. */
  readonly runs: RunStorage
  /** Who was asked what, and decided how. */
  readonly approvals: ApprovalStorage
  /** What runs in the background, and who was told of it. */
  readonly tasks: TaskStorage
  /** Waits for what was begun and frees what is held. Calls that come later fail with `storage-closed`; to close twice is harmless. */
  close(): Promise<void>
}
