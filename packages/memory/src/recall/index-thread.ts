import type { ThreadKey, ThreadStorage } from '@retinue/core/storage'
import { indexMessages, type MeaningIndex } from './message-vectors.ts'

const PAGE = 100

/** Keeps the vectors of all messages of a thread. */
export async function indexThread(index: MeaningIndex, threads: ThreadStorage, key: ThreadKey): Promise<void> {
  let after = 0
  for (;;) {
    const { messages, hasMore } = await threads.listMessages({ ...key, after, from: 'oldest', limit: PAGE })
    await indexMessages(index, key, messages)
    const last = messages.at(-1)
    if (!hasMore || !last) return
    after = last.sequence
  }
}
