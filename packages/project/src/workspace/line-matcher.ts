import { createContext, Script } from 'node:vm'
import { RetinueError } from '@retinue/core/errors'

export interface SearchQuery {
  readonly text: string
  /** Whether `text` is a regular expression; else it is looked for as it stands. */
  readonly isRegex: boolean
  readonly ignoreCase: boolean
}

export interface LineMatch {
  /** From 1. */
  readonly line: number
  readonly text: string
}

/** Finds lines in a text. Throws `SearchTimeout` when it took longer than the milliseconds that it may. */
export type LineMatcher = (text: string, limit: number, timeoutMs: number) => readonly LineMatch[]

/** A model's regular expression needed more time than there was. */
export class SearchTimeout extends Error {
  override readonly name = 'SearchTimeout'
}

const MAX_QUERY = 1000

/** Of a long line only the part around the match is told. */
const SHOWN = 200
const BEFORE = 60

/** Throws `workspace-search-refused` for what can't be searched for. */
export function lineMatcher(query: SearchQuery): LineMatcher {
  if (query.text === '' || query.text.length > MAX_QUERY) {
    throw refusedSearch(`the query has ${query.text.length} characters, and must have 1 to ${MAX_QUERY}`)
  }
  const find = query.isRegex ? regexFinder(query) : textFinder(query)
  const matchesIn = (text: string, limit: number): LineMatch[] => {
    const matches: LineMatch[] = []
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      const at = find(line)
      if (at === -1) continue
      matches.push({ line: index + 1, text: around(line, at) })
      if (matches.length === limit) break
    }
    return matches
  }
  return query.isRegex ? bounded(matchesIn) : matchesIn
}

type Finder = (line: string) => number

function textFinder({ text, ignoreCase }: SearchQuery): Finder {
  if (!ignoreCase) return (line) => line.indexOf(text)
  const lower = text.toLowerCase()
  return (line) => line.toLowerCase().indexOf(lower)
}

function regexFinder({ text, ignoreCase }: SearchQuery): Finder {
  try {
    const pattern = new RegExp(text, ignoreCase ? 'iu' : 'u')
    return (line) => line.search(pattern)
  } catch (error) {
    throw refusedSearch(error instanceof Error ? error.message : 'the pattern is not valid')
  }
}

/**
 * Some patterns need longer than the universe lasts, and nothing in their text says so for sure. V8 can end one that runs, but only
 * inside a script with a time limit: so that is where it runs.
 */
function bounded(matchesIn: (text: string, limit: number) => LineMatch[]): LineMatcher {
  const scope: { task: () => void } = { task: () => {} }
  const context = createContext(scope)
  const script = new Script('task()')
  return (text, limit, timeoutMs) => {
    let found: readonly LineMatch[] = []
    scope.task = () => {
      found = matchesIn(text, limit)
    }
    try {
      script.runInContext(context, { timeout: Math.max(1, Math.ceil(timeoutMs)) })
      return found
    } catch (error) {
      throw isTimeout(error) ? new SearchTimeout('The pattern takes too long.') : error
    }
  }
}

/** It comes from the script's own realm, so it is no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

function around(line: string, at: number): string {
  if (line.length <= SHOWN) return line
  const start = Math.max(0, Math.min(at - BEFORE, line.length - SHOWN))
  const end = start + SHOWN
  return `${start > 0 ? '…' : ''}${line.slice(start, end).toWellFormed()}${end < line.length ? '…' : ''}`
}

function refusedSearch(reason: string): RetinueError {
  return new RetinueError({
    code: 'workspace-search-refused',
    message: `That can't be searched for: ${reason}.`,
    hint: 'Without `regex` the query is looked for as it stands.',
  })
}
