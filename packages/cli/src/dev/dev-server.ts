import { realpathSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { checkProject, type Look, onEveryChange } from '@retinue/project'
import { findLocalServers } from '../chat/local-servers.ts'
import { version } from '../command.ts'
import { renderAll } from '../render-findings.ts'
import { problemText } from '../serve/problem-text.ts'
import { FrontDoor } from './front-door.ts'
import { type Examined, GenerationProcess, type Loaded } from './generation-process.ts'
import type { DevState, LoadOrder, WantedPlace } from './protocol.ts'
import { startText } from './start-text.ts'
import { type Fallen, Versions } from './versions.ts'

export interface DevOptions {
  /** The project's directory. */
  readonly path: string
  readonly dir: string | undefined
  readonly model: string | undefined
  readonly port: number | undefined
  readonly host: string | undefined
  readonly colors: boolean
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Ends it. */
  readonly signal: AbortSignal
  /** How long a version must have served to be trusted, in milliseconds. Default: 2,000. */
  readonly trialMs?: number
}

/** Where `dev` is to be reached if nobody says. */
const PLACE = { port: 4111, host: '127.0.0.1' } as const

/** What `.env` files are called that a development reads. */
const ENV_FILES = ['.env', '.env.local', `.env.${process.env['NODE_ENV'] || 'development'}`]

/** How long what runs may take to end when everything ends. */
const LAST_MS = 4_000

/** How long a version must have served so that the one before it is let go, and it is started again if it ends by itself. */
const LIVED_MS = 2_000

/** How long it loads before that is said: at the start everything is slower, and nobody waits for a save. */
const STILL_MS = { first: 5_000, later: 1_000 } as const

/**
 * Serves a folder, and takes every change into it: a version of the project is a process, which loads the folder once. The last one that
 * loads serves; the one before ends when what it began has ended.
 */
export class DevServer {
  readonly #options: DevOptions
  readonly #root: string
  readonly #door: FrontDoor
  /** Model servers on this machine are offered, and never used unasked. They are asked while the folder loads. */
  readonly #offer: Promise<string | undefined> = offerOf()
  readonly #versions: Versions
  #next: GenerationProcess
  /** Tells what is wrong where no version serves, once it does. */
  #teller: GenerationProcess | undefined
  #state: DevState = { generation: 0, status: 'ok', findings: [] }
  /** The files that count beside those of the application's folder. */
  #files = new Set<string>()
  /** The number that the last version got. */
  #given = 0
  #lookAgain = (): void => {}
  #shown = ''
  #url = ''

  constructor(options: DevOptions) {
    this.#options = options
    this.#root = realpathSync(resolve(options.path))
    this.#next = new GenerationProcess(this.#root)
    const { trialMs = LIVED_MS } = options
    this.#versions = new Versions({ trialMs, onFallen: (fallen) => this.#fallen(fallen) })
    this.#door = new FrontDoor(
      (socket) => this.#versions.take(socket),
      (error) => options.err(`warning: a connection could not be taken: ${error.message}\n`),
    )
  }

  /** Serves until the signal ends it. Throws what listening throws at the start. */
  async run(): Promise<void> {
    const { dir, signal } = this.#options
    // What loads may hang: it is not waited for.
    signal.addEventListener('abort', () => this.#next.kill(), { once: true })
    try {
      const watched = { root: this.#root, dir, signal, files: ENV_FILES }
      await onEveryChange(watched, async ({ superseded, again, watch }) => {
        this.#lookAgain = again
        await this.#look({ superseded, watch })
        return [...this.#files]
      })
    } finally {
      await this.#end()
    }
  }

  /** Ends every process at once, whatever runs in it. */
  kill(): void {
    this.#next.kill()
    this.#teller?.kill()
    this.#versions.kill()
  }

  /** A newer change ends it in the middle: what hangs must not keep what mends it. */
  async #look({ superseded, watch }: Pick<Look, 'superseded' | 'watch'>): Promise<void> {
    const { signal } = this.#options
    const start = performance.now()
    if (!this.#isThere) return this.#broken(undefined, this.#gone)
    if (!this.#next.isAlive) this.#next = new GenerationProcess(this.#root)
    const fresh = this.#next
    const giveUp = (): void => fresh.kill()
    superseded.addEventListener('abort', giveUp, { once: true })
    const still = setTimeout(() => this.#sayStill(), this.#given === 0 ? STILL_MS.first : STILL_MS.later)
    try {
      const serveFindings = (this.#versions.serving?.generation ?? 0) === 0
      // Watched before it runs: what changes in it later is not missed, not even while it loads.
      fresh.onLoaded((path) => {
        const file = this.#relative(path)
        this.#files.add(file)
        watch([file])
      })
      const loaded = await fresh.load({ ...this.#order(), serveFindings })
      if (signal.aborted) return fresh.kill()
      if (superseded.aborted && loaded.outcome !== 'live') fresh.kill()
      else await this.#settle(loaded, fresh, { ms: performance.now() - start, superseded })
      this.#next = new GenerationProcess(this.#root)
    } finally {
      clearTimeout(still)
      superseded.removeEventListener('abort', giveUp)
    }
  }

  get #isThere(): boolean {
    return statSync(this.#root, { throwIfNoEntry: false })?.isDirectory() ?? false
  }

  get #gone(): string {
    return `the project's folder ${this.#root} is not there: put it back, or end this and start it where the folder is now`
  }

  #order(): LoadOrder {
    const { dir, model, port, host } = this.#options
    return { path: this.#root, dir, model, port, host, generation: this.#given + 1, serveFindings: true }
  }

  #relative(file: string): string {
    return relative(this.#root, file).replaceAll(sep, '/')
  }

  #sayStill(): void {
    const { serving } = this.#versions
    const until = serving?.generation ? `: version ${serving.generation} serves until it has` : ''
    this.#options.err(`… it still loads${until}; the next save starts anew\n`)
  }

  async #settle(loaded: Loaded, fresh: GenerationProcess, { ms, superseded }: Looked): Promise<void> {
    switch (loaded.outcome) {
      case 'live':
        return this.#serve(loaded, fresh, ms)
      case 'errors':
        fresh.kill()
        return this.#broken(loaded.examined)
      case 'failed':
        fresh.kill()
        return this.#broken(loaded.examined, loaded.problem)
      case 'lost': {
        fresh.kill()
        // Which module it was, only a process that is watched module by module can say.
        const signal = AbortSignal.any([this.#options.signal, superseded])
        const { dir } = this.#options
        if (!this.#isThere) return this.#broken(undefined, this.#gone)
        const check = await checkProject(this.#root, { signal, ...(dir === undefined ? {} : { dir }) })
        if (signal.aborted) return
        const examined = { check, files: [] }
        return check.errors > 0 ? this.#broken(examined) : this.#broken(examined, loaded.problem)
      }
    }
  }

  async #serve(loaded: Extract<Loaded, { outcome: 'live' }>, fresh: GenerationProcess, ms: number): Promise<void> {
    const { check, files } = loaded.examined
    const url = await this.#reach(loaded.place).catch((error: unknown) => {
      if (this.#url === '') throw error
      // It may have begun something, such as a schedule that was due.
      this.#versions.retire(fresh)
      this.#broken(loaded.examined, problemText(error))
      return undefined
    })
    if (url === undefined) return
    if (!fresh.isAlive) return this.#broken(loaded.examined, (await fresh.down).problem)
    const isGood = check.errors === 0
    const isFirst = this.#given === 0
    const generation = isGood ? ++this.#given : 0
    this.#files = new Set([...files, ...fresh.loaded.map((path) => this.#relative(path))])
    this.#state = { generation, status: isGood ? 'ok' : 'broken', findings: check.findings }
    this.#versions.serve({ process: fresh, generation })
    await this.#tellServed(loaded, { url, isFirst, ms })
  }

  async #tellServed(
    { examined: { check }, tree }: Extract<Loaded, { outcome: 'live' }>,
    { url, isFirst, ms }: { readonly url: string; readonly isFirst: boolean; readonly ms: number },
  ): Promise<void> {
    const { out, colors } = this.#options
    const isMoved = url !== this.#url
    this.#url = url
    if (check.errors > 0) {
      this.#show(check)
      return out(`  ➜  ${url}  serves what is wrong until it is mended\n`)
    }
    if (isFirst) {
      const [ms, offer] = [performance.now(), await this.#offer]
      out(startText({ version: version(), ms, url, tree, warnings: check.warnings, offer, colors }))
    } else {
      if (check.findings.length > 0) this.#show(check)
      out(`reloaded in ${Math.round(ms)} ms  (version ${this.#given})\n`)
      if (isMoved) out(`  ➜  ${url}\n`)
      this.#shown = renderAll(check.findings, false)
    }
  }

  /** A version can't serve on: why is told, and another one serves. */
  #fallen({ version: { generation }, then, how, problem }: Fallen): void {
    const { err } = this.#options
    const said = lines(problem)
    if (then === 'aside') {
      err(`in version ${generation}, which serves no more: ${said}`)
      return
    }
    const served = this.#versions.serving
    this.#state = { ...this.#state, generation: served?.generation ?? 0, status: 'broken', problem }
    if (then === 'restart') {
      this.#versions.tell(this.#state)
      err(`${said}✖ version ${generation} ${how === 'threw' ? 'is given up' : 'is gone'}: it is started again\n`)
      this.#lookAgain()
    } else {
      served?.process.tell({ type: 'resume', state: this.#state })
      const after = served === undefined ? 'nothing is served' : `version ${served.generation} serves again`
      err(`${said}✖ version ${generation} did not live: ${after}\n`)
      this.#tellWhereNothingServes()
    }
  }

  #broken(examined: Examined | undefined, problem?: string): void {
    const findings = examined?.check.findings ?? []
    // These count, too, until a version without them serves.
    for (const file of examined?.files ?? []) this.#files.add(file)
    const generation = this.#versions.serving?.generation ?? 0
    this.#state = { generation, status: 'broken', findings, ...(problem === undefined ? {} : { problem }) }
    this.#versions.tell(this.#state)
    if (examined !== undefined) this.#show(examined.check)
    if (problem !== undefined) this.#options.err(lines(problem))
    const nothing = this.#given === 0 ? 'nothing is served yet' : 'nothing is served'
    this.#options.err(`✖ not reloaded: ${generation > 0 ? `version ${generation} serves on` : nothing}\n`)
    this.#tellWhereNothingServes()
  }

  /** Where no version serves, what is wrong is told to those who ask, by a process that loads nothing. */
  #tellWhereNothingServes(): void {
    if (this.#versions.serving !== undefined || this.#teller !== undefined) return
    const teller = new GenerationProcess(this.#root)
    this.#teller = teller
    const done = async (): Promise<void> => {
      const loaded = await teller.load({ ...this.#order(), only: this.#state })
      const isWanted = this.#versions.serving === undefined && !this.#options.signal.aborted
      if (loaded.outcome !== 'live' || !isWanted) return teller.kill()
      this.#url ||= await this.#reach(loaded.place)
      this.#versions.serve({ process: teller, generation: 0 })
      // It may have changed meanwhile.
      this.#versions.tell(this.#state)
      this.#options.out(`  ➜  ${this.#url}  serves what is wrong until it is mended\n`)
    }
    void done()
      .catch((error: unknown) => {
        teller.kill()
        this.#options.err(problemText(error))
      })
      .finally(() => (this.#teller = undefined))
  }

  /** Findings that were shown are not shown again after every save. */
  #show({ findings }: Examined['check']): void {
    const plain = renderAll(findings, false)
    if (plain === this.#shown || findings.length === 0) return
    this.#shown = plain
    this.#options.err(`${renderAll(findings, this.#options.colors)}\n`)
  }

  /** Opens the door where it is wanted, before the version that serves is given up. */
  #reach({ port, host }: WantedPlace): Promise<string> {
    return this.#door.open({ port: port ?? PLACE.port, host: host ?? PLACE.host, isFixed: port !== undefined })
  }

  /** Ends every process: what runs gets a moment to end. */
  async #end(): Promise<void> {
    this.#door.close()
    const rest = [this.#next, ...(this.#teller === undefined ? [] : [this.#teller])]
    for (const process of rest) process.kill()
    await Promise.all([this.#versions.end(LAST_MS), ...rest.map(({ ended }) => ended)])
  }
}

interface Looked {
  /** How long it took to load. */
  readonly ms: number
  readonly superseded: AbortSignal
}

function lines(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}

async function offerOf(): Promise<string | undefined> {
  const [server] = await findLocalServers()
  return server && `${server.name} runs here: RETINUE_MODEL=${server.provider}/${server.models[0]} retinue dev`
}
