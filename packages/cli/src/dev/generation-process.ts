import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type CheckResult, compiledFolder } from '@retinue/project'
import type { FromGeneration, LoadOrder, ToGeneration, TreeLine, WantedPlace } from './protocol.ts'

/** What came of loading a folder. */
export type Loaded =
  | {
      readonly outcome: 'live'
      readonly examined: Examined
      readonly place: WantedPlace
      readonly tree: readonly TreeLine[]
    }
  /** There are errors, and nothing is served. */
  | { readonly outcome: 'errors'; readonly examined: Examined }
  | { readonly outcome: 'failed'; readonly examined: Examined | undefined; readonly problem: string }
  /** It hung, or ended: which module is to blame it could not say. */
  | { readonly outcome: 'lost'; readonly problem: string }

export interface Examined {
  readonly check: CheckResult
  /** The files that count, relative to the project. */
  readonly files: readonly string[]
}

/** Of what loads nothing. */
const NOTHING: Examined = {
  check: { findings: [], errors: 0, warnings: 0, agents: 0, tree: { agents: [] } },
  files: [],
}

/** Why a version that was live can't serve on. */
export interface Down {
  /** `threw`: it lives, and what runs in it may end. */
  readonly how: 'threw' | 'ended'
  readonly problem: string
}

/** How long a folder may take to load. A module that takes longer than its own limit is found by `checkProject` then. */
const LIMIT_MS = 15_000

/** A process for one version of the project; see `generation.ts`. It is started before there is anything to load. */
export class GenerationProcess {
  readonly #child: ChildProcess
  readonly #loaded = new Set<string>()
  #onLoaded = (_path: string): void => {}
  #examined: Examined | undefined
  #onEvent: ((event: FromGeneration | { type: 'ended'; how: string }) => void) | undefined
  #ended: string | undefined
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>
  /** Resolves when it ended, or when something in it threw that nobody caught. */
  readonly down: Promise<Down>

  constructor(cwd: string) {
    const entry = fileURLToPath(import.meta.resolve('#generation'))
    const compiled = compiledFolder()
    this.#child = fork(entry, [String(process.pid), ...(compiled === undefined ? [] : [compiled])], {
      cwd,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: process.execArgv,
    })
    const down = Promise.withResolvers<Down>()
    this.down = down.promise
    this.#child.on('message', (message: FromGeneration) => {
      if (message.type === 'examined') this.#examined = { check: message.check, files: message.files }
      if (message.type === 'file') {
        this.#loaded.add(message.path)
        this.#onLoaded(message.path)
      }
      if (message.type === 'stray') down.resolve({ how: 'threw', problem: message.problem })
      this.#onEvent?.(message)
    })
    this.ended = new Promise((resolve) => {
      const gone = (how: string): void => {
        this.#ended ??= how
        this.#onEvent?.({ type: 'ended', how })
        down.resolve({ how: 'ended', problem: `its process ended by itself (${how})` })
        resolve()
      }
      this.#child.on('exit', (code, signal) => {
        const how = signal === null ? `exit code ${code}` : `signal ${signal}`
        this.#ended = how
        // What it said last is read first: it may say why.
        if (this.#child.connected) this.#child.once('disconnect', () => gone(how))
        else gone(how)
      })
      this.#child.on('error', (error) => gone(error.message))
    })
  }

  /** The files that it has loaded, by their absolute paths. */
  get loaded(): readonly string[] {
    return [...this.#loaded]
  }

  /** Who is to hear of the files that it loads from now on. */
  onLoaded(hear: (path: string) => void): void {
    this.#onLoaded = hear
  }

  get isAlive(): boolean {
    return this.#ended === undefined
  }

  /** Loads the folder, once. It never rejects. */
  load(order: LoadOrder): Promise<Loaded> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish({ outcome: 'lost', problem: 'it did not load in time' }), LIMIT_MS)
      const finish = (loaded: Loaded): void => {
        clearTimeout(timer)
        this.#onEvent = undefined
        resolve(loaded)
      }
      this.#onEvent = (event) => {
        const examined = this.#examined
        if (event.type === 'failed') finish({ outcome: 'failed', examined, problem: event.problem })
        else if (event.type === 'ended')
          finish({ outcome: 'lost', problem: `the process that loaded it ended (${event.how})` })
        else if (event.type === 'live')
          finish({ outcome: 'live', examined: examined ?? NOTHING, place: event.place, tree: event.tree })
        else if (event.type === 'examined' && event.check.errors > 0 && !order.serveFindings && examined !== undefined)
          finish({ outcome: 'errors', examined })
      }
      if (this.#ended === undefined) this.#send({ type: 'load', order })
      else finish({ outcome: 'lost', problem: `the process that loads it ended (${this.#ended})` })
    })
  }

  take(socket: Socket): void {
    // A connection that can't be handed over any more is closed: who asked asks again.
    if (!this.#child.connected) socket.destroy()
    else this.#child.send({ type: 'connection' } satisfies ToGeneration, socket, (error) => error && socket.destroy())
  }

  tell(message: Extract<ToGeneration, { type: 'state' | 'rest' | 'resume' }>): void {
    this.#send(message)
  }

  /** Lets what runs in it end, schedules for so many milliseconds at most, and then the process. To say so again is harmless. */
  retire(schedulesMs?: number): void {
    this.#send({ type: 'retire', ...(schedulesMs === undefined ? {} : { schedulesMs }) })
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #send(message: ToGeneration): void {
    // A process that is already gone is told by its end.
    if (this.#child.connected) this.#child.send(message, () => {})
  }
}
