/** Makes the ids of calls unique in a root run: providers repeat them across calls, and some within one. */
export class CallIds {
  readonly #taken: Set<string>
  /** Ids of the model call being read: what the provider calls them, and what they are here. */
  #names: Map<string, { id: string; made: boolean }> | undefined

  constructor(taken: Set<string>) {
    this.#taken = taken
  }

  /** The id of a call whose arguments begin to stream. */
  begin(given: string): string {
    const known = this.#names?.get(given)
    return known && !known.made ? known.id : this.#add(given, false)
  }

  /** The id of a call that is made: the one that it streamed under, if it did. */
  made(given: string): string {
    const known = this.#names?.get(given)
    if (!known || known.made) return this.#add(given, true)
    known.made = true
    return known.id
  }

  /** The id under which a call of this model call is known, for its later parts. */
  known(given: string): string | undefined {
    return this.#names?.get(given)?.id
  }

  #add(given: string, made: boolean): string {
    const stem = given === '' ? 'call' : given
    let id = stem
    for (let n = 2; this.#taken.has(id); n++) id = `${stem}_${n}`
    this.#taken.add(id)
    this.#names ??= new Map()
    this.#names.set(given, { id, made })
    return id
  }
}
