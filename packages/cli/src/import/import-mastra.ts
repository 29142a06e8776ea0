import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { isWithin } from '../is-within.ts'
import type { Imported, LeftOver } from './imported.ts'
import { rewriteModule } from './rewrite-module.ts'

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
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) =>
    join(parentPath, name)
      .slice(folder.length + 1)
      .replaceAll('\\', '/'),
  )
  const gone = new Set(paths.flatMap((path) => (withoutPlace(path) === undefined ? [] : [topOf(path)])))
  for (const top of gone)
    left.push({ file: `${top}/`, what: 'the folder was left out', fix: WITHOUT_PLACE.get(top) ?? '' })
  for (const path of paths.sort()) {
    if (withoutPlace(path) !== undefined) continue
    if (/\.[mc]?[jt]sx?$/.test(path)) {
      const source = readFileSync(join(folder, path), 'utf8')
      const outside = (specifier: string): string | undefined => movedImport(specifier, { folder, path, project, app })
      const { text, left: lost } = await rewriteModule({ file: path, source, gone, outside })
      files.set(`${app}/${path}`, text)
      left.push(...lost)
    } else if (/\.(?:md|json|txt)$/.test(path)) files.set(`${app}/${path}`, readFileSync(join(folder, path), 'utf8'))
    else left.push({ file: path, what: 'the file was left out', fix: 'copy it by hand if it is needed' })
  }
  return { files, left }
}

/** What a relative import is called from the new place. Out of the tree it leads to where it led, as far as that is in the project. */
function movedImport(
  specifier: string,
  { folder, path, project, app }: MastraOptions & { readonly path: string },
): string | undefined {
  const target = resolve(folder, dirname(path), specifier)
  if (isWithin(folder, target)) return specifier
  if (!isWithin(realpathSync(project), target)) return undefined
  const moved = relative(dirname(join(realpathSync(project), app, path)), target).replaceAll('\\', '/')
  return moved.startsWith('.') ? moved : `./${moved}`
}

function topOf(path: string): string {
  return path.split('/')[0] ?? ''
}

/** What to do about a file in a folder that has no counterpart. */
function withoutPlace(path: string): string | undefined {
  return path.includes('/') ? WITHOUT_PLACE.get(topOf(path)) : undefined
}
