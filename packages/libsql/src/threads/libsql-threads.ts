import type { Row } from '@libsql/client'
import { isRetinueError } from '@retinue/core/errors'
import {
  type AppendedMessages,
  assertCount,
  assertId,
  assertKey,
  assertText,
  assertThreadOrder,
  assertTime,
  asText,
  type BegunTurn,
  DEFAULT_PAGE,
  decodeValue,
  encodedMetadata,
  encodedTitle,
  type FoundMessages,
  type MessageKey,
  type MessagePage,
  type MessageQuery,
  type MessageSearch,
  type Messages,
  messageNotFound,
  type NeighbourQuery,
  type NewMessageRow,
  type NewThread,
  type NewTurn,
  newMessageRows,
  type Page,
  type QueryTerm,
  queryTerms,
  type ReplacedTurns,
  readRows,
  storedMessages,
  storedThread,
  storedThreads,
  type Thread,
  type ThreadChange,
  type ThreadCopy,
  type ThreadKey,
  type ThreadQuery,
  type ThreadStorage,
  threadCursor,
  threadExists,
  threadNotFound,
  threadPosition,
  type UnreadableRow,
  type WorkingMemory,
} from '@retinue/core/storage'
import type { Database } from '../database/database.ts'
import { errorCode } from '../database/database-error.ts'
import {
  appendMessages,
  listMessages,
  listNeighbours,
  messagesBefore,
  replaceMessages,
  searchMessages,
} from './message-statements.ts'
import { messageOf, threadOf } from './rows.ts'
import { updateSearchIndex } from './search-index.ts'
import {
  cloneThread,
  createThread,
  deleteThread,
  getThread,
  listThreads,
  listTree,
  type NewThreadValues,
  openThread,
  ownedThread,
  updateThread,
} from './thread-statements.ts'

/** Threads and messages in a database. The owner is part of every statement: what is somebody else's is never read. */
export class LibSQLThreads implements ThreadStorage {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async create(thread: NewThread): Promise<Thread> {
    const [row] = await this.#write(createThread(newThreadValues(thread)))
    if (!row) throw await this.#taken(thread)
    return storedThread(threadOf(row))
  }

  async get(key: ThreadKey): Promise<Thread> {
    assertKey(key)
    const [row] = await this.#database.read(getThread(key))
    return storedThread(threadOf(found(row, key)))
  }

  async update({ title, onlyUntitled = false, metadata, at, ...key }: ThreadChange): Promise<Thread> {
    assertKey(key)
    assertTime(at, 'at')
    const change = {
      title: title === undefined ? undefined : encodedTitle(title),
      onlyUntitled,
      metadata: metadata === undefined ? undefined : encodedMetadata(metadata),
      at,
    }
    const [row] = await this.#write(updateThread(key, change))
    return storedThread(threadOf(found(row, key)))
  }

  async delete(key: ThreadKey): Promise<void> {
    assertKey(key)
    const deleted = await this.#database.write(deleteThread(key))
    found(deleted.at(-1)?.[0], key)
  }

