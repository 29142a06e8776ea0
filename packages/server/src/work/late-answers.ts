import type { RememberedMessage } from '@retinue/core/memory'
import type { KeptThread } from './answered-calls.ts'

/** How many messages are read at once. */
const PAGE = 100

/**
 * A page of a thread with what its runs said later, and without what runs of earlier pages say in it: one that waited for a person while
 * something else was said goes on at the end of the thread, and belongs to the turn in which it was asked. `isLast`: nothing follows the
 * page. Reads no more than the page where each call in it has its result there.
 */
export async function withLateAnswers(
  thread: KeptThread,
  messages: readonly RememberedMessage[],
  isLast: boolean,
): Promise<RememberedMessage[]> {
  const [first, last] = [messages[0], messages.at(-1)]
  if (!first || !last) return []
  const { open, lone } = unmatched(messages)
  const earlier = lone.size === 0 ? NONE : await runsBefore(thread, lone, first.sequence)
  const later = open.size === 0 || isLast ? [] : await saidAfter(thread, open, last.sequence)
  return [...messages.filter(({ runId }) => runId === undefined || !earlier.has(runId)), ...later]
}

const NONE: ReadonlySet<string> = new Set()

/** Calls without a result on the page, with the runs that made them, and results without a call; by their ids. */
function unmatched(messages: readonly RememberedMessage[]): {
  readonly open: Map<string, string | undefined>
  readonly lone: Set<string>
} {
  const open = new Map<string, string | undefined>()
  const lone = new Set<string>()
  for (const { content, runId } of messages) {
    for (const part of typeof content === 'string' ? [] : content) {
      if (part.type === 'tool-call') open.set(part.toolCallId, runId)
      else if (part.type === 'tool-result' && !open.delete(part.toolCallId)) lone.add(part.toolCallId)
    }
  }
  return { open, lone }
}

/** The runs that made calls before a message whose results come after it: a result that a client sent late is of a run of its own. */
async function runsBefore(
  { memory, threadId, resourceId }: KeptThread,
  lone: Set<string>,
  sequence: number,
): Promise<ReadonlySet<string>> {
  const runs = new Set<string>()
  let before = sequence
  while (lone.size > 0) {
    const { messages, hasMore } = await memory.recall({ threadId, resourceId, limit: PAGE, before })
    for (const [id, runId] of unmatched(messages).open) {
      if (lone.delete(id) && runId !== undefined) runs.add(runId)
    }
    before = messages[0]?.sequence ?? before
    if (!hasMore || messages.length === 0) break
  }
  return runs
}

/** What runs that made calls said after a message, where they have gone on since. */
async function saidAfter(
  { memory, threadId, resourceId }: KeptThread,
  open: ReadonlyMap<string, string | undefined>,
  sequence: number,
): Promise<RememberedMessage[]> {
  const runs = new Set(open.values())
  const said: RememberedMessage[] = []
  let after = sequence
  for (;;) {
    const { messages, hasMore } = await memory.recall({ threadId, resourceId, limit: PAGE, after })
    said.push(...messages.filter(({ runId, role }) => runId !== undefined && runs.has(runId) && role !== 'user'))
    after = messages.at(-1)?.sequence ?? after
    if (!hasMore || messages.length === 0) return said
  }
}
