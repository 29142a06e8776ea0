import { tookTooLong, untilAborted } from './in-time.ts'

/**
 * How long a job may go without an answer, in milliseconds, as a scorer may: nobody waits for it, but the process does.
 */
const TIMEOUT_MS = 60_000

export type JobKind = 'title' | 'vectors'

type Work = (job: Job) => Promise<void>

/** What is done when runs have ended, while nobody waits for it: titles, vectors. */
export class Afterwork {
  readonly #jobs = new Set<Job>()

  /** That of one thread. Other storages may have a thread of the same id. */
  of(storage: object, threadId: string): ThreadAfterwork {
    return new ThreadAfterwork(this.#jobs, storage, threadId)
  }

  /** Waits until nothing is being done. */
  async settled(): Promise<void> {
    while (this.#jobs.size > 0) await Promise.all([...this.#jobs].map(({ done }) => done))
  }
}

/** What is done for one thread. */
export class ThreadAfterwork {
  readonly #jobs: Set<Job>
  readonly #storage: object
  readonly #threadId: string

  constructor(jobs: Set<Job>, storage: object, threadId: string) {
    this.#jobs = jobs
    this.#storage = storage
    this.#threadId = threadId
  }

  /** Starts a job. `failed` is told of its failure, also that it took too long: nobody else would hear of it. */
  start(kind: JobKind, work: Work, failed: (thrown: unknown) => void): void {
    const job = new Job({ storage: this.#storage, threadId: this.#threadId, kind })
    this.#jobs.add(job)
    job.run(work, failed, () => this.#jobs.delete(job))
  }

  isPending(kind: JobKind): boolean {
    return this.#own().some(({ place }) => place.kind === kind)
  }

  /** Has nothing more done, or nothing of a kind, and waits for what is being written. */
  async abandon(kind?: JobKind): Promise<void> {
    const left = () => this.#own().filter(({ place }) => kind === undefined || place.kind === kind)
    for (let jobs = left(); jobs.length > 0; jobs = left()) {
      for (const job of jobs) job.abandon()
      await Promise.all(jobs.map(({ done }) => done))
    }
  }

  #own(): Job[] {
    return [...this.#jobs].filter(({ place }) => place.storage === this.#storage && place.threadId === this.#threadId)
  }
}

/** One job, while it is done. */
export class Job {
  readonly place: { readonly storage: object; readonly threadId: string; readonly kind: JobKind }
  done: Promise<void> = Promise.resolve()
  readonly #abort = new AbortController()
  readonly #late = Promise.withResolvers<never>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #abandoned = false

  constructor(place: Job['place']) {
    this.place = place
  }

  get aborted(): boolean {
    return this.#abort.signal.aborted
  }

  /**
   * Asks something that writes nothing. Once the job is to end, the answer is not waited for, whether or not who was asked heeds the
   * signal: it rejects, and so what would have been written is not.
   */
  async ask<T>(asked: (signal: AbortSignal) => PromiseLike<T>): Promise<T> {
    const answer = await untilAborted(this.#abort.signal, asked)
    this.#restartClock()
    return answer
  }

  /** Called once, by who starts it. */
  run(work: Work, failed: (thrown: unknown) => void, ended: () => void): void {
    this.#restartClock()
    this.done = Promise.race([work(this), this.#late.promise])
      .catch((thrown: unknown) => {
        if (!this.#abandoned) failed(thrown)
      })
      .finally(() => {
        clearTimeout(this.#timer)
        ended()
      })
  }

  /** It is of no use any more: that it ends is no failure. What it is writing still has its time. */
  abandon(): void {
    this.#abandoned = true
    this.#abort.abort()
  }

  #restartClock(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const tooLong = tookTooLong(TIMEOUT_MS)
      this.#abort.abort(tooLong)
      this.#late.reject(tooLong)
    }, TIMEOUT_MS)
  }
}
