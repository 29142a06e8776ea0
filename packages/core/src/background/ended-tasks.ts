import type { Storage } from '../storage/storage.ts'

/** How many tasks that have ended a process without a storage keeps the records of. */
const MOST_ENDED = 1_000

/**
 * The tasks that have ended, where the store is this process: what is kept there would fill it. The last so many stay, and what is yet to
 * be told.
 */
export class EndedTasks {
  readonly #storage: Storage
  /** The oldest first. */
  readonly #ended: string[] = []

  constructor(storage: Storage) {
    this.#storage = storage
  }

  async add(taskId: string): Promise<void> {
    this.#ended.push(taskId)
    const { tasks } = this.#storage
    for (let looked = 0; looked < 2 && this.#ended.length > MOST_ENDED; looked++) {
      const oldest = this.#ended.shift() as string
      const { tells, deliveredAt } = await tasks.get(oldest)
      if (tells === 'thread' && deliveredAt === undefined) this.#ended.push(oldest)
      else await tasks.remove(oldest)
    }
  }
}
