import { RetinueError } from '@retinue/core/errors'
import { estimatedTokens } from '@retinue/core/memory'
import type { Processor } from '@retinue/core/processors'
import { turnStarts } from './turn-starts.ts'

/**
 * An input processor that leaves out the oldest turns of a conversation as long as a model call would be more than about `limit` tokens,
 * instructions included. What it leaves out stays in the thread. The last turn is never left out: where it alone is too long, the model
 * says so. Tokens are estimated, at four characters each. Throws `option-invalid` for what is no number above 0.
 */
export function tokenLimit(limit: number): Processor {
  if (!(limit > 0)) {
    throw new RetinueError({
      code: 'option-invalid',
      message: `tokenLimit(${String(limit)}) limits nothing.`,
      hint: 'Pass a number above 0.',
    })
  }
  return {
    id: 'token-limit',
    processInputStep: ({ messages, systemMessages }) => {
      // What stands before the first turn is left out first.
      const starts = new Set([0, ...turnStarts(messages)])
      let from = messages.length
      let left = limit - estimatedTokens(systemMessages)
      for (const start of [...starts].toReversed()) {
        left -= estimatedTokens(messages.slice(start, from))
        if (left < 0 && from < messages.length) break
        from = start
      }
      return from === 0 || from === messages.length ? undefined : messages.slice(from)
    },
  }
}
