import type { ThreadKey } from '@retinue/core/storage'
import type { TurnParts } from './opened-turn.ts'
import { forgetMessage } from './recall/message-vectors.ts'

/**
 * Forgets what messages mean that were just deleted. What of it is left where this fails finds nothing: a message that is not there is
 * passed over. What is still being made of them would come after this.
 */
export async function forgetReplaced(
  { index, afterwork, teller }: Pick<TurnParts, 'index' | 'afterwork' | 'teller'>,
  { threadId, resourceId }: ThreadKey,
  gone: readonly string[],
): Promise<void> {
  await afterwork.abandon('vectors')
  if (!index) return
  try {
    for (const messageId of gone) await forgetMessage(index, { threadId, resourceId, messageId })
  } catch (thrown) {
    teller.tell(
      'memory-not-forgotten',
      `what deleted messages of the thread "${threadId}" mean is not forgotten`,
      thrown,
    )
  }
}
