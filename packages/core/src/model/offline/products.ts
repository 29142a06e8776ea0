import { stem, words } from './tokens.ts'

/** What tools hand to each other, by kind, so that "findings" of one can feed the "notes" of another. */
export type ProductClass = 'material' | 'document' | 'outline' | 'transcript'

const WORDS: Readonly<Record<ProductClass, string>> = {
  material:
    'research fact finding findings note source evidence data material quote passage statistic insight bullet citation reference',
  document: 'draft article report brief essay post memo newsletter manuscript copy',
  outline: 'outline storyline',
  transcript: 'transcript transcription',
}

const CLASS_OF = new Map<string, ProductClass>()
for (const [kind, text] of Object.entries(WORDS)) {
  for (const word of text.split(' ')) if (isClass(kind)) CLASS_OF.set(stem(word), kind)
}

function isClass(kind: string): kind is ProductClass {
  return kind in WORDS
}

const CONSUMES = [
  /\b(?:turn|turning|transform|transforming|convert|converting|shape|shaping|rework|make|combine|combining|synthesi[sz]e)s?\s+(.{3,80}?)\s+into\b/gi,
  /\b(?:from|based on|given|out of|using)\s+((?:[\w-]+[\s,]+){0,6}[\w-]+)/gi,
  /\b(?:review|edit|polish|proofread|critique|check|fact-check|improve|rewrite|summari[sz]e|condense|translate)s?\s+((?:[\w-]+[\s,]+){0,4}[\w-]+)/gi,
]

/** Finders gather *from* sources without being fed by anyone; such a phrase must not turn them into consumers. */
const GATHERS = /\b(?:gather|collect|search|find|look|retrieve|fetch|extract|research)\w*\b[^.;]*?\bfrom\b[^.;]*/gi

export function productsIn(text: string): { consumes: Set<ProductClass>; produces: Set<ProductClass> } {
  const consumes = new Set<ProductClass>()
  const source = text.slice(0, 4000)
  let rest = source
  const own = source.replace(GATHERS, ' ')
  for (const pattern of CONSUMES) {
    for (const match of own.matchAll(pattern)) {
      for (const kind of classesIn(match[1] ?? '')) consumes.add(kind)
      rest = rest.replace(match[1] ?? '', ' ')
    }
  }
  const produces = new Set<ProductClass>()
  for (const kind of classesIn(rest)) if (!consumes.has(kind) || kind === 'document') produces.add(kind)
  return { consumes, produces }
}

function classesIn(text: string): Set<ProductClass> {
  const found = new Set<ProductClass>()
  for (const word of words(text)) {
    const kind = CLASS_OF.get(stem(word))
    if (kind !== undefined) found.add(kind)
  }
  return found
}

const KIND = String.raw`(?:brief|report|article|essay|summary|draft|memo|newsletter|one-pager|write-up|blog post|paper|overview)s?\b`
const OUTPUT = new RegExp(
  String.raw`\b(?:an?|as|into|one|short|brief|final|structured|[\w-]+-(?:page|paragraph|word))\s+(?:[\w-]+\s+){0,3}?${KIND}`,
  'i',
)

/** "a one-page brief": the request wants something written, whatever else it asks. */
export function wantsDocument(request: string): boolean {
  return OUTPUT.test(request.slice(0, 20_000))
}
