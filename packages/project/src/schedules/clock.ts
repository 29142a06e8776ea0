/** What a runner asks of time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after some milliseconds, or at once when the signal aborts. It keeps no process alive. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait(ms, signal) {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      timer.unref()
      signal.addEventListener('abort', end)
    })
  },
}
