import type { ThreadKey, ThreadStorage } from '@retinue/core/storage'
import type { Job } from '../afterwork.ts'
import { indexMessages, type MeaningIndex } from './message-vectors.ts'

const PAGE = 100

/** Keeps the vectors of all messages of a thread that is under none. `named`: by its owner, or by what its owner is called. */
export async function indexThread(
  job: Job,
  index: MeaningIndex,
  threads: ThreadStorage,
  named: ThreadKey,
): Promise<void> {
  // Vectors are its owner's: what people are told can be somebody else's name.
  const [key = named] = await job.ask(() => threads.listTree(named))
  let after = 0
  for (;;) {
    const page = { ...key, after, from: 'oldest', limit: PAGE } as const
    const { messages, hasMore } = await job.ask(() => threads.listMessages(page))
    await indexMessages(job, index, key, messages)
    const last = messages.at(-1)
    if (!hasMore || !last) return
    after = last.sequence
  }
}
