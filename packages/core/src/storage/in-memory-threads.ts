import { assertCount, assertId, assertKey, assertText, assertTime } from './checks.ts'
import type { InMemoryTasks } from './in-memory-tasks.ts'
import type { InMemoryWorkingMemory } from './in-memory-working-memory.ts'
import { newMessageRows, storedMessages } from './message-row.ts'
import type {
  AppendedMessages,
  FoundMessages,
  MessagePage,
  MessageQuery,
  MessageSearch,
  Messages,
  NeighbourQuery,
} from './messages.ts'
import type { Page } from './page.ts'
import { rankByTerms } from './rank-by-terms.ts'
import { queryTerms } from './search-terms.ts'
import { messageNotFound, threadNotFound } from './storage-errors.ts'
import { assertThreadOrder, DEFAULT_PAGE, threadCursor, threadPosition } from './thread-cursor.ts'
import { encodedMetadata, encodedTitle, storedThread, storedThreads, type ThreadRow } from './thread-row.ts'
import type { KeptMessage, KeptThread, ThreadTable } from './thread-table.ts'
import type {
  BegunTurn,
  NewThread,
  NewTurn,
  ReplacedTurns,
  Thread,
  ThreadChange,
  ThreadCopy,
  ThreadKey,
  ThreadQuery,
  ThreadStorage,
} from './threads.ts'

/** The threads of `InMemoryStorage`. No call waits between its checks and its writes, so each is a transaction. */
export class InMemoryThreads implements ThreadStorage {
  readonly #assertOpen: () => void
  readonly #table: ThreadTable
  readonly #workingMemory: InMemoryWorkingMemory
  readonly #tasks: InMemoryTasks

  /** The other domains have what goes with a thread. */
  constructor(
    assertOpen: () => void,
    table: ThreadTable,
    others: { readonly workingMemory: InMemoryWorkingMemory; readonly tasks: InMemoryTasks },
  ) {
    this.#assertOpen = assertOpen
    this.#table = table
    this.#workingMemory = others.workingMemory
    this.#tasks = others.tasks
  }

