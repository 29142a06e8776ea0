import { assertCount, assertId, assertText, assertTime } from './checks.ts'
import { encodeValue } from './encode-value.ts'
import { storageConflict } from './storage-errors.ts'
import type { ThreadKey } from './threads.ts'
import type { WorkingMemory, WorkingMemoryChange, WorkingMemoryKey, WorkingMemoryStorage } from './working-memory.ts'

/** Whether a resource has a thread; throws where it has not. */
export type AssertThread = (key: ThreadKey) => void

/** The texts of `InMemoryStorage`: those of a resource by its id, those of a thread by the thread's. */
export class InMemoryWorkingMemory implements WorkingMemoryStorage {
  readonly #assertOpen: () => void
  readonly #assertThread: AssertThread
  readonly #ofResources = new Map<string, WorkingMemory>()
  readonly #ofThreads = new Map<string, WorkingMemory>()

  constructor(assertOpen: () => void, assertThread: AssertThread) {
    this.#assertOpen = assertOpen
    this.#assertThread = assertThread
  }

  async get(key: WorkingMemoryKey): Promise<WorkingMemory | undefined> {
    this.#assertOpen()
    this.#assertKey(key)
    return this.read(key)
  }

  async set({ text, expectedVersion, at, ...key }: WorkingMemoryChange): Promise<WorkingMemory> {
    this.#assertOpen()
    assertText(text, 'text')
    encodeValue(text, 'text') // refuses what is too long
    assertTime(at, 'at')
    if (expectedVersion !== undefined) assertCount(expectedVersion, 'expectedVersion', 0)
    this.#assertKey(key)
    const version = this.read(key)?.version ?? 0
    if (expectedVersion !== undefined && expectedVersion !== version) throw storageConflict(expectedVersion)
    const memory = { text, version: version + 1, updatedAt: at }
    if (key.threadId === undefined) this.#ofResources.set(key.resourceId, memory)
    else this.#ofThreads.set(key.threadId, memory)
    return { ...memory }
  }

  /** Of a thread that is known to be the resource's. */
  read({ resourceId, threadId }: WorkingMemoryKey): WorkingMemory | undefined {
    const memory = threadId === undefined ? this.#ofResources.get(resourceId) : this.#ofThreads.get(threadId)
    return memory && { ...memory }
  }

  /** A thread was copied. */
  copy(threadId: string, newThreadId: string): void {
    const memory = this.#ofThreads.get(threadId)
    if (memory) this.#ofThreads.set(newThreadId, memory)
  }

  /** A thread was deleted. */
  forget(threadId: string): void {
    this.#ofThreads.delete(threadId)
  }

  #assertKey({ resourceId, threadId }: WorkingMemoryKey): void {
    assertId(resourceId, 'resourceId')
    if (threadId === undefined) return
    assertId(threadId, 'threadId')
    this.#assertThread({ threadId, resourceId })
  }
}
