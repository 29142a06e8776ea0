import { readFile } from 'node:fs/promises'
import type { Severity } from '../findings/finding.ts'
import { editDistance } from '../names.ts'

/** The page of one code of `check`: what it means, why it matters, how to mend it, with a tree that has it and one that has not. */
export interface DiagnosticPage {
  readonly code: string
  readonly severity: Severity
  /** One sentence. */
  readonly summary: string
  /** The whole page, as Markdown. */
  readonly text: string
}

/** The pages ship with the package, beside its sources and beside what is built of them. */
const PAGES = new URL('../../docs/diagnostics/', import.meta.url)

/** The page of a code; `undefined` if there is no such code. */
export async function diagnosticPage(code: string): Promise<DiagnosticPage | undefined> {
  const { RULES } = await import('./index.ts')
  const rule = RULES.find((known) => known.code === code)
  if (rule === undefined) return undefined
  const text = await readFile(new URL(`${code}.md`, PAGES), 'utf8')
  return { code, severity: rule.severity, summary: summaryOf(text), text }
}

/** The pages of all codes, in the order of their names. */
export async function diagnosticPages(): Promise<readonly DiagnosticPage[]> {
  const { RULES } = await import('./index.ts')
  const pages = await Promise.all(RULES.map(({ code }) => diagnosticPage(code)))
  return pages.filter((page) => page !== undefined).sort((a, b) => (a.code < b.code ? -1 : 1))
}

/** The codes that a person may have meant, best first: those that share words with it, or are a few letters away. */
export async function nearestCodes(code: string): Promise<readonly string[]> {
  const { RULES } = await import('./index.ts')
  const wanted = wordsOf(code)
  const scored = RULES.map((rule) => {
    const words = wordsOf(rule.code)
    return {
      code: rule.code,
      shared: words.filter((word) => wanted.some((other) => isNear(word, other))).length,
      words,
    }
  })
  const near = scored.filter(({ shared }) => shared > 0)
  near.sort((a, b) => b.shared - a.shared || a.words.length - b.words.length)
  return near.slice(0, 3).map((rule) => rule.code)
}

/** The first paragraph below the title. */
function summaryOf(text: string): string {
  const [, summary = ''] = text.split(/\n{2,}/)
  return summary.replaceAll('\n', ' ').trim()
}

function wordsOf(code: string): string[] {
  return code.toLowerCase().split(/[^a-z]+/)
}

/** Equal but for a slip of the finger, or cut off. */
function isNear(word: string, written: string): boolean {
  if (written.length < 3) return word === written
  const distance = editDistance(word, written, 3)
  return word.startsWith(written) || (distance < 3 && distance * 4 <= word.length)
}
