import type { Message } from '@retinue/core/memory'
import { isPersons } from '../spoken.ts'

/** Where the turns of a conversation begin: with what a person said, several messages in a row being one. */
export function turnStarts(messages: readonly Message[]): readonly number[] {
  return messages.flatMap((message, index) => {
    const before = messages[index - 1]
    return isPersons(message) && !(before && isPersons(before)) ? [index] : []
  })
}
