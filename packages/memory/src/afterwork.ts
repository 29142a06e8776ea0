/** What is done when a run has ended, while nobody waits for it: titles, vectors. */
export class Afterwork {
  /** By thread. */
  readonly #jobs = new Map<string, Set<Promise<void>>>()

  /** Starts a job. `failed` is told of its failure: nobody else would hear of it. */
  start(threadId: string, job: () => Promise<void>, failed: (thrown: unknown) => void): void {
    const jobs = this.#jobs.get(threadId) ?? new Set()
    this.#jobs.set(threadId, jobs)
    const done = job()
      .catch(failed)
      .finally(() => {
        jobs.delete(done)
        if (jobs.size === 0) this.#jobs.delete(threadId)
      })
    jobs.add(done)
  }

  /** Waits until nothing is being done, for one thread or for all. */
  async settled(threadId?: string): Promise<void> {
    const jobs = (): Promise<void>[] =>
      threadId === undefined
        ? [...this.#jobs.values()].flatMap((each) => [...each])
        : [...(this.#jobs.get(threadId) ?? [])]
    for (let now = jobs(); now.length > 0; now = jobs()) await Promise.all(now)
  }
}
