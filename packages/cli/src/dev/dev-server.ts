import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkProject, onEveryChange } from '@retinue/project'
import { findLocalServers } from '../chat/local-servers.ts'
import { version } from '../command.ts'
import { renderAll } from '../render-findings.ts'
import { problemText } from '../serve/problem-text.ts'
import { FrontDoor } from './front-door.ts'
import { type Examined, GenerationProcess, type Loaded } from './generation-process.ts'
import type { DevState, WantedPlace } from './protocol.ts'
import { startText } from './start-text.ts'

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
}

/** Where `dev` is to be reached if nobody says. */
const PLACE = { port: 4111, host: '127.0.0.1' } as const

/** What `.env` files are called that a development reads. */
const ENV_FILES = ['.env', '.env.local', `.env.${process.env['NODE_ENV'] || 'development'}`]

/** How long what runs may take to end when everything ends. */
const LAST_MS = 3_000

/** A version that ends by itself is started again if it served for so long: one that can't live does not come back for ever. */
const LIVED_MS = 2_000

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
  readonly #retired = new Set<GenerationProcess>()
  #next: GenerationProcess
  #serving: GenerationProcess | undefined
  #state: DevState = { generation: 0, status: 'ok', findings: [] }
  #modules: readonly string[] = []
  #generation = 0
  #turn: Promise<void> = Promise.resolve()
  #shown = ''
  #url = ''

  constructor(options: DevOptions) {
    this.#options = options
    this.#root = realpathSync(resolve(options.path))
    this.#next = new GenerationProcess(this.#root)
    this.#door = new FrontDoor(
      (socket) => {
        if (this.#serving?.isAlive) this.#serving.take(socket)
        else socket.destroy()
      },
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
      await onEveryChange(watched, async () => {
        await this.#lookInTurn()
        return this.#modules
      })
    } finally {
      await this.#end()
    }
  }

  /** Ends every process at once, whatever runs in it. */
  kill(): void {
    for (const process of [this.#next, this.#serving, ...this.#retired]) process?.kill()
  }

  /** One look at a time, whoever asks for it. */
  #lookInTurn(): Promise<void> {
    const looked = this.#turn.then(() => this.#look())
    this.#turn = looked.catch(() => {})
    return looked
  }

  async #look(): Promise<void> {
    const { dir, model, port, host, signal } = this.#options
    const start = performance.now()
    if (!this.#next.isAlive) this.#next = new GenerationProcess(this.#root)
    const fresh = this.#next
    const generation = this.#generation + 1
    const serveFindings = this.#serving === undefined || this.#generation === 0
    const loaded = await fresh.load({ path: this.#root, dir, model, port, host, generation, serveFindings })
    if (signal.aborted) return fresh.kill()
    await this.#settle(loaded, fresh, performance.now() - start)
    this.#next = new GenerationProcess(this.#root)
  }

  async #settle(loaded: Loaded, fresh: GenerationProcess, ms: number): Promise<void> {
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
        const { dir, signal } = this.#options
        const check = await checkProject(this.#root, { signal, ...(dir === undefined ? {} : { dir }) })
        if (signal.aborted) return
        const examined = { check, modules: this.#modules }
        return check.errors > 0 ? this.#broken(examined) : this.#broken(examined, loaded.problem)
      }
    }
  }

  async #serve(loaded: Extract<Loaded, { outcome: 'live' }>, fresh: GenerationProcess, ms: number): Promise<void> {
    const { check, modules } = loaded.examined
    const url = await this.#reach(loaded.place).catch((error: unknown) => {
      if (this.#url === '') throw error
      // It may have begun something, such as a schedule that was due.
      this.#retire(fresh)
      this.#broken(loaded.examined, problemText(error))
      return undefined
    })
    if (url === undefined) return
    if (!fresh.isAlive) return this.#broken(loaded.examined, 'the process that loaded it ended')
    const isGood = check.errors === 0
    const isFirst = this.#generation === 0
    if (isGood) this.#generation++
    this.#modules = modules
    this.#state = { generation: this.#generation, status: isGood ? 'ok' : 'broken', findings: check.findings }
    const before = this.#serving
    this.#serving = fresh
    this.#watchOver(fresh)
    if (before !== undefined) this.#retire(before)
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
      out(`reloaded in ${Math.round(ms)} ms  (version ${this.#generation})\n`)
      if (isMoved) out(`  ➜  ${url}\n`)
      this.#shown = renderAll(check.findings, false)
    }
  }

  /** What a project leaves behind may end its process: then it is started again. */
  #watchOver(process: GenerationProcess): void {
    const since = performance.now()
    void process.ended.then(async () => {
      if (this.#serving !== process || this.#options.signal.aborted) return
      this.#serving = undefined
      const isWorthIt = performance.now() - since > LIVED_MS
      this.#options.err(`version ${this.#generation} ended by itself${isWorthIt ? ': it is started again' : ''}\n`)
      if (isWorthIt) await this.#lookInTurn().catch((error: unknown) => this.#options.err(`${error}\n`))
    })
  }

  #broken(examined: Examined | undefined, problem?: string): void {
    const findings = examined?.check.findings ?? []
    if (examined !== undefined) this.#modules = [...new Set([...this.#modules, ...examined.modules])]
    const generation = this.#generation
    this.#state = { generation, status: 'broken', findings, ...(problem === undefined ? {} : { problem }) }
    this.#serving?.tell({ type: 'state', state: this.#state })
    if (examined !== undefined) this.#show(examined.check)
    if (problem !== undefined) this.#options.err(problem.endsWith('\n') ? problem : `${problem}\n`)
    const nothing = generation === 0 ? 'nothing is served yet' : 'nothing is served'
    const served = generation > 0 && this.#serving ? `version ${generation} serves on` : nothing
    this.#options.err(`✖ not reloaded: ${served}\n`)
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

  #retire(process: GenerationProcess): void {
    this.#retired.add(process)
    void process.ended.then(() => this.#retired.delete(process))
    process.retire()
  }

  /** Ends every process: what runs gets a moment to end. */
  async #end(): Promise<void> {
    this.#door.close()
    this.#next.kill()
    if (this.#serving !== undefined) this.#retire(this.#serving)
    const all = [...this.#retired]
    const timer = setTimeout(() => {
      for (const process of all) process.kill()
    }, LAST_MS)
    await Promise.all([this.#next.ended, ...all.map(({ ended }) => ended)])
    clearTimeout(timer)
  }
}

async function offerOf(): Promise<string | undefined> {
  const [server] = await findLocalServers()
  return server && `${server.name} runs here: RETINUE_MODEL=${server.provider}/${server.models[0]} retinue dev`
}
