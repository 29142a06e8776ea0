import type { Source } from './event-stream.ts'

/** What an iterable gives, one after the other as it is read. `end`: lets go of the iterable, which then ends. */
export class IteratedSource<T> implements Source<T> {
  readonly #iterator: AsyncIterator<T>
  readonly #end: () => void
  #item: { readonly value: T } | undefined
  #hasLeft = false

  constructor(items: AsyncIterable<T>, end: () => void) {
    this.#iterator = items[Symbol.asyncIterator]()
    this.#end = end
  }

  take(): T | undefined {
    const item = this.#item
    this.#item = undefined
    return item?.value
  }

  async wait(): Promise<boolean> {
    if (this.#hasLeft) return false
    const item = await this.#iterator.next()
    if (item.done || this.#hasLeft) return false
    this.#item = { value: item.value }
    return true
  }

  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#end()
  }
}
