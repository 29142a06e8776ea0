import type { PastCall } from './conversation.ts'
import { pathsIn } from './extract.ts'
import { isRecord } from './json.ts'
import { nameWords, stem, terms } from './tokens.ts'

const MOST_FILES = 4
const TEMPLATE = /template|outline|layout|skeleton|format|structure|style/i

export function isTemplateName(path: string): boolean {
  return TEMPLATE.test(path)
}

/** The names in a listing. They are data: all that they can become is the argument of a read. */
function filesIn(listing: unknown, depth = 0): string[] {
  if (depth > 4) return []
  if (typeof listing === 'string') return textNames(listing)
  if (Array.isArray(listing))
    return unique(
      listing.slice(0, 500).flatMap((each) => (typeof each === 'string' ? [each] : filesIn(each, depth + 1))),
    )
  if (!isRecord(listing)) return []
  const own = ['path', 'file', 'filename', 'name'].map((key) => listing[key]).find((value) => typeof value === 'string')
  const isDirectory = /^dir/i.test(String(listing['type'] ?? listing['kind'] ?? '')) || listing['isDirectory'] === true
  if (typeof own === 'string' && !isDirectory) return [own]
  return unique(
    Object.values(listing)
      .filter((value) => typeof value === 'object')
      .flatMap((value) => filesIn(value, depth + 1)),
  )
}

function textNames(text: string): string[] {
  return unique(
    text
      .slice(0, 40_000)
      .split('\n')
      .flatMap((line) => pathsIn(line).map((found) => found.text)),
  )
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].filter(
    (name) =>
      name !== '' &&
      name.length <= 300 &&
      !/[\n\r]/.test(name) &&
      !/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(name) &&
      !/^(?:[\\/]|[a-z]:)/i.test(name),
  )
}

/** Which of the listed files to read: those that the request or the instructions name, or, for a composition, the template. */
export function filesToRead(
  listings: readonly PastCall[],
  task: string,
  instructions: string,
  forTemplate: boolean,
): string[] {
  const listed = listedIn(listings)
  const named = listed.filter((path) => instructions.includes(baseOf(path)) || task.includes(baseOf(path)))
  if (forTemplate) return [...named, ...listed.filter(isTemplateName)].slice(0, 1)
  if (named.length > 0) return named.slice(0, MOST_FILES)
  const alike = alikeTo(task, listed)
  if (alike.length > 0)
    return alike
      .filter(({ score }) => score === alike[0]?.score)
      .map(({ path }) => path)
      .slice(0, MOST_FILES)
  if (listed.length === 1 || /\b(?:all|each|every|files|contents)\b/i.test(task)) return listed.slice(0, MOST_FILES)
  return []
}

function listedIn(listings: readonly PastCall[]): string[] {
  return unique(listings.flatMap((call) => (call.outcome?.status === 'ok' ? filesIn(call.outcome.value) : [])))
}

function alikeTo(task: string, listed: readonly string[]): { path: string; score: number }[] {
  const asked = new Set(terms(task))
  return listed
    .map((path) => ({
      path,
      score: nameWords(baseOf(path).replace(/\.\w+$/, '')).filter((word) => asked.has(stem(word))).length,
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
}

const NO_TEXT = /\.(?:png|jpe?g|gif|webp|svg|ico|pdf|zip|gz|tar|mp[34]|wav|mov|woff2?|exe|bin|sqlite|db)$/i

/** Where the answer may stand: the files whose names speak of it first, then the others, a few in all. */
export function filesToSearch(listings: readonly PastCall[], task: string): string[] {
  const listed = listedIn(listings).filter((path) => !NO_TEXT.test(path))
  return [...new Set([...alikeTo(task, listed).map(({ path }) => path), ...listed])].slice(0, MOST_FILES)
}

function baseOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path
}
