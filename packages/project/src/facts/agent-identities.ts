/**
 * Tells an agent that code made from another, in whichever module each is met: neither its key nor its id does. What is told of modules is
 * plain JSON, so it is a text. One for all modules that a process loads.
 */
export class AgentIdentities {
  readonly #process: string
  readonly #known = new WeakMap<object, string>()
  #count = 0

  /** `process` tells apart those that several processes met, where what they tell is put together. */
  constructor(process: string = '') {
    this.#process = process
  }

  of(agent: object): string {
    const known = this.#known.get(agent)
    if (known !== undefined) return known
    const identity = `${this.#process}#${++this.#count}`
    this.#known.set(agent, identity)
    return identity
  }
}
