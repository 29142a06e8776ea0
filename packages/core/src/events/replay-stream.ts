/**
 * A stream that gives every reader everything from the start. It is an async iterable, which costs little; the methods of a web
 * `ReadableStream` are there for code that wants one, and make one when they are called.
 */
export class ReplayStream<T> implements AsyncIterable<T> {
  readonly #read: () => AsyncIterator<T, undefined>

  constructor(read: () => AsyncIterator<T, undefined>) {
    this.#read = read
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return this.#read()
  }

  /** A new web stream of the whole; cancelling it ends this reader and nothing else. */
  toReadableStream(): ReadableStream<T> {
    const reader = this.#read()
    return new ReadableStream<T>({
      async pull(controller) {
        const { done, value } = await reader.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await reader.return?.()
      },
    })
  }

  getReader(): ReadableStreamDefaultReader<T> {
    return this.toReadableStream().getReader()
  }

  pipeThrough<R>(transform: ReadableWritablePair<R, T>): ReadableStream<R> {
    return this.toReadableStream().pipeThrough(transform)
  }

  pipeTo(destination: WritableStream<T>): Promise<void> {
    return this.toReadableStream().pipeTo(destination)
  }
}
