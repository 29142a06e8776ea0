import { createInterface } from 'node:readline'
import type { Retinue } from '@retinue/core'
import type { RunResult, RunStream } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import { EXIT } from '../exit-codes.ts'
import { isRun } from '../run/is-run.ts'
import { errorText, exitCode, exitCodeOf } from '../run/run-end.ts'
import { RunView } from '../run/run-view.ts'
import { isTaskChunk } from '../run/task-text.ts'
import { safeText } from '../safe-text.ts'
import { type Desk, decidePending, type WaitingRun } from './decide-pending.ts'
import { type ChatSession, runSlashCommand } from './slash-commands.ts'
import { leftText, TaskBoard } from './task-board.ts'

export interface PlainChatOptions {
  readonly session: ChatSession
  /** Whose background tasks go on beside the conversation. */
  readonly app: Retinue
  readonly input: NodeJS.ReadStream
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** What is said before the first message. */
  readonly greeting: readonly string[]
  /** What the greeting said of models: it is not said again. */
  readonly told: readonly string[]
}

/** A conversation without a terminal, or without its arts: a message a line, only ever adding lines. */
export class PlainChat {
  readonly #options: PlainChatOptions
  readonly #view: RunView
  readonly #broken = Promise.withResolvers<number>()
  /** The turn that runs. */
  #running: { readonly stop: (why: string) => void; isStopped: boolean } | undefined
  /** That of the turn that was last. */
  #code: number = EXIT.ok
  #lines: AsyncIterator<string> | undefined
  readonly #desk: Desk = {
    say: (text) => this.#options.err(`${safeText(text)}\n`),
    // The lines of a pipe are messages, and were written before anybody could see the question.
    ask: async (question) => (this.#interactive ? this.#line(`${question} ›`) : undefined),
    follow: async (stream) => {
      // A task goes on as before: in the background.
      if (!(await isRun(stream))) return undefined
      return this.#follow(Promise.resolve(stream), (why) => stream.abort(why))
    },
  }
  readonly #board: TaskBoard
  /** Calls that a person was asked about: what was left for later is not asked again by itself. */
  readonly #asked = new Set<string>()

  constructor(options: PlainChatOptions) {
    this.#options = options
    const print = (line: string): void => options.err(`${line}\n`)
    this.#view = new RunView({ print, now: () => performance.now(), color: false, told: options.told })
    this.#board = new TaskBoard(options.app, (chunk) => this.#running ?? this.#view.show(chunk))
  }

