import { isRetinueError, RetinueError } from '@retinue/core/errors'
import {
  type AgentMemory,
  assertChosenId,
  assertPersonsResource,
  type MemoryTurn,
  type OpenedMemory,
  type Recalled,
  type RecallQuery,
  type RememberedMessage,
} from '@retinue/core/memory'
import {
  InMemoryStorage,
  type MessageKey,
  type Page,
  rowUnreadable,
  type Storage,
  type Thread,
  type ThreadKey,
} from '@retinue/core/storage'
import { Afterwork } from './afterwork.ts'
import { forgetRuns } from './forget-runs.ts'
import { openTurn } from './open-turn.ts'
import { assertOptions, assertSettings } from './options/assert-options.ts'
import type { MemoryOptions, MemorySettings } from './options/memory-options.ts'
import { mergedOptions, type Settings, settingsOf } from './options/settings.ts'
import { indexThread } from './recall/index-thread.ts'
import { forgetMessages, type MeaningIndex } from './recall/message-vectors.ts'
import { rememberedMessage } from './remembered-message.ts'
import { Teller } from './teller.ts'

/** What a memory and its views have in common. */
interface Shared {
  readonly own: MemorySettings
  readonly settings: Settings
  /** Where it keeps conversations if no application gives it a storage. */
  readonly storage: Storage | undefined
  readonly index: MeaningIndex | undefined
  /** By the application's storage. */
  readonly views: WeakMap<Storage, Memory>
  readonly afterwork: Afterwork
  readonly teller: Teller
  /** In the memory of the process, where there is no other storage. */
  fallback: Storage | undefined
}

interface View {
  readonly shared: Shared
  readonly storage: Storage
}

const LEXICAL =
  'This memory has no `vector` store and no `embedder`: it recalls earlier messages by the words that they share with what is asked, not by their meaning.'
const IN_PROCESS =
  'A memory has no storage, neither its own nor an application’s: what it keeps is gone when the process ends. Give `new Retinue({ storage })` or `new Memory({ storage })` one.'

/**
 * What agents remember: the threads of conversations, their last messages, notes that a model keeps, and earlier messages that have to
 * do with what is asked. Without a `storage` of its own it uses the application's; without either it works in the memory of the process,
 * and says so once with a warning.
 *
 * Every call is for one resource (a person, an account): a thread of another is answered as one that does not exist, with
 * `thread-not-found`. The thread of a delegation is found by the two ids that its result tells; listings of a resource have none of
 * them. Ids that are no one's to choose are `option-invalid`. Whatever else fails does so with the typed errors of the storage.
 */
export class Memory implements AgentMemory {
  readonly #shared: Shared
  readonly #storage: Storage | undefined

  /** Throws `option-invalid`, `option-unknown` or `schema-unsupported` for options that make no memory. */
  constructor(options?: MemoryOptions)
  constructor(options: MemoryOptions = {}, view?: View) {
    this.#shared = view?.shared ?? sharedOf(options)
    this.#storage = view?.storage ?? this.#shared.storage
  }