  async create(thread: NewThread): Promise<Thread> {
    this.#assertOpen()
    return storedThread(this.#table.add(newThreadRow(thread)).row)
  }

  async get(key: ThreadKey): Promise<Thread> {
    return storedThread(this.#named(key).row)
  }

  async update({ title, onlyUntitled, metadata, at, ...key }: ThreadChange): Promise<Thread> {
    assertTime(at, 'at')
    const changed = {
      ...(title === undefined ? {} : { title: encodedTitle(title) }),
      ...(metadata === undefined ? {} : { metadata: encodedMetadata(metadata) }),
    }
    const thread = this.#named(key)
    if (onlyUntitled && thread.row.title !== null) delete changed.title
    thread.row = { ...thread.row, ...changed }
    this.#table.touch(thread, at)
    return storedThread(thread.row)
  }

  async delete(key: ThreadKey): Promise<void> {
    const { row, owner } = this.#named(key)
    this.#table.delete(row.id)
    this.#workingMemory.forget(row.id)
    this.#tasks.forget(row.id, [owner, row.resourceId])
  }

  async clone({ newThreadId, title, metadata, at, ...key }: ThreadCopy): Promise<Thread> {
    assertId(newThreadId, 'newThreadId')
    assertTime(at, 'at')
    const newTitle = encodedTitle(title)
    const newMetadata = encodedMetadata(metadata)
    const { row, owner, messages } = this.#named(key)
    const copied = {
      id: newThreadId,
      resourceId: row.resourceId,
      title: title === undefined ? row.title : newTitle,
      metadata: metadata === undefined ? row.metadata : newMetadata,
      createdAt: at,
      updatedAt: at,
    }
    const copy = this.#table.add(copied, { owner })
    this.#table.append(
      copy,
      messages.map((message) => ({ ...message, id: crypto.randomUUID() })),
    )
    this.#workingMemory.copy(row.id, newThreadId)
    return storedThread(copy.row)
  }

  async list({ resourceId, order = 'created', limit = DEFAULT_PAGE, cursor }: ThreadQuery): Promise<Page<Thread>> {
    this.#assertOpen()
    assertId(resourceId, 'resourceId')
    assertCount(limit, 'limit')
    assertThreadOrder(order)
    const from = cursor === undefined ? undefined : threadPosition(order, cursor)
    const compare = order === 'created' ? byCreation : byUse
    const rows = this.#table
      .of(resourceId)
      .map(({ row }) => row)
      .filter((row) => from === undefined || compare(from, row) < 0)
      .sort(compare)
    const page = storedThreads(rows.slice(0, limit))
    const last = rows[limit - 1]
    return rows.length > limit && last ? { ...page, next: threadCursor(order, last) } : page
  }

  async listTree(key: ThreadKey): Promise<readonly ThreadKey[]> {
    const top = this.#named(key)
    return [...this.#table.under(top), top].map(({ row, owner }) => ({ threadId: row.id, resourceId: owner }))
  }

  async append({ messages, ...key }: AppendedMessages): Promise<readonly number[]> {
    const rows = newMessageRows(messages)
    return this.#table.append(this.#named(key), rows)
  }

  async beginTurn({ messages, replace, lastMessages, workingMemory, ...thread }: NewTurn): Promise<BegunTurn> {
    this.#assertOpen()
    const { calledAs = thread.resourceId, parent } = thread
    assertId(calledAs, 'calledAs')
    if (parent) assertKey(parent)
    const row = { ...newThreadRow(thread), resourceId: calledAs }
    const rows = newMessageRows(messages)
    assertCount(lastMessages, 'lastMessages', 0)
    if (replace) this.#replace(thread, replace)
    const kept = this.#table.open(row, { owner: thread.resourceId, parent })
    this.#table.touch(kept, thread.at)
    const sequences = this.#table.append(kept, rows)
    const first = sequences.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY)
    const before = kept.messages.filter(({ sequence }) => sequence < first)
    const { messages: recalled, unreadable } = storedMessages(before.slice(Math.max(0, before.length - lastMessages)))
    const { threadId, resourceId } = thread
    const memory =
      workingMemory && this.#workingMemory.read(workingMemory === 'thread' ? { threadId, resourceId } : { resourceId })
    return {
      thread: storedThread(kept.row),
      sequences,
      recalled,
      unreadable,
      ...(memory ? { workingMemory: memory } : {}),
    }
  }

  async listMessages(query: MessageQuery): Promise<MessagePage> {
    const { before = Number.POSITIVE_INFINITY, after = 0, from = 'newest', limit } = query
    assertCount(limit, 'limit')
    const inRange = this.#named(query).messages.filter(({ sequence }) => sequence > after && sequence < before)
    const rows = from === 'newest' ? inRange.slice(-limit) : inRange.slice(0, limit)
    return { ...storedMessages(rows), hasMore: rows.length < inRange.length }
  }

  async listNeighbours({ before, after, messageId, ...key }: NeighbourQuery): Promise<Messages> {
    assertCount(before, 'before', 0)
    assertCount(after, 'after', 0)
    const thread = this.#named(key)
    const place = thread.messages.indexOf(message(thread, messageId))
    const rows = thread.messages.slice(Math.max(0, place - before), place + after + 1)
    return storedMessages(rows)
  }

  async search({ resourceId, threadId, query, limit }: MessageSearch): Promise<FoundMessages> {
    this.#assertOpen()
    assertId(resourceId, 'resourceId')
    assertText(query, 'query')
    assertCount(limit, 'limit')
    const threads = threadId === undefined ? this.#table.of(resourceId) : [this.#named({ threadId, resourceId })]
    const ranked = rankByTerms(
      threads.flatMap(({ messages }) => messages),
      queryTerms(query),
    ).slice(0, limit)
    const scores = new Map(ranked.map(({ row, score }) => [row.sequence, score]))
    const { messages, unreadable } = storedMessages(ranked.map(({ row }) => row))
    return { found: messages.map((found) => ({ message: found, score: scores.get(found.sequence) ?? 0 })), unreadable }
  }

  /** Deletes what a turn takes the place of. */
  #replace({ threadId, resourceId }: ThreadKey, { from, keep = [] }: ReplacedTurns): void {
    const thread = this.#table.owned({ threadId, resourceId })
    if (!thread) throw threadNotFound(threadId)
    this.#table.deleteFrom(thread, message(thread, from).sequence, new Set(keep))
  }

  #named(key: ThreadKey): KeptThread {
    this.#assertOpen()
    assertKey(key)
    return this.#table.named(key)
  }
}

function newThreadRow({ threadId, resourceId, title, metadata, at }: NewThread): Omit<ThreadRow, 'sequence'> {
  assertKey({ threadId, resourceId })
  assertTime(at, 'at')
  return {
    id: threadId,
    resourceId,
    title: encodedTitle(title),
    metadata: encodedMetadata(metadata),
    createdAt: at,
    updatedAt: at,
  }
}

function message(thread: KeptThread, messageId: string): KeptMessage {
  assertId(messageId, 'messageId')
  const found = thread.byId.get(messageId)
  if (!found) throw messageNotFound(thread.row.id, messageId)
  return found
}

type Placed = Pick<ThreadRow, 'sequence' | 'updatedAt'>

const byCreation = (one: Placed, other: Placed): number => other.sequence - one.sequence
const byUse = (one: Placed, other: Placed): number => other.updatedAt - one.updatedAt || byCreation(one, other)
