import { Memory } from '@retinue/memory'

/** How many messages are recalled for agents without a memory of their own: a conversation by hand is rarely longer. */
const RECALLED = 200

/** What agents remember with where neither they nor the project say. */
export function defaultMemory(): Memory {
  return new Memory({ options: { lastMessages: RECALLED } })
}
