import type { Message } from './message.ts'

/** At most so many characters: stores have room for more, of which ids that are made of ids are made. */
const LONGEST_ID = 256

/** The id under which a message is to be kept in its thread; undefined where whoever keeps it chooses one. */
export function keptIdOf({ providerOptions }: Pick<Message, 'providerOptions'>): string | undefined {
  const id = providerOptions?.['retinue']?.['id']
  return isKeptId(id) ? id : undefined
}

/** A message that is to be kept under an id. With one that a store can't have it stays as it is. */
export function withKeptId<M extends Message>(message: M, id: unknown): M {
  return isKeptId(id) ? { ...message, providerOptions: { ...message.providerOptions, retinue: { id } } } : message
}

/** Whether a message can be kept under an id. */
export function isKeptId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= LONGEST_ID && !id.includes('\0') && id.isWellFormed()
}
