import type { Lease } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { directEffects } from './direct-effects.ts'

/** How long nobody else may work on a run after the last sign of life, in milliseconds. */
const LEASE_MS = 10_000

/** The right of this process to work on a run, kept up by signs of life for as long as it lasts. */
export class HeldLease {
  readonly holder: string = directEffects.newId()
  /** Called once, when somebody else has the run. */
  onLost: () => void = () => {}
  readonly #storage: Storage
  readonly #runId: string
  #stop: (() => void) | undefined
  #isHeld = false

  constructor(storage: Storage, runId: string) {
    this.#storage = storage
    this.#runId = runId
  }

  /** As it is written now. */
  terms(): Lease {
    return { holder: this.holder, until: directEffects.now() + LEASE_MS }
  }

  /** Begins to give signs of life, three in the time of a lease. It has been written before. */
  hold(): void {
    this.#isHeld = true
    this.#beat()
  }

  /** Gives no more signs of life: it was written that nobody works on the run, or somebody else has it. */
  end(): void {
    this.#isHeld = false
    this.#stop?.()
  }

  /** Lets others have the run at once. Where not even that can be written, they have it when the lease is over. */
  async release(): Promise<void> {
    this.end()
    await this.#storage.runs.release({ runId: this.#runId, holder: this.holder }).catch(() => {})
  }

  #beat(): void {
    this.#stop = directEffects.startTimer(LEASE_MS / 3, () => void this.#renew(), true)
  }

  async #renew(): Promise<void> {
    // A store that does not answer is asked again; the lease itself says when it is too late.
    const isMine = await this.#storage.runs.renew({ runId: this.#runId, ...this.terms() }).catch(() => true)
    if (!this.#isHeld) return
    if (isMine) return this.#beat()
    this.end()
    this.onLost()
  }
}
