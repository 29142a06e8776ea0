import type { RecallQuery, RememberedMessage } from '@retinue/core/memory'
import type { UnreadableRow } from '@retinue/core/storage'
import type { KeptThread } from './answered-calls.ts'

/** Whole turns of a thread, the oldest first. */
export interface RecalledTurns {
  readonly messages: readonly RememberedMessage[]
  readonly unreadable: readonly UnreadableRow[]
  /** Recalls the turns before these; undefined where there are none. */
  readonly before?: number
}

/** How many messages are read at once, to find the beginning of a long turn. */
const PAGE = 100

/**
 * The last turns of a thread, or the last before a message: at most `limit` messages (default: 100), or one turn where that is longer. A
 * turn is what a person said with what was answered to it; a page that began within one would show half an answer.
 */
export async function recallTurns(
  memory: KeptThread['memory'],
  query: Omit<RecallQuery, 'after'>,
): Promise<RecalledTurns> {
  const last = await memory.recall(query)
  let { hasMore } = last
  let messages = [...last.messages]
  const unreadable = [...last.unreadable]
  // Where what the page is to show begins: all of it, where nothing comes before.
  let first = hasMore ? messages.findIndex(beginsTurn) : 0
  while (hasMore && first < 0) {
    const before = placeOf(messages, unreadable)
    if (before === undefined) break
    const page = await memory.recall({ ...query, limit: PAGE, before })
    hasMore = page.hasMore
    messages = [...page.messages, ...messages]
    unreadable.unshift(...page.unreadable)
    first = page.messages.findLastIndex(beginsTurn)
  }
  const start = hasMore || first > 0 ? messages[first] : undefined
  if (!start) return { messages, unreadable }
  const isHere = ({ sequence = start.sequence }: { readonly sequence?: number }) => sequence >= start.sequence
  return { messages: messages.filter(isHere), unreadable: unreadable.filter(isHere), before: start.sequence }
}

/** What a person says begins a turn; what the framework says in their place does not. */
function beginsTurn({ role, origin }: RememberedMessage): boolean {
  return role === 'user' && origin === undefined
}

/** The place of the first row of a page, which may be one that nobody can read. */
function placeOf(messages: readonly RememberedMessage[], unreadable: readonly UnreadableRow[]): number | undefined {
  const places = [...messages, ...unreadable].flatMap(({ sequence }) => sequence ?? [])
  return places.length === 0 ? undefined : Math.min(...places)
}
