import type { Message } from './message.ts'

/** Characters that make a token, as a rule of thumb for text in most languages. */
const CHARACTERS_PER_TOKEN = 4

/** Tokens that a file is taken for: providers count images and documents in their own ways. */
const TOKENS_PER_FILE = 1000

/** About how many tokens messages are: what no provider has counted can only be estimated. */
export function estimatedTokens(messages: readonly Message[]): number {
  let tokens = 0
  for (const { content } of messages) {
    if (typeof content === 'string') tokens += tokensOfText(content)
    else for (const part of content) tokens += tokensOfPart(part)
  }
  return tokens
}

export function tokensOfText(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

function tokensOfPart(part: Exclude<Message['content'], string>[number]): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return tokensOfText(part.text)
    case 'tool-call':
      return tokensOfText(part.toolName + JSON.stringify(part.input))
    case 'tool-result':
      return tokensOfText(part.toolName + JSON.stringify(part.output))
    default:
      return TOKENS_PER_FILE
  }
}