  /** The same memory over an application's storage, unless it has its own. The same view each time. */
  within(storage: Storage | undefined): Memory {
    const { views } = this.#shared
    if (storage === undefined || this.#shared.storage !== undefined) return this
    const known = views.get(storage)
    if (known) return known
    const View = Memory as new (options: MemoryOptions, view: View) => Memory
    const view = new View({}, { shared: this.#shared, storage })
    views.set(storage, view)
    return view
  }

  get readOnly(): boolean {
    return this.#shared.settings.readOnly
  }

  get storage(): Storage {
    return this.#storage ?? this.#inProcess()
  }

  /** The same, for who reads or writes: it is said once where nothing of it lasts. */
  #store(teller: Teller = this.#shared.teller): Storage {
    if (!this.#storage) teller.once('memory-in-process', IN_PROCESS)
    return this.storage
  }

  async open(turn: MemoryTurn): Promise<OpenedMemory> {
    const { index, afterwork, settings: own } = this.#shared
    const settings = this.#settingsFor(turn)
    const teller = this.#shared.teller.to(turn.warn)
    const storage = this.#store(teller)
    if (settings.semanticRecall && !index) teller.once('memory-recall-lexical', LEXICAL)
    // A call that recalls nothing can be recalled itself.
    const indexes = settings.semanticRecall ?? own.semanticRecall
    if (turn.replace) this.#assertWritable()
    return openTurn(
      {
        storage,
        settings,
        index: indexes && index,
        afterwork: afterwork.of(storage, turn.threadId),
        teller,
      },
      turn,
    )
  }

  /**
   * Messages of a thread, oldest first: the last ones, those before a sequence (to page backwards), or those after one (to page
   * forwards).
   */
  async recall({ threadId, resourceId, limit = 100, before, after }: RecallQuery): Promise<Recalled> {
    assertPersonsResource(resourceId, 'resourceId')
    const page = await this.#store().threads.listMessages({
      threadId,
      resourceId,
      limit,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      from: after !== undefined && before === undefined ? 'oldest' : 'newest',
    })
    const { messages, hasMore, unreadable } = page
    return { messages: messages.map(rememberedMessage), hasMore, unreadable }
  }

  /** One message of a thread. Rejects with `message-not-found`. */
  async getMessage({ threadId, resourceId, messageId }: MessageKey): Promise<RememberedMessage> {
    assertPersonsResource(resourceId, 'resourceId')
    const key = { threadId, resourceId, messageId }
    const { messages, unreadable } = await this.#store().threads.listNeighbours({ ...key, before: 0, after: 0 })
    const [message] = messages
    if (!message) throw rowUnreadable(messageId, unreadable[0]?.reason ?? 'it is damaged')
    return rememberedMessage(message)
  }

  /** Makes a thread. Rejects with `thread-exists`, or `thread-not-found` for an id that is another's; `memory-read-only`. */
  async createThread({ threadId, ...thread }: Parameters<AgentMemory['createThread']>[0]): Promise<Thread> {
    this.#assertWritable()
    assertChosenId(threadId, 'threadId')
    assertChosenId(thread.resourceId, 'resourceId')
    assertPersonsResource(thread.resourceId, 'resourceId')
    return this.#store().threads.create({ threadId: threadId ?? crypto.randomUUID(), ...thread, at: Date.now() })
  }

  async getThread(key: ThreadKey): Promise<Thread> {
    assertPersonsResource(key.resourceId, 'resourceId')
    return this.#store().threads.get(key)
  }

  /**
   * The threads of a resource by pages: the newest first, or with `order: 'updated'` the last used first. Rejects with `option-invalid`
   * for another order, a limit or a cursor that is none.
   */
  async listThreads(query: Parameters<AgentMemory['listThreads']>[0]): Promise<Page<Thread>> {
    assertPersonsResource(query.resourceId, 'resourceId')
    return this.#store().threads.list(query)
  }

  async updateThread(change: Parameters<AgentMemory['updateThread']>[0]): Promise<Thread> {
    this.#assertWritable()
    assertPersonsResource(change.resourceId, 'resourceId')
    return this.#store().threads.update({ ...change, at: Date.now() })
  }

  /**
   * Deletes a thread with its messages, its notes, its vectors and its background tasks, and so the threads of its delegations, as far as
   * they are in the same storage. Notes of its resource stay. A title or vectors that are still being made for them are given up.
   */
  async deleteThread(key: ThreadKey): Promise<void> {
    this.#assertWritable()
    assertPersonsResource(key.resourceId, 'resourceId')
    await forgetRuns(this.storage, key)
    for (const each of await this.#store().threads.listTree(key))
      await this.#deleteThread(each).catch((thrown: unknown) => {
        // Somebody else was faster.
        if (!isRetinueError(thrown, 'thread-not-found')) throw thrown
      })
  }

  /**
   * Last in its store: if something fails before, it can be deleted again. So it is with those under it, of which it is the way to them.
   */
  async #deleteThread(key: ThreadKey): Promise<void> {
    const { index, afterwork } = this.#shared
    // What is still being done for it would come after it, and is of no use.
    await afterwork.of(this.storage, key.threadId).abandon()
    if (index) await forgetMessages(index, key)
    await this.#store().threads.delete(key)
  }

  /** Copies a thread with its messages and its notes; the copies are new messages, with ids of their own. */
  async cloneThread({ newThreadId, ...copy }: Parameters<AgentMemory['cloneThread']>[0]): Promise<Thread> {
    this.#assertWritable()
    const { index, afterwork, teller, settings } = this.#shared
    const { threads } = this.#store()
    assertChosenId(newThreadId, 'newThreadId')
    assertPersonsResource(copy.resourceId, 'resourceId')
    const thread = await threads.clone({ newThreadId: newThreadId ?? crypto.randomUUID(), ...copy, at: Date.now() })
    const key = { threadId: thread.id, resourceId: thread.resourceId }
    if (index && settings.semanticRecall)
      afterwork.of(this.storage, thread.id).start(
        'vectors',
        (job) => indexThread(job, index, threads, key),
        (thrown) => teller.notIndexed(thread.id, thrown),
      )
    return thread
  }

  /**
   * Waits for what is done after runs while nobody waits for it: titles and vectors. A model or an embedder that does not answer is given
   * up after 60 s, with a warning. Call it before you close the storage.
   */
  async settled(): Promise<void> {
    await this.#shared.afterwork.settled()
  }

  #settingsFor({ options, readOnly }: MemoryTurn): Settings {
    const { own, settings } = this.#shared
    const isCalls = options !== undefined && Object.keys(options).length > 0
    if (isCalls) assertSettings(options, 'memory.options.')
    const merged = isCalls ? settingsOf(mergedOptions(own, options)) : settings
    return { ...merged, readOnly: settings.readOnly || merged.readOnly || readOnly }
  }

  #assertWritable(): void {
    if (!this.#shared.settings.readOnly) return
    throw new RetinueError({
      code: 'memory-read-only',
      message: 'This memory is read-only: nothing was written.',
      hint: 'Make another memory over the same storage without `readOnly`.',
    })
  }

  #inProcess(): Storage {
    this.#shared.fallback ??= new InMemoryStorage()
    return this.#shared.fallback
  }
}

function sharedOf(options: MemoryOptions): Shared {
  assertOptions(options)
  const { storage, vector, embedder, options: own = {} } = options
  return {
    own,
    settings: settingsOf(own),
    storage,
    index: vector && embedder ? { vector, embedder } : undefined,
    views: new WeakMap(),
    afterwork: new Afterwork(),
    teller: new Teller(),
    fallback: undefined,
  }
}
