import { setImmediate } from 'node:timers/promises'
import { isRetinueError } from '@retinue/core/errors'
import { lineMatcher, type SearchQuery, SearchTimeout } from './line-matcher.ts'
import type { RootedFiles } from './rooted-files.ts'
import { textOf } from './text.ts'

export interface SearchMatch {
  readonly path: string
  /** From 1. */
  readonly line: number
  /** The line, or the part of a long one that holds the match. */
  readonly text: string
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[]
  /** Why there may be more. */
  readonly note?: string
}

export interface SearchBounds {
  readonly matches: number
  readonly files: number
  /** Larger files are passed over. */
  readonly fileBytes: number
  readonly timeoutMs: number
}

/** The process has other work: a search gives way so often. */
const TURN_MS = 20

/** Looks for lines in a text file, or in those of a folder. What can't be read as text is passed over. */
export async function searchFiles(
  files: RootedFiles,
  path: string,
  query: SearchQuery,
  bounds: SearchBounds,
  signal?: AbortSignal,
): Promise<SearchResult> {
  const match = lineMatcher(query)
  const { files: listed, complete } = filesAt(files, path, bounds.files)
  const start = performance.now()
  const matches: SearchMatch[] = []
  let turn = start
  for (const { path, size } of listed) {
    const now = performance.now()
    const timeLeft = start + bounds.timeoutMs - now
    if (timeLeft <= 0) return { matches, note: tooLong(bounds) }
    if (now - turn > TURN_MS) {
      await setImmediate()
      signal?.throwIfAborted()
      turn = performance.now()
    }
    const text = size > bounds.fileBytes ? undefined : textAt(files, path, bounds.fileBytes)
    if (text === undefined) continue
    try {
      // One more than are wanted tells whether there are more.
      const found = match(text, bounds.matches - matches.length + 1, timeLeft)
      matches.push(...found.map(({ line, text }) => ({ path, line, text })))
    } catch (error) {
      if (error instanceof SearchTimeout) return { matches, note: tooLong(bounds) }
      throw error
    }
    if (matches.length > bounds.matches) {
      return { matches: matches.slice(0, bounds.matches), note: `There are more: only ${bounds.matches} are given.` }
    }
  }
  return complete
    ? { matches }
    : { matches, note: `Only the first ${bounds.files} files were searched: name a folder.` }
}

/** The files below a folder, or the one file that is there. */
function filesAt(files: RootedFiles, path: string, limit: number): ReturnType<RootedFiles['list']> {
  const { kind, size } = files.stat(path)
  return kind === 'file' ? { files: [{ path, size }], complete: true } : files.list(path, limit, 'searched')
}

function tooLong({ timeoutMs }: SearchBounds): string {
  return `Stopped after ${timeoutMs} ms: there may be more. Name a folder, or search for plain text.`
}

/** A file that went, or became a link, since it was listed is passed over like one that is no text. */
function textAt(files: RootedFiles, path: string, limit: number): string | undefined {
  try {
    return textOf(files.read(path, limit))
  } catch (error) {
    if (isRetinueError(error)) return undefined
    throw error
  }
}
