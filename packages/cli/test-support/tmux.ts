import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

const DEADLINE_MS = 30_000
const POLL_MS = 40

/** A real terminal, with a shell in it. */
export class Tmux {
  readonly #socket = `retinue-${process.pid}-${Math.random().toString(36).slice(2)}`

  constructor(columns: number, rows: number, cwd: string) {
    // Whatever the machine's own settings are: a terminal with colours, in UTF-8, and nothing that says it is CI.
    const { CI: _ci, NO_COLOR: _color, TMUX: _tmux, RETINUE_MODEL: _model, ...env } = process.env
    const size = ['-x', String(columns), '-y', String(rows)]
    try {
      execFileSync('tmux', ['-V'])
    } catch {
      throw new Error('This test needs tmux, a real terminal: apt-get install -y tmux (or brew install tmux).')
    }
    const shell = `PS1='$ ' exec bash --norc --noprofile`
    execFileSync('tmux', [...this.#server, '-u', 'new-session', '-d', ...size, '-c', cwd, shell], {
      env: { ...env, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
    })
    this.#run('set-option', '-g', 'status', 'off')
  }

  get #server(): string[] {
    return ['-L', this.#socket, '-f', '/dev/null']
  }

  #run(...args: string[]): string {
    return execFileSync('tmux', [...this.#server, ...args], { encoding: 'utf8' })
  }

  /** Types a text as it is. */
  type(text: string): void {
    this.#run('send-keys', '-l', text)
  }

  /** Types a text and presses Enter. */
  say(text: string): void {
    this.type(text)
    this.press('Enter')
  }

  /** Presses keys by tmux's names: `Enter`, `Tab`, `Escape`, `C-d`. */
  press(...keys: string[]): void {
    this.#run('send-keys', ...keys)
  }

  /** Pastes as a terminal does, with marks where the program asked for them. */
  paste(text: string): void {
    this.#run('set-buffer', text)
    this.#run('paste-buffer', '-p')
  }

  resize(columns: number, rows: number): void {
    this.#run('resize-window', '-x', String(columns), '-y', String(rows))
  }

  screen(): string {
    return this.#run('capture-pane', '-p').trimEnd()
  }

  /** The screen and all that has scrolled off its top. */
  history(): string {
    return this.#run('capture-pane', '-p', '-S', '-').trimEnd()
  }

  get cursorVisible(): boolean {
    return this.#run('display-message', '-p', '#{cursor_flag}').trim() === '1'
  }

  /** Waits until the screen is as asked, and gives it. */
  async until(asked: RegExp | ((screen: string) => boolean), what: string = String(asked)): Promise<string> {
    const end = performance.now() + DEADLINE_MS
    for (;;) {
      const screen = this.screen()
      if (typeof asked === 'function' ? asked(screen) : asked.test(screen)) return screen
      if (performance.now() > end) throw new Error(`The screen never came to show ${what}. It shows:\n${screen}`)
      await delay(POLL_MS)
    }
  }

  close(): void {
    try {
      this.#run('kill-server')
    } catch {
      // It is gone already.
    }
  }
}
