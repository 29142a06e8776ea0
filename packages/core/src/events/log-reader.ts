import type { Chunk } from './chunk.ts'

/** What a log keeps. Merging replaces `chunks`, and moves every reader's place with it. */
export interface Kept {
  chunks: Chunk[]
  closed: boolean
}

/** A reader as the log sees it: a place to move, and somebody to serve. */
export interface LogPlace {
  /** The chunk to read next, in what the log keeps. */
  index: number
  /** Read first: the rest of the blocks that were merged while the reader was in the middle of them. */
  readonly backlog: Chunk[]
  /** Answers who asked, as far as there is something to answer with. It never throws: a writer calls it. */
  serve(): void
}

type Item<T> = IteratorResult<T, undefined>

/** A call of `next()` that came before there was something to read. */
interface Asked<T> {
  readonly resolve: (item: Item<T>) => void
  readonly reject: (error: unknown) => void
}

/** One reader of a log. It costs one promise an item, which `next()` must return, and nothing while nobody asks. */
export class LogReader<T> implements AsyncIterator<T, undefined>, LogPlace {
  index = 0
  readonly backlog: Chunk[] = []
  readonly #kept: Kept
  readonly #convert: (chunk: Chunk) => T | undefined
  readonly #onLeave: () => void
  readonly #asked: Asked<T>[] = []
  #left = false

  constructor(kept: Kept, convert: (chunk: Chunk) => T | undefined, onLeave: () => void) {
    this.#kept = kept
    this.#convert = convert
    this.#onLeave = onLeave
  }

  next(): Promise<Item<T>> {
    if (this.#asked.length === 0) {
      try {
        const item = this.#take()
        if (item) return Promise.resolve(item)
      } catch (error) {
        return Promise.reject(error)
      }
    }
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject })
    })
  }

  return(): Promise<Item<T>> {
    this.#leave()
    this.serve()
    return Promise.resolve({ done: true, value: undefined })
  }

  serve(): void {
    while (this.#asked.length > 0) {
      try {
        const item = this.#take()
        if (item) this.#asked.shift()?.resolve(item)
        else return
      } catch (error) {
        this.#asked.shift()?.reject(error)
      }
    }
  }

  /** The next item; undefined if it is not there yet. */
  #take(): Item<T> | undefined {
    while (!this.#left) {
      const chunk = this.backlog.length > 0 ? this.backlog.shift() : this.#kept.chunks[this.index++]
      if (!chunk) {
        // Nothing was there to read: the step that was taken is taken back.
        this.index -= 1
        if (!this.#kept.closed) return undefined
        this.#leave()
        break
      }
      const value = this.#convert(chunk)
      if (value !== undefined) return { done: false, value }
    }
    return { done: true, value: undefined }
  }

  #leave(): void {
    this.#left = true
    this.#onLeave()
  }
}
