import type { Storage } from '@retinue/core/storage'
import { Database } from './database/database.ts'
import type { DatabaseOptions } from './database/database-options.ts'
import { LibSQLApprovals } from './runs/libsql-approvals.ts'
import { LibSQLRuns } from './runs/libsql-runs.ts'
import { migrate } from './schema/migrate.ts'
import { LibSQLTasks } from './tasks/libsql-tasks.ts'
import { LibSQLThreads } from './threads/libsql-threads.ts'
import { LibSQLWorkingMemory } from './working-memory/libsql-working-memory.ts'

/**
 * Storage in a LibSQL database: a file (`url: 'file:.retinue/data/app.db'`) needs nothing to be started. Any number of processes may
 * use one file at once. A call that resolves has its writes on the disk. Beside the errors of the port, calls fail with
 * `storage-locked`, `-read-only`, `-full`, `-corrupt`, `-not-a-database`, `-newer-version`, `-cannot-open` or `-failed`.
 */
export class LibSQLStore implements Storage {
  readonly id: string
  readonly threads: LibSQLThreads
  readonly workingMemory: LibSQLWorkingMemory
  readonly runs: LibSQLRuns
  readonly approvals: LibSQLApprovals
  readonly tasks: LibSQLTasks
  readonly #database: Database

  /** Throws `option-invalid` or `option-unknown` for options that make no store. */
  constructor(options: DatabaseOptions) {
    this.#database = new Database(options, migrate)
    this.id = options.id
    this.threads = new LibSQLThreads(this.#database)
    this.workingMemory = new LibSQLWorkingMemory(this.#database)
    this.runs = new LibSQLRuns(this.#database)
    this.approvals = new LibSQLApprovals(this.#database)
    this.tasks = new LibSQLTasks(this.#database)
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}
