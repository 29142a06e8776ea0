import type { Chunk } from '@retinue/core/agent'
import { isRetinueError, RetinueError } from '@retinue/core/errors'
import { createParser } from 'eventsource-parser'
import { isEndOfTask } from '../task-end.ts'
import type { TaskInfo } from './answers.ts'
import type { Connection } from './connection.ts'
import { isTaskChunk } from './reduce-tasks.ts'
import { emptyView, reduceView } from './reduce-view.ts'
import type { RootView } from './view.ts'

/** An event of a run or a background task, and the id after which a stream can be resumed. */
export interface ClientEvent {
  readonly id: string
  readonly chunk: Chunk
}

export interface EventsOptions {
  /** Ends the reading; the run goes on. */
  readonly signal?: AbortSignal
}

/** Where the reading begins. */
export interface ResumeOptions extends EventsOptions {
  /** After which event: its id. Default: a run from its start; a task from now on, with how it stands. */
  readonly after?: string | undefined
}

/** What is read. */
export interface EventsOf extends ResumeOptions {
  /** The run, or the task; where it is known before. */
  readonly runId?: string
  readonly of?: 'run' | 'task'
}

/** How often a connection is made again without a new event, and how long it is waited before. */
const MOST_ATTEMPTS = 6
const FIRST_WAIT_MS = 500

/**
 * The events of a run, or of a background task, in order and once each. A connection that breaks is made again, and the stream goes on
 * after the last event; it ends with the `finish` of the root run, or with the end of the task. Where the server no longer knows what came
 * after the last event of a task, it goes on with how the task stands. It can be read once. Rejects with the error of the server, or with
 * `connection-lost`.
 */
export class RunEvents implements AsyncIterable<ClientEvent> {
  readonly #connection: Connection
  readonly #open: () => Promise<Response>
  readonly #signal: AbortSignal | undefined
  readonly #of: 'run' | 'task'
  #runId: string | undefined
  #last: string | undefined
  /** Of a task: the path of the agent that works on it. */
  #path: string | undefined

  /** `open`: makes the first connection. */
  constructor(
    connection: Connection,
    { open, signal, runId, after, of = 'run' }: EventsOf & { readonly open?: () => Promise<Response> },
  ) {
    this.#connection = connection
    this.#open = open ?? (() => this.#events())
    this.#signal = signal
    this.#of = of
    this.#runId = runId
    this.#last = after
  }

  /** The id of the run, or of the task; undefined before the first connection to a run that begins with it. */
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
          if (event.id !== '') this.#last = event.id
          this.#notePath(event.chunk)
          yield event
          // What a task that was cancelled leaves behind is of no account.
          if (isEndOfTask(String(this.#runId), event.chunk)) return
          // One that waited may have been gone on with since: then its stream goes on.
          if (event.chunk.runId === this.#runId) hasEnded = isOver(hasEnded, event.chunk)
        }
      } catch (thrown) {
        if (this.#signal?.aborted) return
        if (thrown instanceof SyntaxError) throw thrown
      }
      if (hasEnded || this.#signal?.aborted) return
      attempts += 1
      if (attempts > MOST_ATTEMPTS) throw connectionLost(this.#of, this.#runId)
      response = await this.#again(attempts)
      if (this.#signal?.aborted) return
    }
  }

  /**
   * The view of the run after each event. Those of a task go into the view of the run that began it, if that is given; else the view is one
   * of what works on the task, from where the reading began.
   */
  async *views(view: RootView = emptyView()): AsyncGenerator<RootView, void> {
    let state = view
    for await (const { chunk } of this) {
      // Of a task that is read from its middle nobody tells that its run has begun.
      if (state.runId === '' && this.#isOfTask(chunk)) state = { ...state, runId: chunk.runId, path: chunk.path }
      state = reduceView(state, chunk)
      yield state
    }
  }

  /** The text of the root run, or of what works on the task, as it comes. */
  async *text(): AsyncGenerator<string, void> {
    if (this.#of === 'task' && this.#last !== undefined) await this.#findPath()
    for await (const { chunk } of this)
      if (chunk.type === 'text-delta' && (chunk.runId === this.#runId || this.#isOfTask(chunk)))
        yield (chunk as Extract<Chunk, { type: 'text-delta' }>).payload.text
  }

  /** How a task stands says where it is. What reads a run may come to be told of a task: one that was decided in its place. */
  #notePath(chunk: Chunk): void {
    if (this.#path !== undefined || !isTaskChunk(chunk) || chunk.payload.taskId !== this.#runId) return
    this.#path = pathOf(chunk.path, chunk.payload.toolName)
  }

  /** Where the reading begins after the event that would say it. */
  async #findPath(): Promise<void> {
    const { path, toolName } = await this.#connection.json<TaskInfo>('GET', this.#place(), { signal: this.#signal })
    this.#path = pathOf(path, toolName)
  }

  #isOfTask({ path }: Chunk): boolean {
    return this.#path !== undefined && path.join('/') === this.#path
  }

  #place(): string {
    return `/api/${this.#of}s/${encodeURIComponent(String(this.#runId))}`
  }

  #events(): Promise<Response> {
    return this.#connection.events(this.#place(), this.#last, this.#signal)
  }

  /** A new connection, after the last event; undefined if it could not be made. */
  async #again(attempt: number): Promise<Response | undefined> {
    await waitBefore(attempt, this.#signal)
    if (this.#signal?.aborted) return undefined
    try {
      return await this.#events()
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

function pathOf(path: readonly string[], toolName: string): string {
  return [...path, toolName].join('/')
}

async function* eventsOf(
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
function waitBefore(attempt: number, signal: AbortSignal | undefined): Promise<void> {
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

function connectionLost(of: 'run' | 'task', runId: string | undefined): RetinueError {
  const named = of === 'run' ? 'run' : 'background task'
  return new RetinueError({
    code: 'connection-lost',
    message: `The connection to the ${named} "${runId}" was lost, and could not be made again.`,
    hint: `The ${of} may go on: read its events again later, after \`lastEventId\`.`,
    data: { [`${of}Id`]: runId },
  })
}
