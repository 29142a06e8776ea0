import type { Message } from './message.ts'
import { repairOpenCalls, withCalls } from './repair.ts'

/**
 * What was kept of a conversation, as one that every provider takes: it begins with the person, every result stands after its call, and
 * a call that never got its result (the process died) gets one that says so. A message that was damaged beyond that is left out.
 */
export function recalledConversation(messages: readonly Message[]): Message[] {
  const first = messages.findIndex(({ role }) => role === 'user')
  return first < 0 ? [] : repairOpenCalls(withCalls(messages.slice(first), messages))
}
