/**
 * What ends a root run early. One scope serves the whole tree: a set of callbacks is far cheaper than one `AbortSignal` listener
 * for every call, and only code that is not ours (models, tools) is handed the signal itself.
 */
export class AbortScope {
  readonly #controller = new AbortController()
  readonly #callbacks = new Set<() => void>()
  #release: (() => void) | undefined

  /** Follows `outer` until `dispose()`. */
  constructor(outer?: AbortSignal) {
    if (!outer) return
    if (outer.aborted) {
      this.abort(outer.reason)
      return
    }
    const listener = (): void => this.abort(outer.reason)
    outer.addEventListener('abort', listener, { once: true })
    this.#release = () => outer.removeEventListener('abort', listener)
  }

  /** A scope that ends with `outer`, and can end before it, until `dispose()`. */
  static within(outer: AbortScope): AbortScope {
    const inner = new AbortScope()
    inner.#release = outer.onAbort(() => inner.abort(outer.signal.reason))
    return inner
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get aborted(): boolean {
    return this.#controller.signal.aborted
  }

  abort(reason?: unknown): void {
    if (this.aborted) return
    this.#controller.abort(reason)
    const callbacks = [...this.#callbacks]
    this.#callbacks.clear()
    for (const callback of callbacks) callback()
  }

  /** Calls back once when the run is aborted, at once if it already was. The returned function takes the callback back. */
  onAbort(callback: () => void): () => void {
    if (this.aborted) {
      callback()
      return () => {}
    }
    this.#callbacks.add(callback)
    return () => {
      this.#callbacks.delete(callback)
    }
  }

  /** The promise's outcome, or `ABORTED` as soon as the run is aborted: what ignores the signal is not waited for. */
  race<T>(promise: PromiseLike<T>): Promise<T | typeof ABORTED> {
    return new Promise<T | typeof ABORTED>((resolve, reject) => {
      const release = this.onAbort(() => resolve(ABORTED))
      promise.then(
        (value) => {
          release()
          resolve(value)
        },
        (error: unknown) => {
          release()
          reject(error)
        },
      )
    })
  }

  /** Lets go of the outer signal, so that a long-lived one does not collect listeners. */
  dispose(): void {
    this.#release?.()
    this.#release = undefined
    this.#callbacks.clear()
  }
}

/** Stands for "the run was aborted before this settled". */
export const ABORTED: unique symbol = Symbol('retinue.aborted')
