import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { pid } from 'node:process'
import { fileURLToPath } from 'node:url'
import { compiledFolder } from './compiled-code.ts'
import type { LoadFailure, LoadRequest, LoadResult, ModuleLoader } from './module-loader.ts'
import { inheritedOptions } from './node-options.ts'
import { COMPILED, FOLLOWS, type FromChild, isFromChild, type ToChild } from './protocol.ts'

/** After so many modules that hung, the others are not tried: the time of whoever waits is bounded. */
const MAX_HANGS = 3

/** Importing makes much that soon is garbage: with more room for it, it is looked through more seldom. In MB. */
const ROOM_FOR_THE_YOUNG = '--max-semi-space-size=64'

/** How long a process may take to start, before any module runs in it. */
const START_LIMIT_MS = 30_000

/** What a module left running may keep it from hearing that it shall end. Then only what it compiled is lost. */
const END_LIMIT_MS = 200

export interface ChildLoaderOptions {
  /** How long one module may take to load. */
  readonly timeoutMs: number
  /** Whether it notes which files are loaded. Default: false, as that costs a look at each import. */
  readonly follows?: boolean
  /** The folder in which Node keeps what it compiles. Default: that of this process. */
  readonly compiled?: string | undefined
}

/**
 * Loads modules in a process of its own, so that user code can't hang, crash or end this one. A module that does any of that is a
 * failure with its name; the modules after it are loaded in a new process.
 */
export class ChildLoader implements ModuleLoader {
  readonly #root: string
  readonly #timeoutMs: number
  readonly #flags: readonly string[]
  readonly #strays: { file: string; failure: LoadFailure }[] = []
  readonly #loaded = new Set<string>()
  #child: Child | undefined
  #hangs = 0
  /** Set when no process can be started at all: then no module is to blame. */
  #broken: LoadFailure | undefined

  /** The process starts at once, so that it is ready when discovery is done. */
  constructor(root: string, { timeoutMs, follows = false, compiled = compiledFolder() }: ChildLoaderOptions) {
    this.#root = root
    this.#timeoutMs = timeoutMs
    this.#flags = [...(follows ? [FOLLOWS] : []), ...(compiled === undefined ? [] : [COMPILED + compiled])]
    this.#child = startChild(root, this.#flags)
  }

