import type { Message } from '@retinue/core/memory'

/** Which part of the framework spoke in a message; undefined where it was a person or a model. */
export function originOf({ providerOptions }: Message): string | undefined {
  const origin = providerOptions?.['retinue']?.['origin']
  return typeof origin === 'string' ? origin : undefined
}

/** What a person or an agent said in a message; empty for tool calls, results and notes of the framework. */
export function spokenText(message: Message): string {
  if ((message.role !== 'user' && message.role !== 'assistant') || originOf(message) !== undefined) return ''
  return message.content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim()
}

/** Whether a person said something in a message, be it a file. */
export function isPersons(message: Message): boolean {
  return message.role === 'user' && originOf(message) === undefined
}
