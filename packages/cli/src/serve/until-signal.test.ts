import { expect, onTestFinished, test, vi } from 'vitest'
import { untilSignal } from './until-signal.ts'

/** What is asked of a process that waits, one signal after the other: the code that it ends with, and what it did at once. */
async function asked(...signals: readonly ('SIGINT' | 'SIGTERM')[]): Promise<unknown[]> {
  const told: unknown[] = []
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]))
  onTestFinished(() => {
    for (const [signal, listeners] of before)
      for (const listener of process.listeners(signal))
        if (!listeners.includes(listener)) process.removeListener(signal, listener)
  })
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    told.push(`exit ${code}`)
    return undefined as never
  })
  const code = untilSignal(() => told.push('at once'))
  for (const signal of signals) process.listeners(signal).at(-1)?.(signal)
  return [await code, ...told]
}

test('exit codes: 130 for an interruption, 0 for a stop; asked again, it ends at once, with all that it started', async () => {
  expect(await asked('SIGINT')).toEqual([130])
  expect(await asked('SIGTERM')).toEqual([0])
  expect(await asked('SIGINT', 'SIGINT')).toEqual([130, 'at once', 'exit 130'])
  expect(await asked('SIGTERM', 'SIGTERM')).toEqual([0, 'at once', 'exit 1'])
  expect(await asked('SIGTERM', 'SIGINT')).toEqual([0, 'at once', 'exit 130'])
})
