import { isRetinueError } from '@retinue/core/errors'
import type { WorkingMemory, WorkingMemoryKey, WorkingMemoryStorage } from '@retinue/core/storage'
import type { Scope } from '../options/memory-options.ts'

/** The notes of a thread or a resource, as a run has read them. */
export class Notes {
  readonly scope: Scope
  readonly #storage: WorkingMemoryStorage
  readonly #key: WorkingMemoryKey
  #text: string
  #version: number

  constructor(storage: WorkingMemoryStorage, key: WorkingMemoryKey, read: WorkingMemory | undefined) {
    this.scope = key.threadId === undefined ? 'resource' : 'thread'
    this.#storage = storage
    this.#key = key
    this.#text = read?.text ?? ''
    this.#version = read?.version ?? 0
  }

  get text(): string {
    return this.#text
  }

  /** Writes a text if nobody has written since it was read. Else it reads what is there now, and says false. */
  async replace(text: string): Promise<boolean> {
    try {
      const { version } = await this.#storage.set({
        ...this.#key,
        text,
        expectedVersion: this.#version,
        at: Date.now(),
      })
      this.#text = text
      this.#version = version
      return true
    } catch (thrown) {
      if (!isRetinueError(thrown, 'storage-conflict')) throw thrown
      const now = await this.#storage.get(this.#key)
      this.#text = now?.text ?? ''
      this.#version = now?.version ?? 0
      return false
    }
  }
}
