/** Runs that are at work, whether or not who began them waits for them. */
export class OpenRuns {
  readonly #open = new Map<symbol, Promise<unknown>>()
  #isOver = false

  /**
   * Begins one. What it rejects with is for who began it to see to, as long as nobody asks for the rest. Once all the rest has ended it
   * rejects with what `late` makes.
   */
  begin<T>(work: () => Promise<T>, late: () => Error): Promise<T> {
    if (this.#isOver) return Promise.reject(late())
    const key = Symbol('run')
    const running = this.#begun(key, work)
    this.#open.set(key, running)
    return running
  }

  /** Waits for all that are still at work, also for those that they begin; and gives what they rejected with. None begins after that. */
  async rest(): Promise<readonly unknown[]> {
    const errors: unknown[] = []
    while (this.#open.size > 0) {
      for (const one of await Promise.allSettled(this.#open.values()))
        if (one.status === 'rejected') errors.push(one.reason)
    }
    this.#isOver = true
    return errors
  }

  async #begun<T>(key: symbol, work: () => Promise<T>): Promise<T> {
    // It is in the map before it can end.
    await Promise.resolve()
    try {
      return await work()
    } finally {
      this.#open.delete(key)
    }
  }
}
