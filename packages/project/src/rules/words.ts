/** Words that say nothing of what an agent does. */
const EMPTY = new Set(
  `a an the this that these it its is are be to of for in on at by with and or from into as if when whenever you your need
   needs use used using uses please agent agents subagent subagents assistant assistants helper helpers specialist bot ai`.split(
    /\s+/,
  ),
)

/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]/u

/** The words of a text that carry meaning: in lower case, without a plural's ending, each once. */
export function meaningfulWords(text: string): Set<string> {
  const words = wordsOf(text.toLowerCase()).filter((word) => !EMPTY.has(word))
  return new Set(words.map((word) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word)))
}

/** The words that a name is made of: `factChecker`, `fact-checker` and `fact_checker` are two. */
export function wordsOfName(name: string): Set<string> {
  return meaningfulWords(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' '))
}

function wordsOf(text: string): string[] {
  if (!UNSPACED.test(text)) return text.match(/[\p{L}\p{N}]+/gu) ?? []
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}
