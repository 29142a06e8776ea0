import type { RunResult, RunStream } from '@retinue/core/agent'
import { EXIT } from '../exit-codes.ts'
import { safeLine, safeText } from '../safe-text.ts'
import { type Desk, decidePending, type WaitingRun } from './decide-pending.ts'
import { truncateStart } from './display-width.ts'
import { type EndedTurn, LastTurn } from './last-turn.ts'
import { LiveRegion } from './live-region.ts'
import { LiveTurn } from './live-turn.ts'
import { Prompt } from './prompt.ts'
import type { Block } from './render-turn.ts'
import { TerminalScreen } from './screen.ts'
import { type ChatSession, COMMAND_NAMES, runSlashCommand } from './slash-commands.ts'
import { type Line, paint, type Style, span } from './styled-line.ts'
import { TerminalMode } from './terminal-mode.ts'
import { failedTurn, newTurn, problemOf, resumedTurn, type TurnState } from './turn-state.ts'
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
  /** The turn that runs. */
  #running: { readonly stop: (why: string) => void; isStopped: boolean } | undefined
  /** How the turn that was last ended, or waits. */
  #shown: TurnState | undefined
  readonly #desk: Desk = {
    say: (text, tone) => this.#say(text, tone),
    ask: (question, draft) => this.#prompt.ask(question, draft),
    follow: (stream, { toolCallId }) => {
      const { agent } = this.#session.conversation
      const shown = this.#shown?.runId === stream.runId ? this.#shown : { ...newTurn(agent.id, 0), runId: stream.runId }
      const turn = resumedTurn(shown, toolCallId, clock())
      return this.#follow(Promise.resolve(stream), turn, (why) => stream.abort(why))
    },
  }

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
    await this.#decideWaiting()
    for (;;) {
      const message = await this.#prompt.next()
      if (message === undefined) {
        this.#screen.write('\n')
        return EXIT.ok
      }
      this.#last.detach()
      const { conversation } = this.#session
      const thread = conversation.threadId
      const outcome = await runSlashCommand(message, this.#session, this.#screen.columns)
      if (outcome === undefined) await this.#turn(message)
      else if (outcome.type === 'exit') return EXIT.ok
      else this.#say(`${outcome.text}\n`, outcome.type === 'say' ? 'plain' : 'bad')
      if (conversation.threadId !== thread) await this.#decideWaiting()
    }
  }

  async #turn(message: string): Promise<void> {
    const { conversation } = this.#session
    const running = new AbortController()
    const turn = newTurn(conversation.agent.id, clock())
    const result = await this.#follow(conversation.say(message, running.signal), turn, (why) => running.abort(why))
    if (result?.pendingCalls) await this.#decide({ runId: result.runId, calls: result.pendingCalls })
  }

  /** What was left for later is asked when its conversation is gone on with. */
  async #decideWaiting(): Promise<void> {
    for (const run of await this.#session.conversation.waiting()) await this.#decide(run)
  }

  async #decide(run: WaitingRun): Promise<void> {
    const { conversation, flags } = this.#session
    await decidePending(run, conversation, this.#desk, flags)
  }

  /** Shows a run until it ends, or waits. Undefined: it could not begin, or what read it broke. */
  async #follow(
    beginning: Promise<RunStream>,
    turn: TurnState,
    stop: (why: string) => void,
  ): Promise<RunResult | undefined> {
    const running = { stop, isStopped: false }
    this.#running = running
    this.#mode.showCursor(false)
    const live = new LiveTurn(turn, {
      region: this.#region,
      columns: () => this.#screen.columns,
      clock,
      expanded: () => this.#expanded,
      footer: () => this.#footer(),
    })
    this.#live = live
    let ended: EndedTurn
    let result: RunResult | undefined
    try {
      result = await live.follow(beginning)
      ended = { turn: live.turn, dropped: !this.#session.conversation.isAnswered(result) }
    } catch (thrown) {
      ended = { turn: failedTurn(live.turn, problemOf(thrown), clock()), dropped: true }
    }
    this.#live = undefined
    this.#running = undefined
    this.#shown = ended.turn
    this.#last.end(ended, this.#expanded)
    this.#mode.showCursor(true)
    return result
  }

  /** While a turn runs: the keys, and what was typed ahead. */
  #footer(): Block[] {
    const keys = this.#running?.isStopped
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
    if (this.#running) {
      this.#running.isStopped = true
      this.#running.stop('stopped')
    }
    this.#live?.redraw()
  }

  /** Once stops the turn; once more leaves, whether or not the turn has heeded. */
  #interrupt(empty: boolean): void {
    if (this.#running?.isStopped) this.#broken.resolve(EXIT.interrupted)
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

function clock(): number {
  return performance.now()
}
