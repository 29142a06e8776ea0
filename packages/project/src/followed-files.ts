import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importCandidates, isRelative } from './discover/import-candidates.ts'
import type { ModuleIndex } from './discover/module-index.ts'
import { type ImportShape, parseModule } from './discover/module-shape.ts'
import { moduleName } from './layout.ts'

/**
 * Where the packages of the framework stand beside each other. Where they are linked, as in a workspace, what of them was loaded is
 * followed, and no more: they are many, and every reload would read them all.
 */
const OURS = fileURLToPath(new URL('../../', import.meta.url))

/**
 * All files that a project is made of, as far as that can be told: those that were read and those that were loaded, and what they import
 * or read beside themselves, even if that was not run yet. What is imported and not there is among them, by each name that it may get.
 * The paths are relative to the root, and may lead out of it.
 */
export function followedFiles(root: string, modules: ModuleIndex, loaded: Iterable<string>): readonly string[] {
  const found = new Set<string>()
  const queue = [...modules.files().map((file) => join(root, file)), ...loaded]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file)) continue
    found.add(file)
    if (moduleName(file) === undefined || file.startsWith(OURS)) continue
    for (const shape of importsOf(root, modules, file)) queue.push(...targetsOf(file, shape))
  }
  return [...found].map((file) => slashed(relative(root, file)))
}

function importsOf(root: string, modules: ModuleIndex, file: string): readonly ImportShape[] {
  const own = file.startsWith(root + sep) ? modules.shape(slashed(relative(root, file))) : undefined
  if (own !== undefined) return own.imports
  try {
    return parseModule(file, readFileSync(file, 'utf8')).imports
  } catch {
    // Not there yet, or not to be read: it is watched all the same.
    return []
  }
}

function targetsOf(importer: string, { specifier, isRead }: ImportShape): readonly string[] {
  if (!isRelative(specifier)) return []
  const paths = [specifier, ...(isRead ? [] : importCandidates(specifier))].map((candidate) =>
    resolve(dirname(importer), candidate.replace(/[?#].*$/, '')),
  )
  const [first = ''] = paths
  // A folder that the module is in itself is only where it looks from.
  if (isRead) return importer.startsWith(first + sep) ? [] : [first]
  const there = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  return there === undefined ? paths : [there]
}

function slashed(path: string): string {
  return path.replaceAll(sep, '/')
}
