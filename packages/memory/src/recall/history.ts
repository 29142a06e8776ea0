import type { StoredMessage, ThreadKey, ThreadStorage } from '@retinue/core/storage'
import { isPersons } from '../spoken.ts'

/** How far back what began a turn is looked for, in messages. */
const LONGEST_LOOK = 1000
const PAGE = 100

/**
 * The last messages of a thread, so that they say what was asked: a long turn can consist of so many calls and results that none of the
 * last messages is a person's, and a conversation that begins with nobody's question is none. Then the question is put before them.
 */
export async function withQuestion(
  threads: ThreadStorage,
  key: ThreadKey,
  recalled: readonly StoredMessage[],
): Promise<readonly StoredMessage[]> {
  const first = recalled[0]
  if (!first || recalled.some(({ message }) => isPersons(message))) return recalled
  let before = first.sequence
  for (let looked = 0; looked < LONGEST_LOOK; looked += PAGE) {
    const { messages, hasMore } = await threads.listMessages({ ...key, before, limit: PAGE })
    const question = messages.findLast(({ message }) => isPersons(message))
    if (question) return [question, ...recalled]
    if (!hasMore || !messages[0]) break
    before = messages[0].sequence
  }
  return recalled
}
