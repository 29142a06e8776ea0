import type { Effects, ModelStream } from '../loop/effects.ts'

/** What clocks can count, in milliseconds; they take more for no time at all. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1

/** Effects that happen here and now: no engine, no record, no cost. */
export const directEffects: Effects = {
  callModel: (model, options) => (model.doStream as (options: object) => PromiseLike<ModelStream>).call(model, options),
  runTool: async (body) => body(),
  now: () => Date.now(),
  startTimer: (milliseconds, callback, background = false) => {
    const timer: unknown = setTimeout(callback, milliseconds)
    if (background) (timer as { unref?: () => void }).unref?.()
    return () => clearTimeout(timer as Parameters<typeof clearTimeout>[0])
  },
  newId: () => globalThis.crypto.randomUUID(),
}
