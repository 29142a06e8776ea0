import type { RememberedMessage } from '@retinue/core/memory'
import { isClientsCall, type Recipient } from '../work/client-messages.ts'

type Thread = NonNullable<Recipient['thread']>

/** What a thread has after a message of the person. */
export interface ThreadTurn {
  /** What the run said that answers it. */
  readonly answer: readonly RememberedMessage[]
  /** Whether the person said something else since. */
  readonly hasLater: boolean
}

export function isPersons({ role, origin }: RememberedMessage): boolean {
  return role === 'user' && origin === undefined
}

/** Reads what a thread has after a message of the person. */
export async function turnAfter(
  { memory, threadId, resourceId }: Thread,
  { runId, sequence }: RememberedMessage,
): Promise<ThreadTurn> {
  const answer: RememberedMessage[] = []
  let hasLater = false
  let after = sequence
  for (;;) {
    const { messages, hasMore } = await memory.recall({ threadId, resourceId, after, limit: 200 })
    for (const message of messages) {
      // Several messages of the person can begin one run.
      if (isPersons(message)) hasLater ||= runId === undefined || message.runId !== runId
      else if (runId === undefined ? !hasLater : message.runId === runId) answer.push(message)
    }
    after = messages.at(-1)?.sequence ?? after
    if (!hasMore || messages.length === 0) return { answer, hasLater }
  }
}

/** Whether an answer came to its end: nothing of it waits but for calls that are the client's to run. */
export async function isWhole(answer: readonly RememberedMessage[], to: Recipient): Promise<boolean> {
  const last = answer.findLast(({ origin }) => origin === undefined)
  if (last?.role !== 'assistant') return false
  if (typeof last.content === 'string') return true
  const own = await isClientsCall(to)
  return last.content.every((part) => part.type !== 'tool-call' || own(part.toolName))
}
