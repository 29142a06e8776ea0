/**
 * Asks something that heeds a signal, or does not: once the signal is aborted the answer is not waited for, and it rejects with the
 * signal's reason, also if an answer comes at that moment.
 */
export async function untilAborted<T>(signal: AbortSignal, asked: (signal: AbortSignal) => PromiseLike<T>): Promise<T> {
  signal.throwIfAborted()
  const over = Promise.withResolvers<never>()
  const end = (): void => over.reject(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  try {
    const answer = await Promise.race([asked(signal), over.promise])
    signal.throwIfAborted()
    return answer
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** The same, which also rejects when it takes longer than `milliseconds`, or when `outer` is aborted. */
export async function inTime<T>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  asked: (signal: AbortSignal) => PromiseLike<T>,
): Promise<T> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(tookTooLong(milliseconds)), milliseconds)
  try {
    return await untilAborted(outer ? AbortSignal.any([outer, limit.signal]) : limit.signal, asked)
  } finally {
    clearTimeout(timer)
  }
}

export function tookTooLong(milliseconds: number): Error {
  return new Error(`it took longer than ${milliseconds / 1000} s`)
}
