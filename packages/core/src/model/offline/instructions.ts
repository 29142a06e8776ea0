import { nameWords } from './tokens.ts'

/** What an agent's own instructions say of one of its tools. */
export interface Evidence {
  text: string
  /** Order of first mention, over all tools. */
  position: number
  always: boolean
}

const NEGATED = /\b(?:never|don't|do not|must not|avoid|without)\b/i
const ALWAYS = /\b(?:always|every (?:answer|request|reply|time)|must|in the end|finish with)\b/i
const CONDITION = /\b(?:if|when|whenever|only|unless|for)\b/i

/** A sentence that names a tool lends its words to that tool; one that names two is shared out at its commas. */
export function evidenceIn(instructions: string, toolNames: readonly string[]): Map<string, Evidence> {
  const patterns = toolNames.map((name) => ({ name, pattern: mentionOf(name) }))
  const found = new Map<string, Evidence>()
  const sentences = instructions.slice(0, 40_000).split(/(?<=[.!?;:])\s+|\n+/)
  let position = 0
  for (const sentence of sentences) {
    if (!patterns.some(({ pattern }) => pattern.test(sentence))) continue
    const negated = NEGATED.test(sentence)
    const always = ALWAYS.test(sentence) && !CONDITION.test(sentence) && !negated
    for (const segment of segmentsOf(sentence, patterns)) {
      const named = patterns
        .map(({ name, pattern }) => ({ name, at: segment.search(pattern) }))
        .filter(({ at }) => at >= 0)
        .sort((a, b) => a.at - b.at)
      for (const { name } of named) {
        const known = found.get(name) ?? { text: '', position: position++, always: false }
        if (!negated && named.length === 1) known.text = `${known.text} ${segment}`.trim()
        known.always ||= always
        found.set(name, known)
      }
    }
  }
  return found
}

function segmentsOf(sentence: string, patterns: readonly { pattern: RegExp }[]): string[] {
  const naming = patterns.filter(({ pattern }) => pattern.test(sentence)).length
  return naming > 1 ? sentence.split(/,\s*|\bthen\b|\band\b/) : [sentence]
}

function mentionOf(name: string): RegExp {
  const parts = nameWords(name).map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''))
  const spoken = parts.length > 1 ? `|${parts.join('[\\s_-]?')}` : ''
  const exact = name.replace(/[^\w-]/g, '.')
  return new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${exact}${spoken})(?![\\p{L}\\p{N}_-])`, 'iu')
}
