import { isSeeking } from './finder-scope.ts'
import { plainWords } from './idioms.ts'
import type { Passage } from './passages.ts'
import { WEAK_WORDS } from './stop-words.ts'
import { conceptsOf } from './synonyms.ts'
import { contentWords, stem } from './tokens.ts'

const ALIKE = 5

/** Whether a text shares a word of its own with the request; a request of nothing but small words shares with all.
 * `alike` takes words of one meaning too. */
export function sharesWith(request: string, alike = true): (text: string) => boolean {
  const asked = contentWords(plainWords(request)).filter((word) => !isSeeking(word) && !WEAK_WORDS.has(word))
  const stems = new Set(asked.map(stem))
  const concepts = new Set(alike ? asked.flatMap(conceptsOf) : [])
  const heads = new Set(asked.filter((word) => word.length > ALIKE).map((word) => word.slice(0, ALIKE)))
  if (stems.size === 0) return () => true
  return (text) =>
    contentWords(text).some(
      (word) =>
        stems.has(stem(word)) ||
        (word.length > ALIKE && heads.has(word.slice(0, ALIKE))) ||
        conceptsOf(word).some((concept) => concepts.has(concept)),
    )
}

/** What a search returned that has to do with the request. */
export function bearingOn(request: string, passages: readonly Passage[]): Passage[] {
  const shares = sharesWith(request)
  return passages.filter((passage) => shares(`${passage.about} ${passage.reference} ${passage.text}`))
}
