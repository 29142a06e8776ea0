/** Stands in for `Date.now` and `setTimeout`: time passes when a test says so. */
export interface VirtualClock {
  now(): number
  /** Lets time pass, and the timers run out that are due by then, one after the other. */
  advance(milliseconds: number): void
  /** Gives the real ones back. */
  restore(): void
}

/** From here on a timer waits for `advance`; a shorter one only says that somebody looks again, and is over at once. */
const HELD_MS = 1000

export function virtualClock(start = 1_000_000): VirtualClock {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, now: Date.now }
  const timers = new Map<object, { readonly due: number; readonly callback: () => void }>()
  let now = start
  const set = (callback: () => void, milliseconds = 0): object => {
    const timer = {}
    timers.set(timer, { due: now + milliseconds, callback })
    if (milliseconds < HELD_MS)
      setImmediate(() => {
        if (timers.delete(timer)) callback()
      })
    return timer
  }
  globalThis.setTimeout = set as unknown as typeof setTimeout
  globalThis.clearTimeout = ((timer: object) => {
    if (!timers.delete(timer)) real.clearTimeout(timer as never)
  }) as typeof clearTimeout
  Date.now = () => now
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds
      const due = [...timers].filter(([, timer]) => timer.due <= now)
      for (const [timer, { callback }] of due.toSorted(([, one], [, other]) => one.due - other.due))
        if (timers.delete(timer)) callback()
    },
    restore: () => {
      globalThis.setTimeout = real.setTimeout
      globalThis.clearTimeout = real.clearTimeout
      Date.now = real.now
    },
  }
}
