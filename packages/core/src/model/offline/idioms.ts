/** Turns of phrase whose words name nothing, said in words that a text about it would hold. */
const IDIOMS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:hold|holds|holding|held)\s+(?:[\p{L}]+\s+)?back\b/giu,
    'problems constraints lack shortages poverty weaknesses handicap',
  ],
  [/\bhow many people (?:live|are there) in\b/gi, 'population of'],
  [/\bhow (?:big|large) (?:is|are)\b/gi, 'area size of'],
  [/\bwhere (?:is|are|lies)\b/gi, 'location of'],
  [/\bwho (?:runs|rules|governs|leads)\b/gi, 'government head of'],
  [/\b(?:makes?|earns?) (?:its|their|his|her) (?:money|living)\b/gi, 'economy income exports'],
]

export function plainWords(text: string): string {
  return IDIOMS.reduce((plain, [pattern, words]) => plain.replace(pattern, words), text.slice(0, 20_000))
}
