import type { Chunk } from '@retinue/core/agent'
import { isRetinueError, RetinueError } from '@retinue/core/errors'
import { createParser } from 'eventsource-parser'
import type { Connection } from './connection.ts'
import { emptyView, reduceView } from './reduce-view.ts'
import type { RootView } from './view.ts'

/** An event of a run, and the id after which a stream can be resumed. */
export interface ClientEvent {
  readonly id: string
  readonly chunk: Chunk
}

export interface EventsOptions {
  /** Ends the reading; the run goes on. */
  readonly signal?: AbortSignal
}

/** How often a connection is made again without a new event, and how long it is waited before. */
export const MOST_ATTEMPTS = 6
const FIRST_WAIT_MS = 500

/**
 * The events of a run, in order and once each. A connection that breaks is made again, and the stream goes on after the last event; it ends
 * with the `finish` of the root run. It can be read once. Rejects with the error of the server, or with `connection-lost`.
 */
export class RunEvents implements AsyncIterable<ClientEvent> {
  readonly #connection: Connection
  readonly #open: () => Promise<Response>
  readonly #signal: AbortSignal | undefined
  #runId: string | undefined
  #last: string | undefined

  /** `open`: makes the first connection. `runId`: where it is known before. */
  constructor(
    connection: Connection,
    open: () => Promise<Response>,
    { signal, runId, after }: EventsOptions & { readonly runId?: string; readonly after?: string | undefined },
  ) {
    this.#connection = connection
    this.#open = open
    this.#signal = signal
    this.#runId = runId
    this.#last = after
  }

  /** The run's id; undefined before the first connection. */
  get runId(): string | undefined {
    return this.#runId
  }

  /** The id of the last event that was read. */
  get lastEventId(): string | undefined {
    return this.#last
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ClientEvent, void> {
    let response: Response | undefined = await this.#open()
    this.#runId = response.headers.get('x-retinue-run-id') ?? this.#runId
    let attempts = 0
    let hasEnded = false
    for (;;) {
      try {
        if (response?.status === 204) return
        for await (const event of eventsOf(response, this.#signal)) {
          attempts = 0
          this.#last = event.id
          yield event
          // One that waited may have been gone on with since: then its stream goes on.
          if (event.chunk.runId === this.#runId) hasEnded = isOver(hasEnded, event.chunk)
        }
      } catch (thrown) {
        if (this.#signal?.aborted) return
        if (thrown instanceof SyntaxError) throw thrown
      }
      if (hasEnded || this.#signal?.aborted) return
      attempts += 1
      if (attempts > MOST_ATTEMPTS) throw connectionLost(this.#runId)
      response = await this.#again(attempts)
      if (this.#signal?.aborted) return
    }
  }

  /** The view of the run after each event. */
  async *views(view: RootView = emptyView()): AsyncGenerator<RootView, void> {
    let state = view
    for await (const { chunk } of this) {
      state = reduceView(state, chunk)
      yield state
    }
  }

  /** The text of the root run, as it comes. */
  async *text(): AsyncGenerator<string, void> {
    for await (const { chunk } of this)
      if (chunk.type === 'text-delta' && chunk.runId === this.#runId)
        yield (chunk as Extract<Chunk, { type: 'text-delta' }>).payload.text
  }

  /** A new connection, after the last event; undefined if it could not be made. */
  async #again(attempt: number): Promise<Response | undefined> {
    await waitBefore(attempt, this.#signal)
    if (this.#signal?.aborted) return undefined
    try {
      return await this.#connection.events(String(this.#runId), this.#last, this.#signal)
    } catch (thrown) {
      // What the server refuses it will refuse again.
      if (isRetinueError(thrown) && Number(thrown.data['status']) < 500) throw thrown
      return undefined
    }
  }
}

/** Whether a run has ended, or stopped, after an event of its own. */
function isOver(before: boolean, { type }: Chunk): boolean {
  return type === 'finish' || (before && type !== 'start')
}

export async function* eventsOf(
  response: Response | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ClientEvent, void> {
  if (!response?.body) return
  const events: ClientEvent[] = []
  const parser = createParser({
    onEvent: ({ id, data }) => void events.push({ id: id ?? '', chunk: JSON.parse(data) as Chunk }),
  })
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const leave = (): void => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', leave, { once: true })
  try {
    for (let item = await reader.read(); !item.done; item = await reader.read()) {
      parser.feed(decoder.decode(item.value, { stream: true }))
      yield* events.splice(0)
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    leave()
  }
}

/** Waits before a connection is made again for the so manieth time, from 1. */
export function waitBefore(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  const milliseconds = FIRST_WAIT_MS * 2 ** (attempt - 1)
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}

function connectionLost(runId: string | undefined): RetinueError {
  return new RetinueError({
    code: 'connection-lost',
    message: `The connection to the run "${runId}" was lost, and could not be made again.`,
    hint: 'The run may go on: read its events again later, after `lastEventId`.',
    data: { runId },
  })
}
