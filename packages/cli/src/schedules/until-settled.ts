/** What asks a process to end: a person, a system, a terminal that was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Waits for some work; the first signal that asks the process to end aborts it, and a second one ends the process as ever. */
export async function untilSettled<T>(
  work: Promise<T>,
  abort: () => Promise<void>,
): Promise<{ readonly value: T; readonly signal: NodeJS.Signals | undefined }> {
  let signal: NodeJS.Signals | undefined
  const stopListening = (): void => {
    for (const each of SIGNALS) process.removeListener(each, asked)
  }
  const asked = (by: NodeJS.Signals): void => {
    signal = by
    stopListening()
    void abort()
  }
  for (const each of SIGNALS) process.on(each, asked)
  try {
    return { value: await work, signal }
  } finally {
    stopListening()
  }
}
