import { isRetinueError } from '@retinue/core/errors'
import { spokenText } from '@retinue/core/memory'
import type { StoredMessage, ThreadKey, ThreadStorage } from '@retinue/core/storage'
import type { SemanticRecall } from '../options/settings.ts'
import { type MeaningIndex, type MessageRef, nearestMessages } from './message-vectors.ts'

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
}

/** Earlier messages that have to do with a task, with those around them: thread by thread, oldest first, each once. */
export async function relatedMessages(query: RelatedQuery): Promise<readonly StoredMessage[]> {
  const { task, settings, told, key } = query
  if (task.trim() === '') return []
  // What the model is told anyway is often the nearest.
  const found = await (query.index ? byMeaning : byWords)(query, settings.topK + told.size)
  const isNew = (threadId: string, id: string): boolean => threadId !== key.threadId || !told.has(id)
  const chosen = found.filter(({ threadId, messageId }) => isNew(threadId, messageId)).slice(0, settings.topK)
  const groups = await Promise.all(chosen.map((ref) => around(query, ref)))
  const unique = new Map(groups.flat().map((stored) => [stored.sequence, stored]))
  return [...unique.values()]
    .filter(({ threadId, id, message }) => isNew(threadId, id) && spokenText(message) !== '')
    .sort((one, other) => one.sequence - other.sequence)
}

function scopeOf({ key, settings }: RelatedQuery): { resourceId: string; threadId?: string } {
  return settings.scope === 'thread' ? key : { resourceId: key.resourceId }
}

async function byMeaning(query: RelatedQuery, topK: number): Promise<readonly MessageRef[]> {
  return query.index ? nearestMessages(query.index, scopeOf(query), query.task, topK) : []
}

async function byWords(query: RelatedQuery, limit: number): Promise<readonly MessageRef[]> {
  const { found } = await query.threads.search({ ...scopeOf(query), query: query.task, limit })
  return found
    .filter(({ message }) => spokenText(message.message) !== '')
    .map(({ message }) => ({ threadId: message.threadId, messageId: message.id }))
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
