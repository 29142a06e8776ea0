import type { Message } from '@retinue/core/memory'
import type { Processor } from '@retinue/core/processors'
import { assertKnown, optionInvalid } from '../options/option-errors.ts'
import { turnStarts } from './turn-starts.ts'

/** What `toolCallFilter` takes. */
export interface ToolCallFilterOptions {
  /** Names of the tools whose calls are left out. Default: those of all tools, delegations included. */
  exclude?: readonly string[]
}

/**
 * An input processor that leaves tool calls and their results out of earlier turns, and keeps what was said. Those of the turn in
 * progress stay: its model needs them. What it leaves out stays in the thread. Throws `option-invalid` or `option-unknown`.
 */
export function toolCallFilter(options: ToolCallFilterOptions = {}): Processor {
  assertKnown(options, ['exclude'], 'toolCallFilter.')
  const { exclude } = options
  if (exclude !== undefined && !(Array.isArray(exclude) && exclude.every((name) => typeof name === 'string')))
    throw optionInvalid('exclude', 'is no list of names', "toolCallFilter({ exclude: ['search'] })")
  const names = exclude && new Set(exclude)
  const isLeftOut = (toolName: string): boolean => names?.has(toolName) ?? true
  return {
    id: 'tool-call-filter',
    processInputStep: ({ messages }) => {
      const last = turnStarts(messages).at(-1) ?? 0
      const earlier = messages.slice(0, last).flatMap((message) => withoutCalls(message, isLeftOut))
      const isSame = earlier.length === last && earlier.every((message, index) => message === messages[index])
      return isSame ? undefined : [...earlier, ...messages.slice(last)]
    },
  }
}

/** A message without calls and results of some tools: itself if it has none of them, none if nothing is left of it. */
function withoutCalls(message: Message, isLeftOut: (toolName: string) => boolean): Message[] {
  if (message.role !== 'assistant' && message.role !== 'tool') return [message]
  const content = message.content.filter((part) => !('toolName' in part && isLeftOut(part.toolName)))
  if (content.length === message.content.length) return [message]
  // What a model thought before a call is of no use without it, and providers refuse it alone.
  const rest = content.filter((part) => part.type !== 'reasoning')
  return rest.length === 0 ? [] : [{ ...message, content: rest } as Message]
}
