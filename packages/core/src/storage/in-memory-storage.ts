import { ApprovalTable } from './approval-table.ts'
import { InMemoryApprovals } from './in-memory-approvals.ts'
import { InMemoryRuns } from './in-memory-runs.ts'
import { InMemoryTasks } from './in-memory-tasks.ts'
import { InMemoryThreads } from './in-memory-threads.ts'
import { InMemoryWorkingMemory } from './in-memory-working-memory.ts'
import type { Storage } from './storage.ts'
import { storageClosed } from './storage-errors.ts'
import { ThreadTable } from './thread-table.ts'

/** Storage in the memory of the process: as a file behaves, until the process ends. Values are copied in and out. */
export class InMemoryStorage implements Storage {
  readonly id: string
  readonly threads: InMemoryThreads
  readonly workingMemory: InMemoryWorkingMemory
  readonly runs: InMemoryRuns
  readonly approvals: InMemoryApprovals
  readonly tasks: InMemoryTasks
  #closed = false

  constructor({ id = 'memory' }: { id?: string } = {}) {
    this.id = id
    const assertOpen = (): void => {
      if (this.#closed) throw storageClosed(id)
    }
    const threads = new ThreadTable()
    this.workingMemory = new InMemoryWorkingMemory(assertOpen, (key) => threads.named(key))
    this.tasks = new InMemoryTasks(assertOpen)
    this.threads = new InMemoryThreads(assertOpen, threads, { workingMemory: this.workingMemory, tasks: this.tasks })
    const approvals = new ApprovalTable()
    this.runs = new InMemoryRuns(assertOpen, approvals, (prefix) => this.tasks.unshareAll(prefix))
    this.approvals = new InMemoryApprovals(assertOpen, approvals)
  }

  async close(): Promise<void> {
    this.#closed = true
  }
}
