import { MODULE_EXTENSIONS } from '../layout.ts'

/** What people write for a TypeScript file: the name that it has once it is compiled. */
const WRITTEN_FOR: Readonly<Record<string, string>> = { '.js': '.ts', '.mjs': '.mts' }

export function isRelative(specifier: string): boolean {
  return /^\.{1,2}(?:\/|$)/.test(specifier)
}

/**
 * The specifiers to try for a relative import that names no file as it stands, best first: the extension left out, `.js` written
 * for `.ts`, a folder for the `index` in it. Loading and discovery use the same list, so they never disagree.
 */
export function importCandidates(specifier: string): string[] {
  const [path = '', query = ''] = splitQuery(specifier)
  const candidates: string[] = []
  for (const [written, meant] of Object.entries(WRITTEN_FOR)) {
    if (path.endsWith(written)) candidates.push(path.slice(0, -written.length) + meant)
  }
  const namesFile = !/(?:^|\/)\.{0,2}$/.test(path)
  if (namesFile) candidates.push(...MODULE_EXTENSIONS.map((extension) => path + extension))
  const folder = path.endsWith('/') ? path.slice(0, -1) : path
  candidates.push(...MODULE_EXTENSIONS.map((extension) => `${folder}/index${extension}`))
  return candidates.map((candidate) => candidate + query)
}

function splitQuery(specifier: string): string[] {
  const at = specifier.search(/[?#]/)
  return at === -1 ? [specifier] : [specifier.slice(0, at), specifier.slice(at)]
}
