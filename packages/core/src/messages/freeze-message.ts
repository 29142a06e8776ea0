import type { Message } from './message.ts'

/** Freezes a message down to what its parts hold: hooks are shown the conversation, and must not rewrite it. */
export function freezeMessage(message: Message): void {
  if (Object.isFrozen(message)) return
  if (typeof message.content !== 'string') {
    for (const part of message.content) {
      if (part.type === 'file') Object.freeze(part.data)
      else if (part.type === 'tool-result') Object.freeze(part.output)
      Object.freeze(part)
    }
    Object.freeze(message.content)
  }
  Object.freeze(message)
}
