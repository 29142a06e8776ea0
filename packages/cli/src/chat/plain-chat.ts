import { createInterface } from 'node:readline'
import { isRetinueError } from '@retinue/core/errors'
import { EXIT } from '../exit-codes.ts'
import { errorText, exitCode, exitCodeOf } from '../run/run-end.ts'
import { RunView } from '../run/run-view.ts'
import { safeText } from './safe-text.ts'
import { type ChatSession, runSlashCommand } from './slash-commands.ts'

export interface PlainChatOptions {
  readonly session: ChatSession
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
  /** Stops the turn that runs. */
  #running: AbortController | undefined

  constructor(options: PlainChatOptions) {
    this.#options = options
    const print = (line: string): void => options.err(`${line}\n`)
    this.#view = new RunView({ print, now: () => performance.now(), color: false, told: options.told })
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
      this.#options.input.pause()
    }
  }

  async #talk(): Promise<number> {
    const { session, out, err } = this.#options
    let code: number = EXIT.ok
    for await (const message of this.#messages()) {
      const outcome = await runSlashCommand(message, session)
      if (outcome?.type === 'exit') return code
      if (outcome === undefined) code = await this.#turn(message)
      else if (outcome.type === 'say') out(`${safeText(outcome.text)}\n`)
      else err(`${safeText(outcome.text)}\n`)
      // A pipe has nobody who could go on after a stop.
      if (code === EXIT.interrupted && !this.#interactive) return code
    }
    return this.#interactive ? EXIT.ok : code
  }

  get #interactive(): boolean {
    return this.#options.input.isTTY === true
  }

  /** The messages of the input; a line that ends with a backslash goes on in the next one. */
  async *#messages(): AsyncGenerator<string> {
    const { input, err } = this.#options
    const ask = (): void => {
      if (this.#interactive) err('> ')
    }
    let begun: string[] = []
    ask()
    for await (const line of createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.endsWith('\\')) {
        begun.push(line.slice(0, -1))
        continue
      }
      const message = [...begun, line].join('\n')
      begun = []
      if (message.trim() !== '') yield message
      ask()
    }
    if (begun.join('').trim() !== '') yield begun.join('\n')
  }

  async #turn(message: string): Promise<number> {
    const { session, out, err } = this.#options
    const running = new AbortController()
    this.#running = running
    try {
      const stream = await session.conversation.say(message, running.signal)
      for await (const chunk of stream.events) this.#view.show(chunk)
      const result = await stream.result
      const answered = session.conversation.isAnswered(result)
      if (result.text.trim() !== '') out(`${safeText(result.text).trimEnd()}\n`)
      if (result.error) err(safeText(errorText(result.error)))
      if (!answered) err('Your message stays in the conversation, without an answer.\n')
      else if (result.finishReason !== 'stop' && result.finishReason !== 'aborted')
        err(`The turn ended with ${result.finishReason}: the answer may be unfinished.\n`)
      return exitCode(result)
    } catch (error) {
      // What could not begin is this turn's failure, and not the end of the conversation.
      err(safeText(isRetinueError(error) ? errorText(error) : `error: ${thrownMessage(error)}\n`))
      return isRetinueError(error) ? exitCodeOf(error) : EXIT.failed
    } finally {
      this.#running = undefined
    }
  }

  #interrupt(): void {
    if (this.#running && !this.#running.signal.aborted) this.#running.abort('interrupted')
    else this.#broken.resolve(this.#running || !this.#interactive ? EXIT.interrupted : EXIT.ok)
  }
}

function thrownMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
