import { EXIT } from '../exit-codes.ts'
import { truncateStart } from './display-width.ts'
import { type EndedTurn, LastTurn } from './last-turn.ts'
import { LiveRegion } from './live-region.ts'
import { LiveTurn } from './live-turn.ts'
import { Prompt } from './prompt.ts'
import type { Block } from './render-turn.ts'
import { safeLine, safeText } from './safe-text.ts'
import { TerminalScreen } from './screen.ts'
import { type ChatSession, COMMAND_NAMES, runSlashCommand } from './slash-commands.ts'
import { type Line, paint, type Style, span } from './styled-line.ts'
import { TerminalMode } from './terminal-mode.ts'
import { failedTurn, newTurn, problemOf } from './turn-state.ts'
import { wrap } from './wrap.ts'

export interface TerminalChatOptions {
  readonly session: ChatSession
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** What is said before the first prompt. */
  readonly greeting: readonly string[]
}

/** A conversation in a terminal. */
export class TerminalChat {
  readonly #session: ChatSession
  readonly #greeting: readonly string[]
  readonly #output: NodeJS.WriteStream
  readonly #mode: TerminalMode
  readonly #screen: TerminalScreen
  readonly #region: LiveRegion
  readonly #last: LastTurn
  readonly #prompt: Prompt
  readonly #broken = Promise.withResolvers<number>()
  #expanded = true
  #live: LiveTurn | undefined
  /** Stops the turn that runs. */
  #running: AbortController | undefined

  constructor({ session, input, output, greeting }: TerminalChatOptions) {
    this.#session = session
    this.#greeting = greeting
    this.#output = output
    this.#mode = new TerminalMode(input, output)
    this.#screen = new TerminalScreen(output)
    this.#region = new LiveRegion(this.#screen)
    this.#last = new LastTurn(this.#screen, this.#region)
    this.#prompt = new Prompt({
      input,
      output,
      screen: this.#screen,
      commands: COMMAND_NAMES,
      onToggle: () => this.#toggle(),
      onEscape: () => this.#stop(),
      onInterrupt: (empty) => this.#interrupt(empty),
      onSuspend: () => this.#mode.suspend(() => this.#resumed()),
      onCleared: () => this.#last.detach(),
    })
  }

  /** Holds the conversation until it is ended; gives the exit code. */
  async run(): Promise<number> {
    const resized = (): void => this.#live?.redraw()
    const interrupted = (): void => this.#prompt.interrupt()
    this.#mode.enter()
    this.#output.on('resize', resized)
    process.on('SIGINT', interrupted)
    try {
      this.#say(this.#greeting.join('\n'), 'quiet')
      return await Promise.race([this.#talk(), this.#broken.promise])
    } finally {
      process.removeListener('SIGINT', interrupted)
      this.#output.off('resize', resized)
      this.#prompt.close()
      this.#mode.leave()
    }
  }

  async #talk(): Promise<number> {
    for (;;) {
      const message = await this.#prompt.next()
      if (message === undefined) {
        this.#screen.write('\n')
        return EXIT.ok
      }
      this.#last.detach()
      const outcome = await runSlashCommand(message, this.#session, this.#screen.columns)
      if (outcome === undefined) await this.#turn(message)
      else if (outcome.type === 'exit') return EXIT.ok
      else this.#say(`${outcome.text}\n`, outcome.type === 'say' ? 'plain' : 'bad')
    }
  }

  async #turn(message: string): Promise<void> {
    const { conversation } = this.#session
    const clock = (): number => performance.now()
    const running = new AbortController()
    this.#running = running
    this.#mode.showCursor(false)
    const live = new LiveTurn(newTurn(conversation.agent.id, clock()), {
      region: this.#region,
      columns: () => this.#screen.columns,
      clock,
      expanded: () => this.#expanded,
      footer: () => this.#footer(),
    })
    this.#live = live
    let ended: EndedTurn
    try {
      const result = await live.follow(conversation.say(message, running.signal))
      ended = { turn: live.turn, dropped: !conversation.isAnswered(result) }
    } catch (thrown) {
      ended = { turn: failedTurn(live.turn, problemOf(thrown), clock()), dropped: true }
    }
    this.#live = undefined
    this.#running = undefined
    this.#last.end(ended, this.#expanded)
    this.#mode.showCursor(true)
  }

  /** While a turn runs: the keys, and what was typed ahead. */
  #footer(): Block[] {
    const keys = this.#running?.signal.aborted
      ? 'stopping … Ctrl-C again ends the chat'
      : `Esc stops · Tab ${this.#expanded ? 'collapses' : 'expands'}`
    const ahead = this.#prompt.ahead.map(
      (text): Line => [span('› ', 'active'), span(truncateStart(safeLine(text), this.#screen.columns - 2))],
    )
    return [{ lines: [[span(`  ${keys}`, 'quiet')], ...ahead], settled: 0 }]
  }

  #toggle(): void {
    this.#expanded = !this.#expanded
    if (this.#live) this.#live.redraw()
    else if (this.#last.toggled(this.#expanded, this.#prompt.cursorRow)) this.#prompt.show()
  }

  #stop(): void {
    this.#running?.abort('stopped')
    this.#live?.redraw()
  }

  /** Once stops the turn; once more leaves, whether or not the turn has heeded. */
  #interrupt(empty: boolean): void {
    if (this.#running?.signal.aborted) this.#broken.resolve(EXIT.interrupted)
    else if (this.#running) this.#stop()
    else if (empty) this.#prompt.close()
  }

  #resumed(): void {
    this.#last.detach()
    if (this.#live) this.#live.redraw()
    else this.#prompt.show()
  }

  #say(text: string, style: Style): void {
    this.#last.detach()
    const lines = wrap(safeText(text), this.#screen.columns)
    this.#screen.write(lines.map((line) => `${paint([span(line, style)], true)}\n`).join(''))
  }
}
