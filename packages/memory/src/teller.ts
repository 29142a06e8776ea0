import { thrownMessage, warn, withoutSecrets } from '@retinue/core/memory'

/** Tells of what goes wrong in a memory and need not stop a run: where the application wants its warnings, or in the process's. */
export class Teller {
  /** Codes of what is told once. */
  readonly #told: Set<string>
  readonly #warn: (code: string, message: string) => void

  constructor(told: Set<string> = new Set(), to: (code: string, message: string) => void = warn) {
    this.#told = told
    this.#warn = to
  }

  /** The same teller, for a run whose application wants its warnings elsewhere. */
  to(wanted: ((code: string, message: string) => void) | undefined): Teller {
    return wanted ? new Teller(this.#told, wanted) : this
  }

  once(code: string, message: string): void {
    if (this.#told.has(code)) return
    this.#told.add(code)
    this.#warn(code, message)
  }

  /** `what`: what could not be done; `thrown`: why, where something was thrown. */
  tell(code: string, what: string, thrown?: unknown): void {
    const why = thrown === undefined ? '' : `: ${withoutSecrets(thrownMessage(thrown))}`
    this.#warn(code, `In a memory ${what}${why}`)
  }

  notIndexed(threadId: string, thrown: unknown): void {
    this.tell('memory-not-indexed', `messages of the thread "${threadId}" can't be recalled by meaning`, thrown)
  }
}
