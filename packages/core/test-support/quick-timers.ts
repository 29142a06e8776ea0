import { onTestFinished, vi } from 'vitest'

/** Timers that a test decides about, in place of the clock. All others run as they are. */
export interface QuickTimers {
  /** The waits that were over at once, in order, in milliseconds. */
  readonly waits: readonly number[]
  /** Resolves when a timer that is held was set. */
  readonly held: Promise<void>
  /** Lets the timers of a duration run out that are waiting now. */
  expire(milliseconds: number): void
}

/**
 * Takes over `setTimeout` for certain durations: the waits between attempts are over at once, and `held` ones end when the test says so.
 * The clocks of the connections go on as ever.
 */
export function quickTimers({ atOnce = [], held = [] }: { atOnce?: number[]; held?: number[] }): QuickTimers {
  const first = Promise.withResolvers<void>()
  const real = globalThis.setTimeout
  const waits: number[] = []
  const waiting = new Map<object, { milliseconds: number; callback: () => void }>()
  const realClear = globalThis.clearTimeout
  const set = (callback: () => void, milliseconds = 0, ...rest: unknown[]): unknown => {
    if (atOnce.includes(milliseconds)) {
      waits.push(milliseconds)
      return real(callback, 0)
    }
    if (!held.includes(milliseconds)) return real(callback, milliseconds, ...(rest as []))
    const handle = {}
    waiting.set(handle, { milliseconds, callback })
    first.resolve()
    return handle
  }
  vi.stubGlobal('setTimeout', set)
  vi.stubGlobal('clearTimeout', (handle: object) => {
    if (!waiting.delete(handle)) realClear(handle as never)
  })
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  return {
    waits,
    held: first.promise,
    expire(milliseconds) {
      for (const [handle, timer] of waiting) {
        if (timer.milliseconds !== milliseconds) continue
        waiting.delete(handle)
        timer.callback()
      }
    },
  }
}
