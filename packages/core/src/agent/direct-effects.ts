import type { Effects, ModelStream } from '../loop/effects.ts'

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
