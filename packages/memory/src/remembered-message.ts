import { originOf, type RememberedMessage } from '@retinue/core/memory'
import type { StoredMessage } from '@retinue/core/storage'

/** A kept message as an application reads it. */
export function rememberedMessage({ id, sequence, createdAt, message }: StoredMessage): RememberedMessage {
  const origin = originOf(message)
  return { ...message, id, sequence, createdAt, ...(origin === undefined ? {} : { origin }) }
}
