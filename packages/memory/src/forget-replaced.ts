import type { ThreadKey } from '@retinue/core/storage'
import type { ThreadAfterwork } from './afterwork.ts'
import { forgetMessage, type MeaningIndex } from './recall/message-vectors.ts'
import type { Teller } from './teller.ts'

/** What knows of the meaning of messages. */
interface Forgetting {
  readonly index: MeaningIndex | undefined
  readonly afterwork: ThreadAfterwork
  readonly teller: Teller
}

/**
 * Forgets what messages mean that were just deleted. What of it is left where this fails finds nothing: a message that is not there is
 * passed over. What is still being made of them would come after this.
 */
export async function forgetReplaced(
  { index, afterwork, teller }: Forgetting,
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
