import { isAtWork, type LiveTask } from './live-task.ts'
import { type SlotLimits, Slots } from './slots.ts'

/** How often it is looked whether something in a task still works beside what waits, in milliseconds. */
const LOOK_MS = 100

/** The places of tasks: who works has one, and who waits has none. */
export class TaskPlaces {
  readonly #slots: Slots

  constructor(limits: SlotLimits) {
    this.#slots = new Slots(limits)
  }

  tryTake(worker: string): (() => void) | undefined {
    return this.#slots.tryTake(worker)
  }

  /** Waits for a place; false if the task was called off meanwhile. */
  async enter(task: LiveTask): Promise<boolean> {
    if (task.release) return true
    // Several runs of it may go on at once: they share the one place.
    task.entering ??= this.#slots
      .take(task.terms.worker, (callback) => task.run.abort.onAbort(callback))
      .then((release) => {
        task.release = release
        task.entering = undefined
      })
    await task.entering
    return task.release !== undefined
  }
}

/** Gives the place of a task back as soon as all that is begun in it waits for tasks; the returned function stops looking. */
export function leaveWhenIdle(task: LiveTask): () => void {
  let stop = (): void => {}
  const look = (): void => {
    if (!task.release) return
    if (isAtWork(task.run, task.idle)) stop = task.run.root.effects.startTimer(LOOK_MS, look)
    else leave(task)
  }
  look()
  return () => stop()
}

export function leave(task: LiveTask): void {
  task.release?.()
  task.release = undefined
}
