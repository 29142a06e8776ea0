import { type Message, messageText } from './message.ts'

/** Which part of the framework spoke in a message; undefined where it was a person or a model. */
export function originOf({ providerOptions }: Message): string | undefined {
  const origin = providerOptions?.['retinue']?.['origin']
  return typeof origin === 'string' ? origin : undefined
}

/** What a person or an agent said in a message; empty for tool calls, results and notes of the framework. */
export function spokenText(message: Message): string {
  const isSpoken = message.role === 'user' || message.role === 'assistant'
  return isSpoken && originOf(message) === undefined ? messageText(message).trim() : ''
}
