import { realpathSync } from 'node:fs'
import { dirname, join, posix, relative, resolve } from 'node:path'
import { isWithin } from '../is-within.ts'
import { agentKeys } from './agent-keys.ts'
import type { Imported, LeftOver } from './imported.ts'
import { type ImportPlace, rewriteModule } from './rewrite-module.ts'
import { sourceEntries, sourceText, unreadable } from './source-files.ts'

export interface MastraOptions {
  /** The folder of the application: `src/mastra`. */
  readonly folder: string
  /** The project that it is written to. */
  readonly project: string
  /** The application's directory in the project. */
  readonly app: string
}

/** Folders that have nothing to take their place. */
const WITHOUT_PLACE: ReadonlyMap<string, string> = new Map([
  ['workflows', 'write what it does as a supervisor with subagents, or as a tool'],
  ['mcp', 'write a tool for what you need of it'],
  ['voice', 'nothing here speaks'],
  ['rag', 'give a tool the search'],
  ['public', 'copy what modules read, and read it by its place: new URL(…, import.meta.url)'],
])

/**
 * Copies a tree of Mastra with its imports changed to ours. Agents in code stay in code, as the application of `index.ts`; agents in
 * folders stay in folders. What has no place here is left out, and told.
 */
export async function importMastra({ folder, project, app }: MastraOptions): Promise<Imported> {
  const files = new Map<string, string>()
  const left: LeftOver[] = []
  const sorted = sortedOut(folder, left)
  const place = (path: string) => (specifier: string) => placeOf(specifier, { folder, path, project, app, ...sorted })
  const texts = new Map<string, string>()
  for (const path of sorted.copied) {
    const text = sourceText(folder, path, left)
    if (text !== undefined) texts.set(path, text)
  }
  const keyOf = agentKeys(new Map([...texts].filter(([path]) => MODULE.test(path))))
  for (const [path, text] of texts) {
    if (!MODULE.test(path)) files.set(`${app}/${path}`, text)
    else {
      const named = (names: readonly string[]): string | undefined => keyOf(path, names)
      const rewritten = await rewriteModule({ file: path, source: text, placeOf: place(path), keyOf: named })
      files.set(`${app}/${path}`, rewritten.text)
      left.push(...rewritten.left)
    }
  }
  return { files, left }
}

const MODULE = /\.[mc]?[jt]sx?$/

/** The files of a tree by what becomes of them. */
interface Sorted {
  readonly copied: ReadonlySet<string>
  /** Files, links, and the topmost folders, that are left out. Each of them is told. */
  readonly gone: ReadonlySet<string>
}

function sortedOut(folder: string, left: LeftOver[]): Sorted {
  const [copied, gone] = [new Set<string>(), new Set<string>()]
  const leave = (path: string, what: string, fix: string): void => {
    if (gone.has(path)) return
    gone.add(path)
    left.push({ file: path, what, fix })
  }
  for (const entry of sourceEntries(folder)) {
    const { path, kind } = entry
    const instead = withoutPlace(path)
    if (instead !== undefined) {
      const top = topOf(path)
      if (!gone.has(top)) left.push({ file: `${top}/`, what: 'the folder was left out', fix: instead })
      gone.add(top)
    } else if (kind === 'link')
      leave(path, `it is a link to "${entry.to}", and was left out`, 'copy what it leads to in its place')
    else if (kind === 'unreadable') {
      gone.add(path)
      left.push(unreadable(path, entry.reason))
    } else if (kind === 'file' && (MODULE.test(path) || /\.(?:md|json|txt)$/.test(path))) copied.add(path)
    else if (kind !== 'folder') leave(path, 'the file was left out', 'copy it by hand if it is needed')
  }
  return { copied, gone }
}

/** What becomes of what a module names by its place. Out of the tree it leads to where it led, as far as that is in the project. */
function placeOf(
  specifier: string,
  { folder, path, project, app, copied, gone }: MastraOptions & Sorted & { readonly path: string },
): ImportPlace {
  const target = resolve(folder, dirname(path), specifier)
  if (isWithin(folder, target)) {
    const inside = slashed(relative(folder, target))
    if (isGone(inside, copied, gone)) return { kind: 'left-out' }
    // What leads out of the tree and into it again would lead to the old one.
    const leadsOut = posix.join(dirname(path), specifier).startsWith('..')
    return { kind: 'here', specifier: leadsOut ? relativeImport(dirname(join(folder, path)), target) : specifier }
  }
  if (!isWithin(realpathSync(project), target)) return { kind: 'outside' }
  return { kind: 'here', specifier: relativeImport(dirname(join(realpathSync(project), app, path)), target) }
}

/** Whether what is imported was left out. An import may leave out the extension, or name a folder that has an index. */
function isGone(path: string, copied: ReadonlySet<string>, gone: ReadonlySet<string>): boolean {
  const isNamed = (file: string): boolean => file.replace(MODULE, '') === path.replace(MODULE, '')
  if ([...copied].some((file) => MODULE.test(file) && isNamed(file))) return false
  if ([...gone].some(isNamed)) return true
  const parts = path.split('/')
  return parts.some((_, index) => gone.has(parts.slice(0, index + 1).join('/')))
}

function relativeImport(from: string, target: string): string {
  const way = slashed(relative(from, target))
  return way.startsWith('.') ? way : `./${way}`
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}

function topOf(path: string): string {
  return path.split('/')[0] ?? ''
}

/** What to do about a file in a folder that has no counterpart. */
function withoutPlace(path: string): string | undefined {
  return path.includes('/') ? WITHOUT_PLACE.get(topOf(path)) : undefined
}
