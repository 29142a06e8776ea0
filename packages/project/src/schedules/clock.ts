/** What a runner asks of time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Resolves after some milliseconds, or at once when the signal aborts. It keeps the process alive only if `keepAlive` says so: what is
   * to come does not, what is at work does, for a promise alone keeps none.
   */
  wait(ms: number, signal: AbortSignal, options?: { readonly keepAlive?: boolean }): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait(ms, signal, { keepAlive = false } = {}) {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      if (!keepAlive) timer.unref()
      signal.addEventListener('abort', end)
    })
  },
}
