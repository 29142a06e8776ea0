import { createInterface, type Interface, type Key } from 'node:readline'
import { PassThrough } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import pc from 'picocolors'
import { HidableOutput } from './hidable-output.ts'
import { PasteSplitter, Pastes } from './paste.ts'
import type { Screen } from './screen.ts'

const { cyan, dim } = pc.createColors(true)
const PROMPT = `${cyan('›')} `
const CONTINUED = `${dim('…')} `
const CTRL_D = '\x04'
/** More keys than anybody types at once: a paste in a terminal that marks none. */
const LONG = 2000
/** How long a lone Esc may still become the beginning of an arrow key, in milliseconds. */
const ESCAPE_DELAY = 50

export interface PromptOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly screen: Screen
  /** Commands that Tab completes. */
  readonly commands: readonly string[]
  /** Tab where nothing can be completed, or Ctrl-T. */
  readonly onToggle: () => void
  readonly onEscape: () => void
  /** Ctrl-C; the prompt has let go of what was typed. `empty`: there was nothing. */
  readonly onInterrupt: (empty: boolean) => void
  readonly onSuspend: () => void
  /** The screen above the prompt is not what it was. */
  readonly onCleared: () => void
}

/** The line at which messages are typed. While a turn runs it is hidden, but goes on to take what is typed ahead. */
export class Prompt {
  readonly #options: PromptOptions
  readonly #readline: Interface
  readonly #keys = new PassThrough()
  readonly #output: HidableOutput
  readonly #pastes = new Pastes()
  readonly #splitter = new PasteSplitter()
  readonly #decoder = new StringDecoder('utf8')
  readonly #ready: string[] = []
  #waiting: ((message: string | undefined) => void) | undefined
  /** Takes the answer to a question that is asked in place of the next message. */
  #asking: ((answer: string | undefined) => void) | undefined
  /** Messages alone: an answer is nothing to say again. */
  #history: string[] = []
  #continued: string[] = []
  #closed = false

  constructor(options: PromptOptions) {
    this.#options = options
    this.#output = new HidableOutput(options.output)
    this.#readline = createInterface({
      input: this.#keys,
      output: this.#output,
      terminal: true,
      prompt: PROMPT,
      historySize: 200,
      removeHistoryDuplicates: true,
      escapeCodeTimeout: ESCAPE_DELAY,
      completer: (line: string) => [this.#complete(line), line],
    })
    this.#readline.on('line', (line) => this.#line(line))
    this.#readline.on('history', (history: string[]) => this.#keepHistory(history))
    this.#readline.on('close', () => this.#end())
    this.#readline.on('SIGINT', () => this.interrupt())
    this.#readline.on('SIGTSTP', () => options.onSuspend())
    this.#keys.on('keypress', (_text: string | undefined, key: Key) => this.#key(key))
    options.input.on('data', this.#data)
    options.input.on('end', this.#hangUp)
  }

  /** The next message; undefined at the end. */
  next(): Promise<string | undefined> {
    const message = this.#ready.shift()
    if (message !== undefined) {
      // It was typed while the prompt was hidden: what it answers to must be seen.
      this.#options.screen.write(`${PROMPT}${message.split('\n').join('\n  ')}\n`)
      return Promise.resolve(message)
    }
    if (this.#closed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.show()
    })
  }

