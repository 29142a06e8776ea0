import { type Message, originOf } from '@retinue/core/memory'

/** Whether a person said something in a message, be it a file. */
export function isPersons(message: Message): boolean {
  return message.role === 'user' && originOf(message) === undefined
}
