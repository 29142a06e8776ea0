import type { Retinue } from '@retinue/core'
import type { RunResult, RunStream } from '@retinue/core/agent'
import { EXIT } from '../exit-codes.ts'
import { isRun } from '../run/is-run.ts'
import { isTaskChunk, type TaskChunk } from '../run/task-text.ts'
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
import { fit, type Line, paint, type Style, span } from './styled-line.ts'
import { leftText, TaskBoard } from './task-board.ts'
import { taskLine } from './task-line.ts'
import { TerminalMode } from './terminal-mode.ts'
import { failedTurn, newTurn, problemOf, resumedTurn, type TurnState } from './turn-state.ts'
import { wrap } from './wrap.ts'

export interface TerminalChatOptions {
  readonly session: ChatSession
  /** Whose background tasks go on beside the conversation. */
  readonly app: Retinue
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
  readonly #board: TaskBoard
  /** Calls that a person was asked about: what was left for later is not asked again by itself. */
  readonly #asked = new Set<string>()
  readonly #desk: Desk = {
    say: (text, tone) => this.#say(text, tone),
    ask: (question, draft) => this.#prompt.ask(question, draft),
    follow: async (stream, { toolCallId }) => {
      // A task goes on as before: in the background.
      if (!(await isRun(stream))) return undefined
      const { agent } = this.#session.conversation
      const shown = this.#shown?.runId === stream.runId ? this.#shown : { ...newTurn(agent.id, 0), runId: stream.runId }
      const turn = resumedTurn(shown, toolCallId, clock())
      return this.#follow(Promise.resolve(stream), turn, (why) => stream.abort(why))
    },
  }

  constructor({ session, app, input, output, greeting }: TerminalChatOptions) {
    this.#session = session
    this.#greeting = greeting
    this.#output = output
    this.#mode = new TerminalMode(input, output)
    this.#screen = new TerminalScreen(output)
    this.#region = new LiveRegion(this.#screen)
    this.#last = new LastTurn(this.#screen, this.#region)
    this.#board = new TaskBoard(app, (chunk) => this.#tellTask(chunk))
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
      this.#board.close()
      this.#prompt.close()
      this.#mode.leave()
    }
  }

  async #talk(): Promise<number> {
    const { conversation } = this.#session
    await this.#begin()
    for (;;) {
      const message = await this.#next()
      if (message === undefined) {
        this.#screen.write('\n')
        return this.#leave()
      }
      this.#last.detach()
      const thread = conversation.threadId
      const outcome = await runSlashCommand(message, this.#session, this.#screen.columns)
      if (outcome === undefined) await this.#turn(message)
      else if (outcome.type === 'exit') return this.#leave()
      else this.#say(`${outcome.text}\n`, outcome.type === 'say' ? 'plain' : 'bad')
      if (conversation.threadId !== thread) await this.#begin()
    }
  }

  /** Takes up a conversation: what was left for later is asked, and what goes on in the background is watched. */
  async #begin(): Promise<void> {
    const { conversation } = this.#session
    this.#asked.clear()
    await this.#board.follow(conversation.threadId)
    await this.#decideWaiting()
  }

  /**
   * The next message. What tasks bring or ask in the meantime has its turn at once, unless something is typed: then it is told with the
   * message.
   */
  async #next(): Promise<string | undefined> {
    for (;;) {
      const changed = this.#board.changed()
      await this.#tend()
      const said = this.#prompt.next()
      const message = await Promise.race([said.then((text) => ({ text })), changed])
      if (message) return message.text
      if (!this.#prompt.leave()) return said
    }
  }

  /** Asks what tasks ask, and lets the agent answer to what they have brought. */
  async #tend(): Promise<void> {
    const { conversation } = this.#session
    if (this.#prompt.ahead.length > 0) return
    await this.#decideWaiting()
    if (await this.#board.hasNews(conversation.threadId)) await this.#turn(undefined)
  }

  /** One turn; undefined: nothing new is said. */
  async #turn(message: string | undefined): Promise<void> {
    const { conversation } = this.#session
    const running = new AbortController()
    const { signal } = running
    const turn = newTurn(conversation.agent.id, clock())
    const beginning = message === undefined ? conversation.goOn(signal) : conversation.say(message, signal)
    const result = await this.#follow(beginning, turn, (why) => running.abort(why))
    await this.#board.follow(conversation.threadId)
    if (result?.pendingCalls) await this.#decide({ runId: result.runId, calls: result.pendingCalls })
  }

  async #decideWaiting(): Promise<void> {
    for (const run of await this.#session.conversation.waiting())
      if (run.calls.some(({ toolCallId }) => !this.#asked.has(toolCallId))) await this.#decide(run)
  }

  async #decide(run: WaitingRun): Promise<void> {
    const { conversation, flags } = this.#session
    for (const { toolCallId } of run.calls) this.#asked.add(toolCallId)
    await decidePending(run, conversation, this.#desk, flags)
    await this.#board.follow(conversation.threadId)
  }

  /** Between turns; a turn shows its own. */
  #tellTask(chunk: TaskChunk): void {
    if (this.#live) return
    this.#last.detach()
    this.#prompt.tell([paint(fit(taskLine(chunk), this.#screen.columns), true)])
  }

  async #leave(): Promise<number> {
    const { conversation } = this.#session
    const left = leftText(await this.#board.working(conversation.threadId), conversation.agent.id)
    if (left !== undefined) this.#say(left, 'plain')
    return EXIT.ok
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
      onChunk: (chunk) => {
        if (isTaskChunk(chunk)) this.#board.note(chunk)
      },
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
