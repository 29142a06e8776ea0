import type { Socket } from 'node:net'
import type { Down, GenerationProcess } from './generation-process.ts'
import type { DevState } from './protocol.ts'

/** What serves. */
export interface Version {
  readonly process: GenerationProcess
  /** From 1; 0 for what only tells what is wrong. */
  readonly generation: number
}

/**
 * What it means that a version can't serve on. `returned`: it served for a moment only, and the one before serves again; `restart`: it had
 * served for longer, and is to be started again; `nothing`: it served for a moment only, and no other one is there; `aside`: it did not
 * serve any more.
 */
export type Fallen = Down & { readonly version: Version; readonly then: 'returned' | 'restart' | 'nothing' | 'aside' }

export interface VersionsOptions {
  /** How long a version serves before the one before it is let go. */
  readonly trialMs: number
  /** Hears of each that can not serve on. */
  readonly onFallen: (fallen: Fallen) => void
}

/**
 * The versions that are alive. One serves; the one before rests until that has served for a moment, as what loads may still die of what
 * it left behind; and those before end when what they began has ended.
 */
export class Versions {
  readonly #options: VersionsOptions
  readonly #ending = new Set<GenerationProcess>()
  #serving: Version | undefined
  #resting: Version | undefined
  #standing: 'tried' | 'proven' | 'given up' = 'tried'
  #trial: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor(options: VersionsOptions) {
    this.#options = options
  }

  get serving(): Version | undefined {
    return this.#serving?.process.isAlive ? this.#serving : undefined
  }

  /** From now on this one serves. */
  serve(version: Version): void {
    const before = this.#serving
    // Of what was never proven the oldest is the best there is.
    const isBest = this.#standing === 'proven' || (this.#standing === 'tried' && this.#resting === undefined)
    if (before !== undefined && isBest && before.generation > 0 && before.process.isAlive) {
      this.#resting = before
      before.process.tell({ type: 'rest' })
    } else if (before !== undefined) this.retire(before.process)
    this.#serving = version
    this.#standing = 'tried'
    clearTimeout(this.#trial)
    this.#trial = setTimeout(() => this.#prove(), this.#options.trialMs)
    void version.process.down.then((down) => this.#fell(version, down))
  }

  /** Hands a connection to the one that serves; who asks while none does asks again. */
  take(socket: Socket): void {
    const { serving } = this
    if (serving === undefined) socket.destroy()
    else serving.process.take(socket)
  }

  tell(state: DevState): void {
    this.#serving?.process.tell({ type: 'state', state })
  }

  /** Lets what runs in a process end, and then the process. */
  retire(process: GenerationProcess): void {
    this.#ending.add(process)
    void process.ended.then(() => this.#ending.delete(process))
    process.retire()
  }

  kill(): void {
    for (const process of [this.#serving?.process, this.#resting?.process, ...this.#ending]) process?.kill()
  }

  /** Ends all of them; what runs gets so long to end. */
  async end(graceMs: number): Promise<void> {
    this.#hasEnded = true
    clearTimeout(this.#trial)
    for (const version of [this.#serving, this.#resting]) if (version !== undefined) this.retire(version.process)
    const all = [...this.#ending]
    // To be aborted, to be given up, and to be kept so takes schedules up to two seconds of their own, and a process ends after that.
    for (const process of all) process.retire(graceMs / 4)
    const timer = setTimeout(() => {
      for (const process of all) process.kill()
    }, graceMs)
    await Promise.all(all.map(({ ended }) => ended))
    clearTimeout(timer)
  }

  #prove(): void {
    this.#standing = 'proven'
    this.#letGo()
  }

  /** Gives up what rests. */
  #letGo(): void {
    if (this.#resting !== undefined) this.retire(this.#resting.process)
    this.#resting = undefined
  }

  #fell(version: Version, down: Down): void {
    if (this.#hasEnded) return
    const then = this.#after(version, down)
    if (then !== undefined) this.#options.onFallen({ ...down, version, then })
  }

  #after(version: Version, { how }: Down): Fallen['then'] | undefined {
    if (version === this.#resting) this.#letGo()
    // One that was told to end does.
    if (version !== this.#serving) return how === 'threw' ? 'aside' : undefined
    if (this.#standing !== 'tried') {
      // What lives serves on until it is there again, and does not come back after that.
      this.#standing = 'given up'
      if (how === 'ended') this.#serving = undefined
      return 'restart'
    }
    clearTimeout(this.#trial)
    this.retire(version.process)
    this.#serving = this.#resting
    this.#resting = undefined
    this.#standing = 'proven'
    return this.#serving === undefined ? 'nothing' : 'returned'
  }
}
