import { optionInvalid } from '../errors/option-errors.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import type { MessageFilter } from '../loop/delegation-settings.ts'
import { estimatedTokens } from '../messages/estimated-tokens.ts'

/** A message filter that hands over the last `count` messages. Throws `option-invalid` for what is no whole number. */
export function lastMessages(count: number): MessageFilter {
  if (!Number.isInteger(count) || count < 0)
    throw boundless(`lastMessages(${String(count)})`, 'a whole number of 0 or more')
  return ({ messages }) => (count === 0 ? [] : messages.slice(-count))
}

/** A message filter that hands over as many of the last messages as fit in about `limit` tokens. Throws `option-invalid`. */
export function maxTokens(limit: number): MessageFilter {
  if (!(limit >= 0)) throw boundless(`maxTokens(${String(limit)})`, 'a number of 0 or more')
  return ({ messages }) => {
    let left = limit
    let from = messages.length
    while (from > 0) {
      left -= estimatedTokens(messages.slice(from - 1, from))
      if (left < 0) break
      from -= 1
    }
    return messages.slice(from)
  }
}

/** A bound that is no number must not hand over everything. */
function boundless(what: string, wanted: string): RetinueError {
  return optionInvalid(`${what} bounds nothing.`, `Pass ${wanted}.`)
}
