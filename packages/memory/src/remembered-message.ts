import { type KeptMessage, originOf, type RememberedMessage } from '@retinue/core/memory'
import type { NewMessage, StoredMessage } from '@retinue/core/storage'

/** A kept message as an application reads it. */
export function rememberedMessage({ id, sequence, createdAt, message, metadata }: StoredMessage): RememberedMessage {
  const origin = originOf(message)
  const runId = metadata?.['runId']
  return {
    ...message,
    id,
    sequence,
    createdAt,
    ...(typeof runId === 'string' ? { runId } : {}),
    ...(origin === undefined ? {} : { origin }),
  }
}

/** Messages of a run as a store keeps them. */
export function newMessages(messages: readonly KeptMessage[], runId: string): NewMessage[] {
  const createdAt = Date.now()
  return messages.map((message) => ({ ...message, metadata: { runId }, createdAt }))
}
