import type { MessageFilter } from '../loop/delegation-settings.ts'
import type { Message } from '../messages/message.ts'

/** A message filter that hands over the last `count` messages. */
export function lastMessages(count: number): MessageFilter {
  return ({ messages }) => (count <= 0 ? [] : messages.slice(-count))
}

/** Characters that make a token, as a rule of thumb for text in most languages. */
const CHARACTERS_PER_TOKEN = 4

/** Tokens that a file is taken for: providers count images and documents in their own ways. */
const TOKENS_PER_FILE = 1000

/** A message filter that hands over as many of the last messages as fit in about `limit` tokens. */
export function maxTokens(limit: number): MessageFilter {
  return ({ messages }) => {
    let left = limit
    let from = messages.length
    while (from > 0) {
      left -= estimatedTokens(messages[from - 1] as Message)
      if (left < 0) break
      from -= 1
    }
    return messages.slice(from)
  }
}

function estimatedTokens(message: Message): number {
  if (typeof message.content === 'string') return message.content.length / CHARACTERS_PER_TOKEN
  let tokens = 0
  for (const part of message.content)
    tokens += part.type === 'text' ? part.text.length / CHARACTERS_PER_TOKEN : TOKENS_PER_FILE
  return tokens
}
