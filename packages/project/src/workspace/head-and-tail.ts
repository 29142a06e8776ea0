/** The start and the end of an output; what is between them is counted and let go while it comes. */
export class HeadAndTail {
  readonly #half: number
  #head: Buffer = Buffer.alloc(0)
  #tail: Buffer = Buffer.alloc(0)
  #total = 0

  constructor(limit: number) {
    this.#half = Math.ceil(limit / 2)
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length
    const room = this.#half - this.#head.length
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)])
    const rest = chunk.subarray(Math.max(0, room))
    if (rest.length === 0) return
    // A copy: a slice of what came would keep all of it in memory.
    const tail = Buffer.concat([this.#tail, rest.subarray(-this.#half)])
    this.#tail = Buffer.from(tail.subarray(-this.#half))
  }

  /** As text. What is no UTF-8 shows as `\uFFFD`. */
  text(): string {
    const left = this.#total - this.#head.length - this.#tail.length
    if (left === 0) return Buffer.concat([this.#head, this.#tail]).toString('utf8')
    return `${this.#head.toString('utf8')}\n… ${left} bytes left out …\n${this.#tail.toString('utf8')}`
  }
}
