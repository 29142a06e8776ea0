import { type Message, spokenText } from '@retinue/core/memory'
import type { MessageKey, ThreadKey, VectorStore } from '@retinue/core/storage'
import type { Job } from '../afterwork.ts'
import type { Embedder } from '../options/embedder.ts'
import { embed } from './embed.ts'

/** Where vectors of messages are, and what makes them. */
export interface MeaningIndex {
  readonly vector: VectorStore
  readonly embedder: Embedder
}

/** Tells vectors of messages from others that an application keeps in the same store. */
const OURS = { kind: 'retinue.message' } as const

/** Keeps the vectors of messages, so that they are found by what they mean. Doing it again changes nothing. */
export async function indexMessages(
  job: Job,
  { vector, embedder }: MeaningIndex,
  { threadId, resourceId }: ThreadKey,
  messages: readonly { readonly id: string; readonly message: Message }[],
): Promise<void> {
  const spoken = messages
    .map(({ id, message }) => ({ id, text: spokenText(message) }))
    .filter(({ text }) => text !== '')
  if (spoken.length === 0) return
  const texts = spoken.map(({ text }) => text)
  const vectors = await job.ask((signal) => embed(embedder, texts, signal))
  await vector.upsert(
    spoken.map(({ id }, index) => ({
      // Ids of messages are unique in their thread alone.
      id: `${threadId}#${id}`,
      vector: vectors[index] as readonly number[],
      metadata: { ...OURS, resourceId, threadId, messageId: id },
    })),
  )
}

/** Finds the messages whose meaning is nearest to a text, the nearest first; of one thread where it is named. */
export async function nearestMessages(
  { vector, embedder }: MeaningIndex,
  { resourceId, threadId }: { resourceId: string; threadId?: string },
  text: string,
  signal: AbortSignal,
): Promise<FindMessages> {
  const [wanted] = await embed(embedder, [text], signal)
  const filter = { ...OURS, resourceId, ...(threadId === undefined ? {} : { threadId }) }
  return async (topK) => {
    const matches = await vector.query({ vector: wanted as readonly number[], topK, filter })
    return matches.map(({ metadata }) => ({
      threadId: String(metadata['threadId']),
      messageId: String(metadata['messageId']),
    }))
  }
}

/** The best `limit` messages, the best first; fewer if there are no more. */
export type FindMessages = (limit: number) => Promise<readonly MessageRef[]>

export interface MessageRef {
  readonly threadId: string
  readonly messageId: string
}

/** Forgets what the messages of a thread mean. */
export async function forgetMessages({ vector }: MeaningIndex, { threadId, resourceId }: ThreadKey): Promise<void> {
  await vector.delete({ ...OURS, resourceId, threadId })
}

/** Forgets what one message means. */
export async function forgetMessage(
  { vector }: MeaningIndex,
  { threadId, resourceId, messageId }: MessageKey,
): Promise<void> {
  await vector.delete({ ...OURS, resourceId, threadId, messageId })
}