  /** Holds the conversation to the end of the input; gives the exit code: that of the last turn. */
  async run(): Promise<number> {
    const interrupted = (): void => this.#interrupt()
    process.on('SIGINT', interrupted)
    try {
      for (const line of this.#options.greeting) this.#options.err(`${safeText(line)}\n`)
      return await Promise.race([this.#talk(), this.#broken.promise])
    } finally {
      process.removeListener('SIGINT', interrupted)
      this.#board.close()
      this.#options.input.pause()
    }
  }

  async #talk(): Promise<number> {
    const { session, out, err } = this.#options
    let code: number = await this.#begin(EXIT.ok)
    for await (const message of this.#messages()) {
      const thread = session.conversation.threadId
      const outcome = await runSlashCommand(message, session)
      if (outcome?.type === 'exit') return this.#leave(code)
      if (outcome === undefined) code = await this.#turn(message)
      else if (outcome.type === 'say') out(`${safeText(outcome.text)}\n`)
      else err(`${safeText(outcome.text)}\n`)
      if (session.conversation.threadId !== thread) code = await this.#begin(code)
      else if (this.#interactive) await this.#decideWaiting(code)
      // A pipe has nobody who could go on after a stop.
      if (code === EXIT.interrupted && !this.#interactive) return code
    }
    return this.#interactive ? this.#leave(EXIT.ok) : this.#finish(code)
  }

  /** Takes up a conversation: what was left for later is asked, and what goes on in the background is watched. */
  async #begin(code: number): Promise<number> {
    this.#asked.clear()
    await this.#board.follow(this.#options.session.conversation.threadId)
    return this.#decideWaiting(code)
  }

  /** A pipe has said all that it has to say: its tasks are waited for, and the agent answers to what they bring. */
  async #finish(code: number): Promise<number> {
    const { threadId } = this.#options.session.conversation
    // Waiting for what another process does keeps no process alive.
    const awake = setInterval(() => {}, A_WHILE_MS)
    try {
      for (let last = code; ; ) {
        const changed = this.#board.changed()
        if (await this.#board.hasNews(threadId)) last = await this.#turn(undefined)
        else if ((await this.#board.working(threadId)).length > 0) await changed
        else return this.#decideWaiting(last)
        if (last === EXIT.interrupted) return last
      }
    } finally {
      clearInterval(awake)
    }
  }

  async #leave(code: number): Promise<number> {
    const { conversation } = this.#options.session
    const left = leftText(await this.#board.working(conversation.threadId), conversation.agent.id)
    if (left !== undefined) this.#options.err(`${left}\n`)
    return code
  }

  get #interactive(): boolean {
    return this.#options.input.isTTY === true
  }

  /** The messages of the input; a line that ends with a backslash goes on in the next one. */
  async *#messages(): AsyncGenerator<string> {
    let begun: string[] = []
    for (;;) {
      const line = await this.#line('>')
      if (line === undefined) break
      if (line.endsWith('\\')) {
        begun.push(line.slice(0, -1))
        continue
      }
      const message = [...begun, line].join('\n')
      begun = []
      if (message.trim() !== '') yield message
    }
    if (begun.join('').trim() !== '') yield begun.join('\n')
  }

  /** The next line of the input, which a person is asked for; undefined at its end. */
  async #line(question: string): Promise<string | undefined> {
    const { input, err } = this.#options
    this.#lines ??= createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY })[
      Symbol.asyncIterator
    ]()
    if (this.#interactive) err(`${question} `)
    const { value, done } = await this.#lines.next()
    return done ? undefined : value
  }

  /** One turn; undefined: nothing new is said. */
  async #turn(message: string | undefined): Promise<number> {
    const { conversation } = this.#options.session
    const running = new AbortController()
    const { signal } = running
    const beginning = message === undefined ? conversation.goOn(signal) : conversation.say(message, signal)
    const result = await this.#follow(beginning, (why) => running.abort(why))
    await this.#board.follow(conversation.threadId)
    if (result?.pendingCalls) await this.#decide({ runId: result.runId, calls: result.pendingCalls })
    return this.#code
  }

  /** Asks what was not asked yet. Gives the exit code, which is `code` if nothing waits. */
  async #decideWaiting(code: number): Promise<number> {
    const waiting = await this.#options.session.conversation.waiting()
    for (const run of waiting)
      if (run.calls.some(({ toolCallId }) => !this.#asked.has(toolCallId))) await this.#decide(run)
    return waiting.length > 0 ? this.#code : code
  }

  async #decide(run: WaitingRun): Promise<void> {
    const { conversation, flags } = this.#options.session
    this.#code = EXIT.waiting
    for (const { toolCallId } of run.calls) this.#asked.add(toolCallId)
    await decidePending(run, conversation, this.#desk, flags)
    await this.#board.follow(conversation.threadId)
  }

  /** Shows a run until it ends, or waits, and takes down its exit code. Undefined: it could not begin. */
  async #follow(beginning: Promise<RunStream>, stop: (why: string) => void): Promise<RunResult | undefined> {
    const { session, out, err } = this.#options
    const running = { stop, isStopped: false }
    this.#running = running
    try {
      const stream = await beginning
      for await (const chunk of stream.events) {
        if (isTaskChunk(chunk)) this.#board.note(chunk)
        this.#view.show(chunk)
      }
      const result = await stream.result
      const answered = session.conversation.isAnswered(result)
      if (result.text.trim() !== '') out(`${safeText(result.text).trimEnd()}\n`)
      if (result.error) err(safeText(errorText(result.error)))
      if (!answered) err('Your message stays in the conversation, without an answer.\n')
      else if (!WELL_ENDED.has(result.finishReason))
        err(`The turn ended with ${result.finishReason}: the answer may be unfinished.\n`)
      this.#code = exitCode(result)
      return result
    } catch (error) {
      // What could not begin is this turn's failure, and not the end of the conversation.
      err(safeText(isRetinueError(error) ? errorText(error) : `error: ${thrownMessage(error)}\n`))
      this.#code = isRetinueError(error) ? exitCodeOf(error) : EXIT.failed
      return undefined
    } finally {
      this.#running = undefined
    }
  }

  #interrupt(): void {
    if (this.#running && !this.#running.isStopped) {
      this.#running.isStopped = true
      this.#running.stop('interrupted')
    } else this.#broken.resolve(this.#running || !this.#interactive ? EXIT.interrupted : EXIT.ok)
  }
}

const A_WHILE_MS = 60_000

/** Ends after which nothing is missing that is not said. */
const WELL_ENDED: ReadonlySet<string> = new Set(['stop', 'aborted', 'suspended'])

function thrownMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
