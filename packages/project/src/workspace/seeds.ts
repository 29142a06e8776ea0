import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isRetinueError } from '@retinue/core/errors'
import { impossible } from './refusals.ts'
import { RootedFiles } from './rooted-files.ts'
import { withheld } from './withheld.ts'

/** Where the first files of a workspace come from. Both paths are absolute. */
export interface Seeds {
  /** The folder to copy; it is only read, no link in it is followed, and what may hold secrets or was installed is left out. */
  readonly from: string
  /** The file that remembers what was copied. It must not be in the workspace. */
  readonly record: string
}

const MAX_SEEDS = 10_000
const MAX_SEED_BYTES = 256 * 1024 * 1024

/** The hash of each seed as it was copied, by its path. */
type Copied = Map<string, string>

/**
 * Copies seeds into a workspace, file by file:
 *
 * - A seed that was never copied is, if nothing stands in its place. What stands there was not copied, so it is left alone.
 * - A seed that changed since it was copied is copied again, if the copy is still as it was: who edits a template sees the new one
 *   used. What the agent wrote is never overwritten, and what it deleted does not come back.
 * - A seed that is gone leaves its copy: nothing is ever deleted.
 *
 * Two processes that begin at once do the same work and get in nobody's way: a file is written under a name of its own, and put in
 * its place only where none is. If they see different seeds, the later one wins, as with any two writers.
 */
export function copySeeds(files: RootedFiles, { from, record }: Seeds): void {
  const source = new RootedFiles(from)
  const { files: seeds, complete } = source.list('', MAX_SEEDS)
  if (!complete) throw impossible({ path: '', verb: 'written' }, `it has more than ${MAX_SEEDS} seed files`)
  const copied = readRecord(record)
  let isChanged = false
  for (const { path } of seeds) {
    if (path.split('/').some((step) => withheld(step) !== undefined)) continue
    const seed = readSeed(source, path)
    if (seed === undefined) continue
    const hash = hashOf(seed)
    if (copied.get(path) === hash || !copySeed(files, path, { seed, hash, mode: modeOf(source, path) }, copied))
      continue
    copied.set(path, hash)
    isChanged = true
  }
  if (isChanged) writeRecord(record, copied)
}

interface Seed {
  readonly seed: Uint8Array
  readonly hash: string
  readonly mode: number | undefined
}

/** Whether the workspace now holds this very seed as its copy. */
function copySeed(files: RootedFiles, path: string, { seed, hash, mode }: Seed, copied: Copied): boolean {
  const before = copied.get(path)
  if (before === undefined && tolerant(() => files.create(path, seed, mode))) return true
  const present = tolerant(() => hashOf(files.read(path, MAX_SEED_BYTES)))
  // Another process copied it just now, or this one was ended before it could remember.
  if (present === hash) return true
  if (before === undefined || present !== before) return false
  files.write(path, seed)
  return true
}

/** A seed whose name no workspace takes is told by `check`, and not copied. */
function readSeed(source: RootedFiles, path: string): Uint8Array | undefined {
  try {
    return source.read(path, MAX_SEED_BYTES)
  } catch (error) {
    if (isRetinueError(error) && error.code === 'workspace-path-refused') return undefined
    throw error
  }
}

/** What the agent put in the way of a seed (a folder, say, or a file where the seed's folder goes) is its right. */
function tolerant<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (isRetinueError(error)) return undefined
    throw error
  }
}

function modeOf(source: RootedFiles, path: string): number | undefined {
  return source.stat(path).isExecutable ? 0o755 : undefined
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** What can't be read is as good as nothing: then only what is not there, or the same, counts as copied. */
function readRecord(record: string): Copied {
  try {
    const value: unknown = JSON.parse(readFileSync(record, 'utf8'))
    const copied = typeof value === 'object' && value !== null && 'copied' in value ? value.copied : undefined
    if (typeof copied !== 'object' || copied === null) return new Map()
    return new Map(Object.entries(copied).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch {
    return new Map()
  }
}

function writeRecord(record: string, copied: Copied): void {
  const folder = dirname(record)
  mkdirSync(folder, { recursive: true })
  const entries = [...copied].sort(([a], [b]) => (a < b ? -1 : 1))
  const text = `${JSON.stringify({ copied: Object.fromEntries(entries) }, undefined, 2)}\n`
  new RootedFiles(folder).write(basename(record), new TextEncoder().encode(text))
}
