/**
 * Tells those who wait that something about tasks has changed. A signal is a hint and no more: what is so stands in the store, so one that
 * comes twice, late or out of order does no harm, and one that is lost costs time.
 */
export interface TaskSignals {
  publish(taskId: string): void
  /** The returned function ends it. */
  subscribe(listener: (taskId: string) => void): () => void
}

/** Signals within a process. */
export class LocalSignals implements TaskSignals {
  readonly #listeners = new Set<(taskId: string) => void>()

  publish(taskId: string): void {
    for (const listener of [...this.#listeners]) listener(taskId)
  }

  subscribe(listener: (taskId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
