const BRACKETED_PASTE = ['\x1b[?2004h', '\x1b[?2004l'] as const
const CURSOR = { hide: '\x1b[?25l', show: '\x1b[?25h' } as const
/** Whatever a drawing may have left off in the middle: synchronized output off, wrapping on. */
const SOUND = '\x1b[?2026l\x1b[?7h'

/** Signals that end the process, and the exit code that a shell gives them. */
const ENDINGS = { SIGTERM: 143, SIGHUP: 129 } as const

/**
 * The modes of a terminal in which a conversation is held: keys come one by one, and a paste is marked as one. Whichever way the
 * process ends, short of being killed outright, the terminal is left as it was.
 */
export class TerminalMode {
  readonly #input: NodeJS.ReadStream
  readonly #output: NodeJS.WriteStream
  readonly #undo = (): void => this.leave()
  readonly #endings = Object.entries(ENDINGS).map(([signal, code]) => ({
    signal,
    end: () => {
      this.leave()
      process.exit(code)
    },
  }))
  #on = false

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#input = input
    this.#output = output
  }

  enter(): void {
    if (this.#on) return
    this.#on = true
    process.on('exit', this.#undo)
    for (const { signal, end } of this.#endings) process.on(signal, end)
    this.#input.setRawMode(true)
    this.#output.write(BRACKETED_PASTE[0])
  }

  leave(): void {
    if (!this.#on) return
    this.#on = false
    process.removeListener('exit', this.#undo)
    for (const { signal, end } of this.#endings) process.removeListener(signal, end)
    // The terminal may be gone by now; then there is nothing to leave in order.
    try {
      this.#output.write(`${SOUND}${CURSOR.show}${BRACKETED_PASTE[1]}`)
      this.#input.setRawMode(false)
    } catch {}
  }

  showCursor(shown: boolean): void {
    if (this.#on) this.#output.write(shown ? CURSOR.show : CURSOR.hide)
  }

  /** Ctrl-Z: gives the terminal to the shell, and takes it again when the process goes on. */
  suspend(resumed: () => void): void {
    this.leave()
    process.once('SIGCONT', () => {
      this.enter()
      resumed()
    })
    process.kill(process.pid, 'SIGTSTP')
  }
}
