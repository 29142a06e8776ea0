import { isRetinueError } from '@retinue/core/errors'
import { spokenText } from '@retinue/core/memory'
import type { StoredMessage, ThreadKey, ThreadStorage } from '@retinue/core/storage'
import type { SemanticRecall } from '../options/settings.ts'
import { type FindMessages, type MeaningIndex, type MessageRef, nearestMessages } from './message-vectors.ts'

/** More than so many messages are not looked through, where most of what was found was deleted since. */
const MOST_LOOKED_AT = 1000

/** What is looked for, and where. */
export interface RelatedQuery {
  readonly threads: ThreadStorage
  /** Undefined: by words. */
  readonly index: MeaningIndex | undefined
  readonly key: ThreadKey
  readonly task: string
  readonly settings: SemanticRecall
  /** Ids of messages of the thread that the model is told anyway. */
  readonly told: ReadonlySet<string>
  /** Ends the search. */
  readonly signal: AbortSignal
}

/** Earlier messages that have to do with a task, with those around them: thread by thread, oldest first, each once. */
export async function relatedMessages(query: RelatedQuery): Promise<readonly StoredMessage[]> {
  const { task, told, key } = query
  if (task.trim() === '') return []
  const isNew = (threadId: string, id: string): boolean => threadId !== key.threadId || !told.has(id)
  const groups = await found(query, isNew)
  const unique = new Map(groups.flat().map((stored) => [stored.sequence, stored]))
  return [...unique.values()]
    .filter(({ threadId, id, message }) => isNew(threadId, id) && spokenText(message) !== '')
    .sort((one, other) => one.sequence - other.sequence)
}

/** The best messages, `topK` of them as far as there are so many, each with those around it. */
async function found(
  query: RelatedQuery,
  isNew: (threadId: string, id: string) => boolean,
): Promise<(readonly StoredMessage[])[]> {
  const { settings, told, index } = query
  const find = index ? await nearestMessages(index, scopeOf(query), query.task, query.signal) : byWords(query)
  // What the model is told anyway is often the nearest.
  for (let limit = settings.topK + told.size; ; limit *= 4) {
    const refs = await find(limit)
    const groups: (readonly StoredMessage[])[] = []
    for (const ref of refs) {
      if (groups.length === settings.topK) break
      const group = isNew(ref.threadId, ref.messageId) ? await around(query, ref) : []
      if (group.length > 0) groups.push(group)
    }
    if (groups.length === settings.topK || refs.length < limit || limit >= MOST_LOOKED_AT) return groups
  }
}

function scopeOf({ key, settings }: RelatedQuery): { resourceId: string; threadId?: string } {
  return settings.scope === 'thread' ? key : { resourceId: key.resourceId }
}

function byWords(query: RelatedQuery): FindMessages {
  return async (limit) => {
    const { found } = await query.threads.search({ ...scopeOf(query), query: query.task, limit })
    return found.map(({ message: { threadId, id } }) => ({ threadId, messageId: id }))
  }
}

/** A message with those around it; none if it was deleted since its vector was made. */
async function around({ threads, key, settings }: RelatedQuery, ref: MessageRef): Promise<readonly StoredMessage[]> {
  const { before, after } = settings
  try {
    const found = await threads.listNeighbours({ ...ref, resourceId: key.resourceId, before, after })
    return found.messages
  } catch (thrown) {
    if (isRetinueError(thrown, 'thread-not-found') || isRetinueError(thrown, 'message-not-found')) return []
    throw thrown
  }
}
