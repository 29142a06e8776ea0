import { isRetinueError } from '@retinue/core/errors'
import { requestInvalid } from '../errors/request-errors.ts'
import type { ChatBody } from '../schemas/chat-body.ts'
import type { Recipient } from '../work/client-messages.ts'

/**
 * Throws `request-invalid` for an answer that is wanted anew, or a message that was edited: the thread would have both, and the page
 * one. A new message comes without `messageId`, and what goes on in a message goes on in one of the agent's.
 */
export async function assertNothingAnew(
  { trigger, messageId, messages }: ChatBody,
  thread: Recipient['thread'],
): Promise<void> {
  if (!thread) return
  const last = messages.at(-1)
  const isEdit = typeof messageId === 'string' && last?.role === 'user' && last['id'] === messageId
  if (trigger !== 'regenerate-message' && !isEdit) return
  if (await isEmpty(thread)) return
  throw requestInvalid("A thread keeps what was said: it can't be said anew.", 'Send it as a new message.')
}

/** Whether nothing of the thread was kept: then the page sends again what never arrived. */
async function isEmpty({ memory, threadId, resourceId }: NonNullable<Recipient['thread']>): Promise<boolean> {
  try {
    const { messages } = await memory.recall({ threadId, resourceId, limit: 1 })
    return messages.length === 0
  } catch (error) {
    if (isRetinueError(error) && error.code === 'thread-not-found') return true
    throw error
  }
}
