const ABBREVIATION =
  /(?:\b(?:e\.g|i\.e|etc|vs|approx|est|dr|mr|mrs|ms|st|vol|fig|inc|ltd|jr|sr|gen|col|lt|cf|ca)|\b\p{Lu}|\b(?:\p{Lu}\.)+\p{Lu})$/iu
const READ_AT_MOST = 60_000
const LONGEST = 350
const SHORTEST = 60
const MOST = 2000

/** Sentences exactly as they stand, so that each can be quoted; never across lines. */
export function sentencesOf(text: string): string[] {
  const found: string[] = []
  for (const line of text.slice(0, READ_AT_MOST).split(/\r?\n/)) {
    let start = 0
    for (const match of line.matchAll(/[.!?]["”’')\]]*\s+(?=["“‘'([]?[\p{Lu}\p{N}])|[。！？]/gu)) {
      const end = match.index + match[0].trimEnd().length
      if (match[0].startsWith('.') && isAbbreviation(line.slice(start, match.index))) continue
      push(found, line.slice(start, end))
      start = match.index + match[0].length
    }
    push(found, line.slice(start))
  }
  return found
}

function isAbbreviation(before: string): boolean {
  return ABBREVIATION.test(before.slice(-12))
}

/** A sentence too long to quote is taken clause by clause. */
function push(found: string[], raw: string): void {
  const sentence = raw.trim()
  if (sentence.length <= LONGEST) {
    if (/[\p{L}\p{N}]/u.test(sentence)) found.push(sentence)
    return
  }
  const semicolon = sentence.lastIndexOf('; ', LONGEST)
  const comma = sentence.lastIndexOf(', ', LONGEST)
  const space = sentence.lastIndexOf(' ', LONGEST)
  let end = [semicolon, comma, space].find((at) => at > SHORTEST) ?? LONGEST
  const code = sentence.charCodeAt(end - 1)
  if (code >= 0xd800 && code <= 0xdbff) end--
  push(found, sentence.slice(0, end))
  if (found.length < MOST) push(found, sentence.slice(end).replace(/^[;,\s]+/, ''))
}
