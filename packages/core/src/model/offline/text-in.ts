import type { LanguageModelV4Message } from '@ai-sdk/provider'

/** What a message says: its texts, a line each. */
export function textIn(message: LanguageModelV4Message): string {
  if (message.role === 'system') return message.content
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
