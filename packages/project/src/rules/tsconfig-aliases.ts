import { posix } from 'node:path'
import { readText } from '../tree/read-text.ts'
import type { SourceTree } from '../tree/source-tree.ts'

/** A name in `paths` of a tsconfig, and where it leads: from the project's root, above which it may stand. */
export interface Alias {
  readonly pattern: string
  readonly target: string | undefined
}

/** More than any project has: what extends itself in a way that is not seen still has an end. */
const MAX_CONFIGS = 32

/** The aliases of the project's tsconfig.json, and of what it extends by a relative path. */
export function tsconfigAliases(tree: SourceTree): readonly Alias[] {
  const { paths, baseUrl } = settingsOf('tsconfig.json', tree, new Set())
  if (paths === undefined) return []
  const base = baseUrl ?? paths.dir
  return paths.entries.map(({ pattern, target }) => {
    if (target === undefined) return { pattern, target }
    const own = target.replace(/^\$\{configDir\}\/?/, '')
    return { pattern, target: own === target ? posix.join(base, target) : own }
  })
}

interface Settings {
  /** `dir`: the folder of the tsconfig that says so. */
  readonly paths?: { readonly dir: string; readonly entries: readonly Alias[] }
  readonly baseUrl?: string
}

/** As TypeScript reads it: what a file says wins over what it extends, and of several that it extends the last one wins. */
function settingsOf(file: string, tree: SourceTree, seen: Set<string>): Settings {
  if (seen.has(file) || seen.size >= MAX_CONFIGS) return {}
  seen.add(file)
  const read = textOf(file, tree)
  if (read === undefined) return {}
  // Comments hide what stands in them. What is looked for is then found without reading all of it: it may end in commas, too.
  const text = read.replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1')
  const dir = posix.dirname(file)
  const extended = extendedBy(text).map((name) => settingsOf(foundAt(posix.join(dir, name), tree), tree, seen))
  const [, paths] = /"paths"\s*:\s*\{((?:"(?:\\.|[^"\\])*"|[^}"])*)\}/.exec(text) ?? []
  const [, baseUrl] = /"baseUrl"\s*:\s*"([^"]*)"/.exec(text) ?? []
  const own: Settings = {
    ...(paths === undefined ? {} : { paths: { dir, entries: entriesOf(paths) } }),
    ...(baseUrl === undefined ? {} : { baseUrl: posix.join(dir, baseUrl) }),
  }
  return Object.assign({}, ...extended, own)
}

function entriesOf(paths: string): readonly Alias[] {
  const entries = paths.matchAll(/"([^"]+)"\s*:\s*\[\s*(?:"([^"]*)")?/g)
  return [...entries].map(([, pattern = '', target]) => ({ pattern, target }))
}

/** What a tsconfig extends by relative paths. Packages are not looked into. */
function extendedBy(text: string): readonly string[] {
  const [, one, several = ''] = /"extends"\s*:\s*(?:"([^"]*)"|\[([^\]]*)\])/.exec(text) ?? []
  const names = one === undefined ? [...several.matchAll(/"([^"]*)"/g)].map(([, name = '']) => name) : [one]
  return names.filter((name) => /^\.\.?\//.test(name))
}

/** It may be named without its extension. */
function foundAt(path: string, tree: SourceTree): string {
  return path.endsWith('.json') || textOf(path, tree) !== undefined ? path : `${path}.json`
}

function textOf(path: string, tree: SourceTree): string | undefined {
  if (path.startsWith('../')) return tree.surroundings?.fileAbove(path)
  if (tree.kindOf(path) !== 'file') return undefined
  const read = readText(tree, path)
  return read.ok ? read.text : undefined
}