  /**
   * The answer to a question, of one line that may be empty; undefined if the person leaves it, with Esc or Ctrl-C. What was typed
   * ahead was said before the question was seen: it is no answer to it, and stays for later. `draft` can be edited.
   */
  ask(question: string, draft = ''): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined)
    const ahead = this.#readline.line
    this.#clearLine()
    return new Promise((resolve) => {
      this.#asking = (answer) => {
        this.#asking = undefined
        this.#output.hidden = true
        this.#readline.setPrompt(this.#continued.length > 0 ? CONTINUED : PROMPT)
        if (ahead !== '') this.#readline.write(ahead)
        resolve(answer)
      }
      this.#readline.setPrompt(`${cyan(`${question} ›`)} `)
      this.show()
      if (draft !== '') this.#readline.write(draft)
    })
  }

  /** What was typed ahead: whole messages, then the beginning of one. */
  get ahead(): readonly string[] {
    return [...this.#ready, ...(this.#readline.line === '' ? [] : [this.#readline.line])]
  }

  /** The row of the cursor, counted from the prompt's first. */
  get cursorRow(): number {
    return this.#readline.getCursorPos().rows
  }

  /** Draws the prompt where the cursor is. */
  show(): void {
    if (this.#closed || !(this.#waiting || this.#asking)) return
    // Readline goes up to where it believes the prompt's first row to be.
    this.#options.screen.write('\n'.repeat(this.cursorRow))
    this.#output.hidden = false
    this.#readline.prompt(true)
  }

  /** Lets go of the wait for a message, if nothing of one is typed; nobody gets one then. False: it goes on waiting, or does not wait. */
  leave(): boolean {
    if (!this.#waiting || this.#closed || this.#readline.line !== '' || this.#continued.length > 0) return false
    this.#waiting = undefined
    this.#output.hidden = true
    this.#options.screen.redraw(this.cursorRow, [])
    return true
  }

  /** Writes lines above the prompt, if it is shown; else where the cursor is. */
  tell(lines: readonly string[]): void {
    const isShown = !this.#closed && (this.#waiting !== undefined || this.#asking !== undefined)
    this.#options.screen.redraw(isShown ? this.cursorRow : 0, lines)
    this.show()
  }

  /** Ctrl-C, or its signal. */
  interrupt(): void {
    if (this.#asking) {
      this.#leave(this.#asking)
      return
    }
    const empty = this.#readline.line === '' && this.#continued.length === 0
    this.#clearLine()
    this.#continued = []
    this.#readline.setPrompt(PROMPT)
    if (!empty) this.#readline.prompt(true)
    this.#options.onInterrupt(empty)
  }

  close(): void {
    this.#options.input.off('data', this.#data)
    this.#options.input.off('end', this.#hangUp)
    this.#options.input.pause()
    this.#readline.close()
  }

  #clearLine(): void {
    this.#readline.write(null, { ctrl: true, name: 'e' })
    this.#readline.write(null, { ctrl: true, name: 'u' })
  }

  /** Leaves a question without an answer. */
  #leave(asking: (answer: undefined) => void): void {
    this.#clearLine()
    this.#options.screen.write('\n')
    asking(undefined)
  }

  #keepHistory(history: string[]): void {
    if (this.#asking) history.splice(0, history.length, ...this.#history)
    else this.#history = [...history]
  }

  readonly #hangUp = (): void => this.#readline.close()

  readonly #data = (chunk: Buffer): void => {
    for (const { type, text } of this.#splitter.feed(this.#decoder.write(chunk))) {
      const keys = type === 'paste' ? this.#pastes.take(text) : text
      this.#press(keys)
    }
  }

  #press(keys: string): void {
    // One by one: in a longer piece readline takes a Tab for text, and loses count of its rows.
    for (const key of keys.length > LONG ? [keys] : keys) {
      // The end of the conversation is not decided while a turn runs.
      if (!this.#closed && (this.#waiting || this.#asking || key !== CTRL_D)) this.#keys.write(key)
    }
  }

  #line(line: string): void {
    if (this.#asking) {
      this.#asking(this.#pastes.expand(line))
      return
    }
    if (line.endsWith('\\')) {
      this.#continued.push(line.slice(0, -1))
      this.#readline.setPrompt(CONTINUED)
      this.#readline.prompt()
      return
    }
    const message = this.#pastes.expand([...this.#continued, line].join('\n'))
    this.#continued = []
    this.#readline.setPrompt(PROMPT)
    if (message.trim() === '') {
      this.#again()
      return
    }
    // From here on the screen belongs to the turn; also what follows in the same chunk of keys must not be seen.
    this.#output.hidden = true
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting) waiting(message)
    else this.#ready.push(message)
  }

  /** Nothing was said: the prompt takes the row that the Enter has cost. */
  #again(): void {
    if (!this.#output.hidden) this.#options.screen.write('\x1b[1A')
    this.#readline.prompt()
  }

  #end(): void {
    this.#closed = true
    this.#asking?.(undefined)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.(undefined)
  }

  #key({ name, ctrl }: Key): void {
    if (name === 'escape' && this.#asking) this.#leave(this.#asking)
    else if (name === 'escape') this.#options.onEscape()
    else if (ctrl === true && name === 't') this.#options.onToggle()
    else if (ctrl === true && name === 'l' && !this.#output.hidden) this.#options.onCleared()
  }

  #complete(line: string): string[] {
    if (this.#asking) return []
    const found = line.startsWith('/') ? this.#options.commands.filter((name) => name.startsWith(line)) : []
    // A list of several would push the screen up.
    if (found.length === 1) return found
    if (found.length === 0) this.#options.onToggle()
    return []
  }
}
