/**
 * The ids of calls of a tree that goes on where others of the same root run go on too, maybe in other processes, and can't know which ids
 * these have used since: each new id gets a number that no other tree counts to. So a decision that names a call means one.
 */
export class ApartCallIds extends Map<string, number> {
  readonly #from: number

  /** `id`: unguessable, and new each time. */
  constructor(id: string) {
    super()
    this.#from = FIRST + (Number.parseInt(id.slice(0, 8), 16) || 0) * RANGE
  }

  /** What has no number of this tree may be somebody else's. */
  override has(id: string): boolean {
    return super.has(id) || !this.#isOwn(id)
  }

  /** From where on it is counted. */
  override get(id: string): number {
    // Whatever others counted to before: their numbers are not this tree's.
    return Math.max(super.get(id) ?? 0, this.#from)
  }

  #isOwn(id: string): boolean {
    const [, digits] = /_(\d+)$/.exec(id) ?? []
    const n = Number(digits)
    return n > this.#from && n <= this.#from + RANGE
  }
}

/** Smaller numbers are those of trees that were never apart. */
const FIRST = 10_000

/** How many ids a tree has. */
const RANGE = 10_000
