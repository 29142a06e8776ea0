import { APPLICATION_DIRS } from '../layout.ts'
import { normalizePath, type SourceTree } from '../tree/source-tree.ts'

/** Where the application stands, or that it was not found. */
export type Application =
  | { readonly ok: true; readonly dir: string; readonly passedOver: readonly string[] }
  | { readonly ok: false; readonly looked: readonly string[]; readonly reason: string }

/** `dir` if it is given, else the first of the conventional directories that is there. */
export function findApplication(tree: SourceTree, dir?: string): Application {
  if (dir !== undefined) {
    const path = normalizePath(dir)
    if (path === undefined) return { ok: false, looked: [dir], reason: 'it lies outside the project' }
    const kind = tree.kindOf(path)
    if (kind === 'directory') return { ok: true, dir: path, passedOver: [] }
    return { ok: false, looked: [dir], reason: whyNot(kind) }
  }
  const found = APPLICATION_DIRS.filter((candidate) => tree.kindOf(candidate) === 'directory')
  const [first, ...others] = found
  if (first !== undefined) return { ok: true, dir: first, passedOver: others }
  const link = APPLICATION_DIRS.find((candidate) => tree.kindOf(candidate) === 'link')
  const reason = link === undefined ? 'neither is there' : `"${link}" ${whyNot('link').replace(/^it /, '')}`
  return { ok: false, looked: APPLICATION_DIRS, reason }
}

function whyNot(kind: string | undefined): string {
  if (kind === undefined) return 'it is not there'
  return kind === 'link' ? 'it is a link, and links are not followed' : 'it is not a directory'
}
