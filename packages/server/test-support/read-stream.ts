import { createParser } from 'eventsource-parser'

/** A frame of a stream, as a parser gives it. */
export interface Frame {
  readonly id: string | undefined
  readonly data: string
}

/** Reads server-sent events frame by frame. */
export class StreamReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  readonly #frames: Frame[] = []
  readonly comments: string[] = []
  readonly #parser = createParser({
    onEvent: ({ id, data }) => void this.#frames.push({ id, data }),
    onComment: (comment) => void this.comments.push(comment),
  })

  constructor(response: Response) {
    if (!response.body) throw new Error('the response has no body')
    this.#reader = response.body.getReader()
  }

  /** The next frame; undefined at the end. */
  async next(): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.#frames.shift()
      if (frame) return frame
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#parser.feed(this.#decoder.decode(value, { stream: true }))
    }
  }

  /** Reads to the end. */
  async rest(): Promise<Frame[]> {
    const frames: Frame[] = []
    for (let frame = await this.next(); frame; frame = await this.next()) frames.push(frame)
    return frames
  }

  /** The frame, from here on, of an event of some type. */
  async until(type: string): Promise<Frame> {
    for (let frame = await this.next(); frame; frame = await this.next())
      if (frame.data !== '[DONE]' && JSON.parse(frame.data).type === type) return frame
    throw new Error(`no event ${type} came`)
  }

  leave(): Promise<void> {
    return this.#reader.cancel()
  }
}

export interface TestChunk {
  readonly type: string
  readonly runId: string
  readonly path: readonly string[]
  readonly payload: Record<string, unknown>
}

/** All the events of a stream. */
export async function chunksOf(response: Response): Promise<TestChunk[]> {
  const frames = await new StreamReader(response).rest()
  return frames.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data))
}