  async load(requests: readonly LoadRequest[]): Promise<readonly LoadResult[]> {
    const results: LoadResult[] = []
    while (results.length < requests.length) {
      const rest = requests.slice(results.length)
      const broken = this.#broken
      if (broken !== undefined) results.push(...rest.map((): LoadResult => ({ ok: false, failure: broken })))
      else if (this.#hangs >= MAX_HANGS) results.push(...rest.map(() => notTried))
      else results.push(...(await this.#loadUntilFault(rest)))
    }
    return results
  }

  strays(): readonly { readonly file: string; readonly failure: LoadFailure }[] {
    return this.#strays
  }

  /** The files that were loaded, by their absolute paths; none where that is not noted. */
  loaded(): ReadonlySet<string> {
    return this.#loaded
  }

  /**
   * Ends the process and whatever the modules left running in it. What is not loaded by then will not be. Resolves when it is about to end,
   * however this one ends.
   */
  async dispose(): Promise<void> {
    this.#broken ??= { kind: 'exited', message: 'the loading of modules was ended' }
    const child = this.#child
    this.#child = undefined
    if (child?.ready && child.onMessage === undefined) await child.end()
    else child?.kill()
  }

  #endChild(): void {
    this.#child?.kill()
    this.#child = undefined
  }

  /** Loads modules until all are done or one of them takes the process with it; its failure is then the last result. */
  #loadUntilFault(requests: readonly LoadRequest[]): Promise<readonly LoadResult[]> {
    const child = this.#child ?? startChild(this.#root, this.#flags)
    this.#child = child
    const results: LoadResult[] = []
    return new Promise((resolve) => {
      let exiting: LoadFailure | undefined
      let timer: NodeJS.Timeout | undefined
      const finish = (failure?: LoadFailure): void => {
        clearTimeout(timer)
        child.onMessage = undefined
        child.onEnd = undefined
        if (failure !== undefined) {
          this.#endChild()
          results.push({ ok: false, failure })
        }
        resolve(results)
      }
      // What this process had no time to read is read before that: it is not the module that hung then.
      const giveUp = (told: number): void => {
        if (results.length === told) finish(this.#hung())
      }
      const expectNext = (): void => {
        clearTimeout(timer)
        if (results.length === requests.length) finish()
        // Starting is not a module's fault: it has a limit of its own.
        else if (!child.ready) timer = setTimeout(() => child.onEnd?.('it took too long'), START_LIMIT_MS)
        else timer = setTimeout(() => setImmediate(giveUp, results.length), this.#timeoutMs)
      }
      child.onMessage = (message) => {
        if (message.type === 'ready') expectNext()
        if (message.type === 'loaded') for (const file of message.files) this.#loaded.add(file)
        if (message.type === 'exit') exiting = message.failure
        if (message.type === 'stray') {
          const current = requests[Math.min(results.length, requests.length - 1)]
          this.#strays.push({ file: message.failure.at?.file ?? current?.file ?? '', failure: message.failure })
        }
        if (message.type === 'result') {
          results.push(message.result)
          expectNext()
        }
      }
      child.onEnd = (how) => {
        if (!child.ready)
          this.#broken = { kind: 'exited', message: `the process that loads modules did not start (${how})` }
        finish(exiting ?? this.#broken ?? { kind: 'exited', message: `the process that loaded it ended (${how})` })
      }
      if (child.ended !== undefined) child.onEnd(child.ended)
      else {
        child.send({ token: child.token, type: 'load', requests })
        expectNext()
      }
    })
  }

  #hung(): LoadFailure {
    this.#hangs++
    return { kind: 'timeout', message: `it was not loaded after ${seconds(this.#timeoutMs)}` }
  }
}

const notTried: LoadResult = {
  ok: false,
  failure: { kind: 'timeout', message: `it was not loaded, because ${MAX_HANGS} modules before it hung` },
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`
}

/** A running child. The listeners are those of the load in progress. */
interface Child {
  readonly token: string
  ready: boolean
  /** How it ended, once it has. */
  ended: string | undefined
  onMessage: ((message: FromChild) => void) | undefined
  onEnd: ((how: string) => void) | undefined
  send(message: ToChild): void
  /** Lets it keep what it compiled, and ends it: at once where it does not hear. */
  end(): Promise<void>
  kill(): void
}

function startChild(root: string, flags: readonly string[]): Child {
  const token = randomUUID()
  const entry = fileURLToPath(import.meta.resolve('#load-child'))
  const process = fork(entry, [token, root, String(pid), ...flags], {
    cwd: root,
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [...inheritedOptions(), ROOM_FOR_THE_YOUNG],
  })
  const child: Child = {
    token,
    ready: false,
    ended: undefined,
    onMessage: undefined,
    onEnd: undefined,
    // A process that is already gone is told by its end, not by a message that could not be sent.
    send: (message) => void (process.connected && process.send(message, () => {})),
    end: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(() => {
        child.kill()
        resolve()
      }, END_LIMIT_MS)
      const settle = (): void => {
        clearTimeout(timer)
        resolve()
      }
      child.onMessage = ({ type }) => type === 'ending' && settle()
      child.onEnd = settle
      if (child.ended === undefined) child.send({ token, type: 'end' })
      else settle()
      return promise
    },
    kill: () => void process.kill('SIGKILL'),
  }
  process.on('message', (message: unknown) => {
    if (!isFromChild(message, token)) return
    if (message.type === 'ready') child.ready = true
    child.onMessage?.(message)
  })
  watchEnd(process, (how) => {
    child.ended = how
    child.onEnd?.(how)
  })
  // It lives no longer than whoever waits for it.
  process.unref()
  process.channel?.unref()
  return child
}

/** Calls back when the process has ended and its last message has been read; the one may come before the other. */
function watchEnd(process: ChildProcess, onEnd: (how: string) => void): void {
  let how: string | undefined
  const settle = (): void => {
    if (how !== undefined && !process.connected) onEnd(how)
  }
  process.on('exit', (code, signal) => {
    how = signal === null ? `exit code ${code}` : `signal ${signal}`
    settle()
  })
  process.on('disconnect', settle)
  process.on('error', (error) => {
    how ??= error.message
    onEnd(how)
  })
}
