/** Longer ones are no ids; nor are those that a database would cut, or take one for another. */
const LONGEST_ID = 256

function isId(given: string): boolean {
  return given !== '' && given.length <= LONGEST_ID && given.isWellFormed() && !given.includes('\0')
}

/** Makes the ids of calls unique in a root run: providers repeat them across calls, and some within one. */
export class CallIds {
  readonly #taken: Map<string, number>
  /** Ids of the model call being read: what the provider calls them, and what they are here. */
  #names: Map<string, { id: string; made: boolean }> | undefined

  constructor(taken: Map<string, number>) {
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
    const stem = isId(given) ? given : 'call'
    let id = stem
    if (this.#taken.has(stem)) {
      // Some providers give every call the same id: the count goes on where it stood.
      let n = this.#taken.get(stem) ?? 1
      do id = `${stem}_${++n}`
      while (this.#taken.has(id))
      this.#taken.set(stem, n)
    }
    this.#taken.set(id, 1)
    this.#names ??= new Map()
    this.#names.set(given, { id, made })
    return id
  }
}
