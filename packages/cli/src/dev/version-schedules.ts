import type { ScheduleRunner } from '@retinue/project/runtime'

/** A run may take as long as it takes to end on its version; a timer can't be longer. */
export const FOREVER_MS = 2_147_483_647

/**
 * The schedules of one version. It rests while a newer version is tried, and may run them again; what it began before that ends all the
 * same, and is waited for at the end.
 */
export class VersionSchedules {
  readonly #create: () => ScheduleRunner
  readonly #before: ScheduleRunner[] = []
  #current: ScheduleRunner

  /** Throws what creating a runner throws. */
  constructor(create: () => ScheduleRunner) {
    this.#create = create
    this.#current = create()
  }

  /** Knows how the schedules stand, and fires them by hand. */
  get current(): ScheduleRunner {
    return this.#current
  }

  /** Begins nothing any more; what runs goes on. */
  rest(): void {
    void this.#current.stop(FOREVER_MS)
  }

  /** Runs them again. */
  async resume(): Promise<void> {
    this.#before.push(this.#current)
    this.#current = this.#create()
    await this.#current.start()
  }

  /** Begins nothing any more, and waits for all that this version began; see `ScheduleRunner.stop`. */
  async stop(graceMs: number): Promise<void> {
    await Promise.all([...this.#before, this.#current].map((runner) => runner.stop(graceMs)))
  }
}
