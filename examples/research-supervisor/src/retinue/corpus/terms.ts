// What counts as a word, for the index and for the question alike. Both sides have to pass through here: a word that
// is cut differently on one side is never found.

// The second half are words of the request itself ("write a one-page brief about …"): they say what to do with the
// passages, not what the passages are about.
const STOP_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by
  can could did do does doing down during each few for from further had has have having he her here hers him his how i
  if in into is it its just me more most my no nor not now of off on once only or other our out over own s same she
  should so some such t than that the their them then there these they this those through to too under until up us very
  was we were what when where which while who whom why will with would you your
  answer back brief briefly cite cited citation compare comparison contrast describe discuss draft explain fact find gather
  give hold list like look me memo name note one overview page paragraph please quote report request research search section
  sentence short show source summarise summarize summary tell title topic two word write`.split(/\s+/),
)

/** The words of a text in order, lower case, without accents, plurals folded, stop words left out. */
export function terms(text: string): string[] {
  const found: string[] = []
  for (const word of words(text)) if (!STOP_WORDS.has(word)) found.push(singular(word))
  return found
}

function words(text: string): string[] {
  // Almost all of the corpus is ASCII, where normalizing would be wasted time.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the test for ASCII
  const plain = /^[\x00-\x7f]*$/.test(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** "exports" and "export" are one term. Rough on purpose: both sides are cut alike, so a wrong cut still meets itself. */
function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ch|sh|ss|x|zz)es$/.test(word)) return word.slice(0, -2)
  return word.slice(0, -1)
}
