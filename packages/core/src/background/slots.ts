/** How many tasks may work at the same time: in all, and of one agent. */
export interface SlotLimits {
  readonly global: number
  readonly perAgent: number
}

interface Waiting {
  readonly agentId: string
  readonly enter: () => void
}

/** The places in which tasks work. Who waits for one gets it in the order of asking, but for those whose agent has none left. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #waiting: Waiting[] = []
  readonly #byAgent = new Map<string, number>()
  #taken = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  #hasRoom(agentId: string): boolean {
    return this.#taken < this.#limits.global && (this.#byAgent.get(agentId) ?? 0) < this.#limits.perAgent
  }

  /** Takes a place if one is free and nobody waits for it; the returned function gives it back. */
  tryTake(agentId: string): (() => void) | undefined {
    if (!this.#hasRoom(agentId) || this.#waiting.some((each) => each.agentId === agentId)) return undefined
    return this.#count(agentId)
  }

  /**
   * Waits for a place; the returned function gives it back, and may be called twice. `onAbort` ends the waiting: then `undefined`, and
   * nothing was taken.
   */
  take(agentId: string, onAbort: (callback: () => void) => () => void): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      let forget = (): void => {}
      const waiting: Waiting = {
        agentId,
        enter: () => {
          forget()
          resolve(this.#count(agentId))
        },
      }
      // Whoever waits already comes first.
      this.#waiting.push(waiting)
      this.#serve()
      if (!this.#waiting.includes(waiting)) return
      forget = onAbort(() => {
        const at = this.#waiting.indexOf(waiting)
        if (at >= 0) this.#waiting.splice(at, 1)
        resolve(undefined)
      })
    })
  }

  #count(agentId: string): () => void {
    let isHeld = true
    this.#taken += 1
    this.#byAgent.set(agentId, (this.#byAgent.get(agentId) ?? 0) + 1)
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#taken -= 1
      const left = (this.#byAgent.get(agentId) ?? 1) - 1
      if (left > 0) this.#byAgent.set(agentId, left)
      else this.#byAgent.delete(agentId)
      this.#serve()
    }
  }

  #serve(): void {
    for (let at = 0; at < this.#waiting.length && this.#taken < this.#limits.global; ) {
      const next = this.#waiting[at] as Waiting
      if (!this.#hasRoom(next.agentId)) {
        at += 1
        continue
      }
      this.#waiting.splice(at, 1)
      next.enter()
    }
  }
}