  async clone({ newThreadId, title, metadata, at, ...key }: ThreadCopy): Promise<Thread> {
    assertKey(key)
    assertId(newThreadId, 'newThreadId')
    assertTime(at, 'at')
    const copy = {
      newThreadId,
      title: title === undefined ? undefined : encodedTitle(title),
      metadata: metadata === undefined ? undefined : encodedMetadata(metadata),
      at,
    }
    const [created] = await this.#database.write(cloneThread(key, copy)).catch(async (error: unknown) => {
      throw isConstraint(error) ? await this.#taken({ threadId: newThreadId, resourceId: key.resourceId }) : error
    })
    return storedThread(threadOf(found(created?.[0], key)))
  }

  async list({ resourceId, order = 'created', limit = DEFAULT_PAGE, cursor }: ThreadQuery): Promise<Page<Thread>> {
    assertId(resourceId, 'resourceId')
    assertCount(limit, 'limit')
    assertThreadOrder(order)
    const from = cursor === undefined ? undefined : threadPosition(order, cursor)
    const rows = (await this.#database.read(listThreads(resourceId, order, limit, from))).map(threadOf)
    const page = storedThreads(rows.slice(0, limit))
    const last = rows[limit - 1]
    return rows.length > limit && last ? { ...page, next: threadCursor(order, last) } : page
  }

  async listTree(key: ThreadKey): Promise<readonly ThreadKey[]> {
    assertKey(key)
    const rows = await this.#database.read(listTree(key))
    found(rows[0], key)
    return rows.map((row) => ({ threadId: String(row['id']), resourceId: String(row['resource_id']) }))
  }

  async append({ messages, ...key }: AppendedMessages): Promise<readonly number[]> {
    assertKey(key)
    const rows = newMessageRows(messages)
    if (rows.length === 0) {
      await this.#assertThread(key)
      return []
    }
    const appended = (await this.#database.write(appendMessages(key, rows))).flat()
    found(appended[0], key)
    return sequencesOf(rows, appended)
  }

  async beginTurn({ messages, replace, lastMessages, workingMemory, ...thread }: NewTurn): Promise<BegunTurn> {
    const { calledAs, parent } = thread
    if (calledAs !== undefined) assertId(calledAs, 'calledAs')
    if (parent) assertKey(parent)
    const values = { ...newThreadValues(thread), calledAs, parent }
    const rows = newMessageRows(messages)
    assertCount(lastMessages, 'lastMessages', 0)
    const ids = rows.map(({ id }) => id)
    const appends = appendMessages(thread, rows)
    const deletes = replace ? replaceMessages(thread, replace) : []
    if (replace) assertId(replace.from, 'replace.from')
    const written = await this.#database
      .write([
        ...deletes,
        openThread(values, workingMemory),
        ...appends,
        ...(lastMessages === 0 ? [] : [messagesBefore(thread, ids, lastMessages)]),
      ])
      .catch(async (error: unknown) => {
        throw replace && isConstraint(error) ? await this.#notReplaced(thread, replace) : error
      })
    const [opened, ...others] = written.slice(deletes.length)
    const row = found(opened?.[0], thread)
    const appended = others.splice(0, appends.length).flat()
    const recalled = messagesOf(others[0] ?? [], thread.threadId, 'newest')
    const { items, unreadable } = storedThreads([threadOf(row)])
    const memory = workingMemoryOf(row)
    return {
      ...(items[0] ? { thread: items[0] } : {}),
      sequences: sequencesOf(rows, appended),
      recalled: recalled.messages,
      unreadable: [...recalled.unreadable, ...unreadable, ...memory.unreadable],
      ...(memory.read ? { workingMemory: memory.read } : {}),
    }
  }

  async listMessages(query: MessageQuery): Promise<MessagePage> {
    assertKey(query)
    assertCount(query.limit, 'limit')
    const rows = await this.#database.read(listMessages(query))
    if (rows.length === 0) await this.#assertThread(query)
    const page = messagesOf(rows.slice(0, query.limit), query.threadId, query.from ?? 'newest')
    return { ...page, hasMore: rows.length > query.limit }
  }

  async listNeighbours(query: NeighbourQuery): Promise<Messages> {
    assertKey(query)
    assertId(query.messageId, 'messageId')
    assertCount(query.before, 'before', 0)
    assertCount(query.after, 'after', 0)
    const rows = await this.#database.read(listNeighbours(query))
    if (rows.length === 0) throw await this.#noMessage(query)
    return messagesOf(rows, query.threadId, 'oldest')
  }

  async search(search: MessageSearch): Promise<FoundMessages> {
    const { resourceId, threadId, query, limit } = search
    assertId(resourceId, 'resourceId')
    if (threadId !== undefined) assertId(threadId, 'threadId')
    assertText(query, 'query')
    assertCount(limit, 'limit')
    const terms = queryTerms(query)
    const rows = terms.length === 0 ? [] : await this.#found(search, terms)
    if (rows.length === 0 && threadId !== undefined) await this.#assertThread({ threadId, resourceId })
    const scores = new Map(rows.map((row) => [Number(row['sequence']), Number(row['score'])]))
    const { messages, unreadable } = storedMessages(rows.map((row) => messageOf(row, String(row['thread_id']))))
    return { found: messages.map((message) => ({ message, score: scores.get(message.sequence) ?? 0 })), unreadable }
  }

  async #found(search: MessageSearch, terms: readonly QueryTerm[]): Promise<Row[]> {
    await updateSearchIndex(this.#database)
    return this.#database.read(searchMessages(search, terms))
  }

  async #write(statement: Parameters<Database['read']>[0]): Promise<Row[]> {
    const [rows = []] = await this.#database.write([statement])
    return rows
  }

  async #assertThread(key: ThreadKey): Promise<void> {
    const [row] = await this.#database.read(getThread(key))
    found(row, key)
  }

  /** Why a message was not found. */
  async #noMessage({ messageId, ...key }: MessageKey): Promise<Error> {
    await this.#assertThread(key)
    return messageNotFound(key.threadId, messageId)
  }

  /** Why a turn takes the place of nothing. */
  async #notReplaced(key: ThreadKey, { from }: ReplacedTurns): Promise<Error> {
    const [row] = await this.#database.read(ownedThread(key))
    return row ? messageNotFound(key.threadId, from) : threadNotFound(key.threadId)
  }

  /** Why an id can't be had. */
  async #taken(key: ThreadKey): Promise<Error> {
    const [own] = await this.#database.read(getThread(key))
    return own ? threadExists(key.threadId) : threadNotFound(key.threadId)
  }
}

function newThreadValues({ threadId, resourceId, title, metadata, at }: NewThread): NewThreadValues {
  assertKey({ threadId, resourceId })
  assertTime(at, 'at')
  return { id: threadId, resourceId, title: encodedTitle(title), metadata: encodedMetadata(metadata), at }
}

function isConstraint(error: unknown): boolean {
  return isRetinueError(error) && errorCode(error.cause) === 'SQLITE_CONSTRAINT'
}

function found(row: Row | undefined, { threadId }: ThreadKey): Row {
  if (!row) throw threadNotFound(threadId)
  return row
}

/** Rows in the order in which they were read, as messages from the oldest on. */
function messagesOf(rows: readonly Row[], threadId: string, first: 'newest' | 'oldest'): Messages {
  return storedMessages((first === 'newest' ? rows.toReversed() : rows).map((row) => messageOf(row, threadId)))
}

function sequencesOf(rows: readonly NewMessageRow[], appended: readonly Row[]): number[] {
  const byId = new Map(appended.map((row) => [String(row['id']), Number(row['sequence'])]))
  return rows.map(({ id }) => byId.get(id) as number)
}

/** The working memory that was read with a thread, if there is one. */
function workingMemoryOf({ id, working_memory: stored }: Row): {
  read: WorkingMemory | undefined
  unreadable: UnreadableRow[]
} {
  const { whole, damaged } = readRows(stored === null ? [] : [String(stored)], (text) => {
    const [version, updatedAt, kept] = decodeValue(text) as [number, number, unknown]
    return { text: asText(kept), version, updatedAt }
  })
  return { read: whole[0], unreadable: damaged.map(({ reason }) => ({ id: String(id), reason })) }
}
