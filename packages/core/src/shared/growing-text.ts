/** Pieces that are joined at once: a string that grows by `+=` keeps every piece alive, at 32 bytes each beside its content. */
const JOIN_AFTER = 4096

/** A text that is said piece by piece, at the cost of its content. */
export class GrowingText {
  readonly #joined: string[] = []
  #pieces: string[] = []

  add(piece: string): void {
    if (this.#pieces.push(piece) < JOIN_AFTER) return
    this.#joined.push(this.#pieces.join(''))
    this.#pieces = []
  }

  toString(): string {
    return this.#joined.join('') + this.#pieces.join('')
  }
}
