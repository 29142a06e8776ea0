/** Stands in for `setTimeout` while a run is tried: no time passes, and what was not taken back is counted. */
export interface CountedTimers {
  /** Timers that wait now. */
  readonly open: number
  /** Gives the real ones back. */
  restore(): void
}

/** Waits of less than `limitMs` (those for the next attempt) are over at once; longer ones are limits, and never run out. */
export function countedTimers(limitMs: number): CountedTimers {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
  const open = new Set<object>()
  const set = (callback: () => void, milliseconds = 0): object => {
    const timer = {}
    open.add(timer)
    if (milliseconds < limitMs) {
      setImmediate(() => {
        if (open.delete(timer)) callback()
      })
    }
    return timer
  }
  globalThis.setTimeout = set as unknown as typeof setTimeout
  globalThis.clearTimeout = ((timer: object) => {
    if (!open.delete(timer)) real.clearTimeout(timer as never)
  }) as typeof clearTimeout
  return {
    get open() {
      return open.size
    },
    restore: () => {
      Object.assign(globalThis, real)
    },
  }
}
