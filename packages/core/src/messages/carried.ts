import { type Message, messageText } from './message.ts'

/**
 * Which messages of a conversation are still those of `own`, after code that is not ours made another one of it: they are there, or
 * others stand in their place. Those that it added are nobody's.
 */
export function carried(
  before: readonly Message[],
  after: readonly Message[],
  own: ReadonlySet<Message>,
): ReadonlySet<Message> {
  const left = after.filter((message) => !before.includes(message))
  const gone = before.filter((message) => !after.includes(message))
  const still = new Set(after.filter((message) => own.has(message)))
  const pair = (message: Message, heir: Message | undefined): void => {
    if (!heir) return
    left.splice(left.indexOf(heir), 1)
    gone.splice(gone.indexOf(message), 1)
    if (own.has(message)) still.add(heir)
  }
  // Who says the same comes first, so that nothing else is taken for it; the run's own are the last of the conversation.
  for (const message of gone.toReversed()) pair(message, sayingTheSame(message, left))
  for (const message of gone.toReversed()) pair(message, sayingMostOfIt(message, left))
  for (const message of gone.slice()) pair(message, nextInPlace(message, left, gone.length))
  return still
}

function sayingTheSame({ content }: Message, left: readonly Message[]): Message | undefined {
  const said = JSON.stringify(content)
  return left.findLast((other) => JSON.stringify(other.content) === said)
}

/** One that has most of its words from the message: what was said, with some of it hidden. */
function sayingMostOfIt(message: Message, left: readonly Message[]): Message | undefined {
  const said = wordsOf(message)
  return left.findLast((other) => {
    const words = [...wordsOf(other)]
    const shared = words.filter((word) => said.has(word)).length
    return other.role === message.role && shared > 0 && shared * 2 >= words.length
  })
}

/** The next, where each has one; else the next of its role. */
function nextInPlace(message: Message, left: readonly Message[], gone: number): Message | undefined {
  return left.length === gone ? left[0] : left.find(({ role }) => role === message.role)
}

function wordsOf(message: Message): ReadonlySet<string> {
  return new Set(messageText(message).match(/[\p{L}\p{N}]+/gu))
}
