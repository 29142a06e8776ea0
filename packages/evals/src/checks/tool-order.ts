import { assertCheckOptions, type Check, type CheckOptions, createCheck, idOf, textsOf } from './create-check.ts'
import { firstOutOfOrder } from './in-order.ts'
import { toolCallsOf } from './run-data.ts'
import { quoted } from './words.ts'

/** Options of `toolOrder`. */
export interface ToolOrderOptions extends CheckOptions {
  /** Whether there may be no other calls, before, between or after. Default: false. */
  readonly exact?: boolean
}

/** The agent called these tools in this order; calls of one step count in the order in which the model asked for them. */
export function toolOrder(names: readonly string[], options: ToolOrderOptions = {}): Check {
  assertCheckOptions('toolOrder', options, ['exact'])
  const expected = textsOf('toolOrder', names)
  const id = idOf('tool-order', options, ...expected)
  return createCheck({
    id,
    description: `The tools were called in this order: ${quoted(expected)}.`,
    look(run) {
      const called = toolCallsOf(run, id).map(({ toolName }) => toolName)
      const missed = firstOutOfOrder(expected, called, (tool, name) => tool === name)
      const order = `in this order: ${quoted(expected)}`
      if (missed !== undefined)
        return { ok: false, reason: `The tools must be called ${order}. ${whatMissed(expected, missed)}` }
      if (options.exact && called.length > expected.length)
        return {
          ok: false,
          reason: `Only these tools may be called, ${order}. There were ${called.length - expected.length} calls more.`,
        }
      return { ok: true, reason: `The tools were called ${order}.` }
    },
  })
}

/** Which one was not where it should be. */
export function whatMissed(expected: readonly string[], index: number): string {
  const name = quoted(expected.slice(index, index + 1))
  return index === 0
    ? `${name} was missing.`
    : `${name} did not come after ${quoted(expected.slice(index - 1, index))}.`
}
