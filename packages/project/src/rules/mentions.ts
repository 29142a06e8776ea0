import { proseOf } from './prose.ts'

/** A word in instructions that is, or may be, the name of a tool or a subagent. */
export interface Mention {
  readonly name: string
  readonly start: number
  /** It stands between backticks. */
  readonly isCode: boolean
  /** What the words around it say that it is, if they say so. */
  readonly as: 'tool' | 'subagent' | 'delegate' | undefined
}

const NAME = '[A-Za-z][A-Za-z0-9_-]*[A-Za-z0-9]'
/** A name between backticks, or bare. */
const WORD = new RegExp(`\`(?<code>${NAME})\`|(?<![\\w/.@\`'"-])(?<bare>${NAME})(?![\\w/@\`-])`, 'g')

const TOOL_BEFORE = /\btool (?:called |named )?$/i
const TOOL_AFTER = /^ tool\b/i
const SUBAGENT_BEFORE = /\bsub-?agent (?:called |named )?$/i
const SUBAGENT_AFTER = /^ (?:sub-?)?agent\b/i
const DELEGATE_BEFORE = /\bdelegat(?:e|es|ing)\b[^`]*\bto (?:the )?$/i
/** In such a sentence the name may be one that is not there by intent. */
const NEGATION = /\b(?:no|not|never|without|cannot|avoid|instead|nor)\b|n['’]t\b/i

/** Finds the mentions in a text, in order. What stands in a block of code is an example, and not looked at. */
export function* mentionsIn(text: string): Iterable<Mention> {
  const prose = proseOf(text)
  for (const match of prose.matchAll(WORD)) {
    const { code, bare } = match.groups ?? {}
    const name = code ?? bare ?? ''
    const isCode = code !== undefined
    // Most words are only words.
    if (
      !isCode &&
      !isWrittenAsCode(name) &&
      !/\bto (?:the )?$/i.test(prose.slice(Math.max(0, match.index - 8), match.index))
    )
      continue
    const before = sentenceBefore(prose, match.index)
    if (NEGATION.test(before)) continue
    const end = match.index + match[0].length
    const as = kindOf(before, prose.slice(end, end + 12))
    const start = end - name.length - (isCode ? 1 : 0)
    if (isCode || as === 'delegate' || isWrittenAsCode(name)) yield { name, start, isCode, as }
  }
}

/** `search_web` and `searchWeb` are no words of a language. */
export function isWrittenAsCode(name: string): boolean {
  return /_|[a-z][A-Z]/.test(name)
}

function kindOf(before: string, after: string): Mention['as'] {
  if (DELEGATE_BEFORE.test(before)) return 'delegate'
  if (TOOL_BEFORE.test(before) || TOOL_AFTER.test(after)) return 'tool'
  return SUBAGENT_BEFORE.test(before) || SUBAGENT_AFTER.test(after) ? 'subagent' : undefined
}

function sentenceBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 200), at)
  return before.slice(Math.max(...['. ', '! ', '? ', ';', '\n'].map((end) => before.lastIndexOf(end))) + 1)
}
