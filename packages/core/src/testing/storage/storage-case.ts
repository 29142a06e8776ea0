import { type Message, userText } from '../../messages/message.ts'
import type { NewMessage, StoredMessage } from '../../storage/messages.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ThreadKey } from '../../storage/threads.ts'

/** One thing that every storage must do, whatever it stores in. */
export interface StorageCase {
  /** What holds. */
  readonly name: string
  /** Throws if it does not hold. `makeStorage` gives a new, empty storage; the case closes it. */
  run(makeStorage: () => Storage | Promise<Storage>): Promise<void>
}

export function storageCase(name: string, body: (storage: Storage) => Promise<void>): StorageCase {
  return {
    name,
    run: async (makeStorage) => {
      const storage = await makeStorage()
      try {
        await body(storage)
      } finally {
        await storage.close()
      }
    },
  }
}

/** Whom most cases are about. */
export const ADA = 'ada'
export const BOB = 'bob'

/** A message of a person, with a clock that says nothing of the order. */
export function said(id: string, text: string = id, createdAt = 1000): NewMessage {
  return { id, message: userText(text), createdAt }
}

export function answered(id: string, text: string): NewMessage {
  return { id, message: { role: 'assistant', content: [{ type: 'text', text }] }, createdAt: 1000 }
}

export function withMessage(id: string, message: Message): NewMessage {
  return { id, message, createdAt: 1000 }
}

/** A thread of Ada's with messages `m1` to `m<count>`. */
export async function threadOf(storage: Storage, threadId: string, count: number): Promise<void> {
  await storage.threads.create({ threadId, resourceId: ADA, at: 1000 })
  const messages = Array.from({ length: count }, (_none, index) => said(`m${index + 1}`))
  if (count > 0) await storage.threads.append({ threadId, resourceId: ADA, messages })
}

/** One message of a thread, by its id. */
export async function messageOf({ threads }: Storage, key: ThreadKey, messageId: string): Promise<StoredMessage> {
  const { messages } = await threads.listNeighbours({ ...key, messageId, before: 0, after: 0 })
  const [message] = messages
  if (!message) throw new Error(`the message ${messageId} can't be read`)
  return message
}

export function idsOf(messages: readonly { readonly id: string }[]): string[] {
  return messages.map(({ id }) => id)
}
