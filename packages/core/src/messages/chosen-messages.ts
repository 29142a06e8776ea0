import { isObject } from '../shared/records.ts'
import { partsFromContent } from './from-parts.ts'
import type { Message } from './message.ts'
import { repairOpenCalls, withCalls } from './repair.ts'

/** A message as code that chooses messages returns it: one of those that it was given, or another in AI SDK form. */
export type InputMessageLike = Message | { role: 'user' | 'assistant' | 'tool'; content: unknown }

/**
 * A conversation that an application's code chose out of another one: the messages that it was given as they are, those that it made
 * in our form, and whatever a cut took off mended. Throws an error that says what is no message, or which order no provider takes.
 */
export function chosenMessages(chosen: readonly unknown[], given: readonly Message[]): Message[] {
  const known = new Set<unknown>(given)
  const converted = chosen.map((message, index) =>
    known.has(message) ? (message as Message) : ownMessage(message, index),
  )
  const conversation = repairOpenCalls(fromUser(withCalls(converted, given), given))
  const [first] = conversation
  const last = conversation.at(-1)
  if (!first || !last) throw new TypeError('it returned messages that hold nothing')
  if (first.role !== 'user') throw new TypeError('it returned messages that begin with an assistant message')
  if (last.role === 'assistant' && !last.content.some((part) => part.type === 'tool-call'))
    throw new TypeError('it returned messages that end with an assistant message, so that nothing is left to say')
  return conversation
}

/** A conversation that a provider takes begins with a user's message: after a cut, with the last one before it. */
function fromUser(messages: Message[], given: readonly Message[]): Message[] {
  const [first] = messages
  if (!first || first.role === 'user') return messages
  const before = given.slice(0, Math.max(given.indexOf(first), 0)).findLast(({ role }) => role === 'user')
  return before ? [before, ...messages] : messages
}

function ownMessage(message: unknown, index: number): Message {
  const { role, content } = isObject(message) ? message : {}
  if (role !== 'user' && role !== 'assistant' && role !== 'tool')
    throw new TypeError(`it returned a message ${index} that is no user, assistant or tool message`)
  return { role, content: partsFromContent(role, content, index) } as Message
}
