import {
  assertCheckOptions,
  assertCount,
  assertName,
  type Check,
  type CheckOptions,
  createCheck,
  idOf,
  optionInvalid,
} from './create-check.ts'
import { toolCallsOf } from './run-data.ts'
import { quoted } from './words.ts'

/** Options of `maxToolCalls`. */
export interface MaxToolCallsOptions extends CheckOptions {
  /** Counts the calls of this tool alone. Default: all calls, delegations too. */
  readonly tool?: string
}

/** The agent made at most so many tool calls itself. */
export function maxToolCalls(limit: number, options: MaxToolCallsOptions = {}): Check {
  assertCheckOptions('maxToolCalls', options, ['tool'])
  if (limit === undefined) throw optionInvalid('maxToolCalls', 'needs a limit')
  assertCount('maxToolCalls', 'its limit', limit)
  const { tool } = options
  if (tool !== undefined) assertName('maxToolCalls', tool)
  const of = tool === undefined ? '' : ` of ${quoted([tool])}`
  const id = idOf('max-tool-calls', options, String(limit), ...(tool === undefined ? [] : [tool]))
  return createCheck({
    id,
    description: `There were at most ${limit} tool calls${of}.`,
    look(run) {
      const calls = toolCallsOf(run, id).filter(({ toolName }) => tool === undefined || toolName === tool).length
      const made = `${calls} tool ${calls === 1 ? 'call' : 'calls'}${of}`
      return calls <= limit
        ? { ok: true, reason: `There were ${made}, within the limit of ${limit}.` }
        : { ok: false, reason: `There were ${made}, and there may be at most ${limit}.` }
    },
  })
}
