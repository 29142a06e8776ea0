/** What a stream is made of: something is there, or has to be waited for, or will not come any more. */
export interface Source<T> {
  take(): T | undefined
  /** False: nothing more will come. */
  wait(): Promise<boolean>
  /** The reader has left; `wait` then ends. */
  leave(): void
}

export interface EventStreamOptions<T> {
  readonly source: Source<T>
  /** The frames of an item; undefined for one that the reader is not told. */
  encode(item: T): string | undefined
  /** Frames before everything else. */
  readonly head?: string
  /** Frames at the end, where the stream was read to its end. */
  tail?(): string
  readonly heartbeatMs: number
  /** Aborted when the reader has to leave, whatever else comes. */
  readonly ending: AbortSignal
  /** Called once, when the reader has read all or has left. */
  left(): void
  readonly headers?: Readonly<Record<string, string>>
}

/** How much is handed over at once: what a slow reader has not taken stays in the log, where it costs nothing more. */
const PIECE_LENGTH = 16_384

/** A frame that every parser passes over. */
const HEARTBEAT = ': \n\n'

/**
 * Server-sent events. Nothing is taken from the source before the connection can take it, so a slow reader holds up nobody and costs no
 * memory. While nothing happens, a comment keeps the connection open.
 */
export function eventStream<T>(options: EventStreamOptions<T>): Response {
  const { headers } = options
  return new Response(streamOf(options), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    },
  })
}

function streamOf<T>({ source, encode, head, tail, heartbeatMs, ending, left }: EventStreamOptions<T>): ReadableStream {
  const encoder = new TextEncoder()
  let beat: ReturnType<typeof setInterval> | undefined
  let isQuiet = true
  let isOver = false
  const leave = (): void => source.leave()
  const end = (): void => {
    if (isOver) return
    isOver = true
    clearInterval(beat)
    ending.removeEventListener('abort', leave)
    source.leave()
    left()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (head !== undefined) controller.enqueue(encoder.encode(head))
        if (ending.aborted) leave()
        ending.addEventListener('abort', leave, { once: true })
        // Twice in the time, so that no silence is longer than it, whenever the last event was.
        beat = setInterval(() => {
          if (isQuiet && (controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(HEARTBEAT))
          isQuiet = true
        }, heartbeatMs / 2)
      },
      async pull(controller) {
        try {
          const piece = await nextPiece(source, encode)
          if (isOver) return
          isQuiet = false
          if (piece !== '') return controller.enqueue(encoder.encode(piece))
          const last = ending.aborted ? '' : (tail?.() ?? '')
          if (last !== '') controller.enqueue(encoder.encode(last))
          end()
          controller.close()
        } catch (thrown) {
          end()
          controller.error(thrown)
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  )
}

/** The frames that are there; if there are none, those that come next. Empty at the end. */
async function nextPiece<T>(source: Source<T>, encode: (item: T) => string | undefined): Promise<string> {
  let piece = ''
  for (;;) {
    for (let item = source.take(); item !== undefined; item = source.take()) {
      piece += encode(item) ?? ''
      if (piece.length >= PIECE_LENGTH) return piece
    }
    if (piece !== '' || !(await source.wait())) return piece
  }
}
