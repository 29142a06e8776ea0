import type { Country } from './load.ts'
import { terms } from './terms.ts'

export interface Named {
  /** Codes of the entries that the question names, in the order of the question. */
  readonly byName: readonly string[]
  /** Codes that it only hints at by an adjective ("Brazilian"), with the adjective's terms. */
  readonly byAdjective: ReadonlyMap<string, readonly string[]>
  /** The question's terms without the names: what it asks about them. */
  readonly topic: readonly string[]
  /** Terms of the topic that the question writes with a capital. */
  readonly proper: ReadonlySet<string>
}

interface Hit {
  readonly codes: Set<string>
  readonly length: number
}

/** Finds the countries that a question names: by title, former name, abbreviation or adjective; the longest name wins. */
export class Gazetteer {
  readonly #names = new Map<string, Set<string>>()
  readonly #adjectives = new Map<string, Set<string>>()
  readonly #abbreviations = new Map<string, Set<string>>()
  #longest = 1

  constructor(countries: Iterable<Country>) {
    for (const { code, title, aliases, adjectives } of countries) {
      // Every question about the world says "world"; that names no entry.
      if (code === 'xx') continue
      for (const name of [title, ...aliases]) {
        if (/^[A-Z]{2,5}$/.test(name)) add(this.#abbreviations, name, code)
        else this.#add(this.#names, name, code)
      }
      for (const adjective of adjectives) this.#add(this.#adjectives, adjective, code)
    }
  }

  find(question: string): Named {
    const byName = new Set<string>()
    const byAdjective = new Map<string, readonly string[]>()
    const topic: string[] = []

    // "US" is a country and "us" is not, so abbreviations are looked up as they stand and then taken out.
    const rest = question.replace(/\b([A-Z])\.(?=[A-Z]\b|\s|$)/g, '$1').replace(/\b[A-Z]{2,5}\b/g, (word) => {
      const codes = this.#abbreviations.get(word)
      for (const code of codes ?? []) byName.add(code)
      return codes ? ' ' : word
    })

    const sequence = terms(rest)
    for (let at = 0; at < sequence.length; ) {
      const name = this.#longestAt(this.#names, sequence, at)
      // "French-speaking" is a question about a language, not about France.
      const found = name ? undefined : this.#longestAt(this.#adjectives, sequence, at)
      const adjective = found && /^(speak|language)/.test(sequence[at + found.length] ?? '') ? undefined : found
      for (const code of name?.codes ?? []) byName.add(code)
      const length = name?.length ?? adjective?.length ?? 1
      const here = sequence.slice(at, at + length)
      for (const code of adjective?.codes ?? []) byAdjective.set(code, [...(byAdjective.get(code) ?? []), ...here])
      // An adjective stays in the topic: "French" is a language as well.
      if (!name) topic.push(...here)
      at += length
    }
    const capitals = rest.match(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}]*/gu) ?? []
    return { byName: [...byName], byAdjective, topic: [...new Set(topic)], proper: new Set(capitals.flatMap(terms)) }
  }

  #add(map: Map<string, Set<string>>, name: string, code: string): void {
    const sequence = terms(name)
    if (sequence.length === 0) return
    this.#longest = Math.max(this.#longest, sequence.length)
    add(map, sequence.join(' '), code)
  }

  #longestAt(map: Map<string, Set<string>>, sequence: readonly string[], at: number): Hit | undefined {
    for (let length = Math.min(this.#longest, sequence.length - at); length > 0; length -= 1) {
      const codes = map.get(sequence.slice(at, at + length).join(' '))
      if (codes) return { codes, length }
    }
    return undefined
  }
}

function add(map: Map<string, Set<string>>, key: string, code: string): void {
  const codes = map.get(key)
  if (codes) codes.add(code)
  else map.set(key, new Set([code]))
}
