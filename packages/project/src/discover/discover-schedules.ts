import { MODULE_EXTENSIONS, moduleName } from '../layout.ts'
import { readText } from '../tree/read-text.ts'
import { type Entry, joinPath, type SourceTree } from '../tree/source-tree.ts'
import type { Note, ScheduleFile, ScheduleText } from './agent-dir.ts'
import { linkNote, listFolder, otherNote } from './folder.ts'
import { parseFrontmatter, splitFrontmatter } from './frontmatter.ts'

/** What stands first wins where two files have one key. */
const EXTENSIONS: readonly string[] = [...MODULE_EXTENSIONS, '.md']

/** The schedules in `schedules/` and in folders below it, by their paths. */
export function discoverSchedules(tree: SourceTree, dir: string | undefined, notes: Note[]): readonly ScheduleFile[] {
  const found = new Map<string, ScheduleFile>()
  if (dir !== undefined) visit(tree, { dir, prefix: '' }, found, notes)
  return [...found.values()]
}

interface Folder {
  readonly dir: string
  /** Of the keys in it. */
  readonly prefix: string
}

function visit(tree: SourceTree, { dir, prefix }: Folder, found: Map<string, ScheduleFile>, notes: Note[]): void {
  for (const entry of [...listFolder(tree, dir, notes)].sort(bestFirst)) {
    const { name, kind } = entry
    const path = joinPath(dir, name)
    const base = kind === 'file' ? baseOf(name) : undefined
    if (kind === 'directory') visit(tree, { dir: path, prefix: `${prefix}${name}/` }, found, notes)
    else if (base === undefined) notes.push(strayNote(path, entry))
    else
      add(found, { key: prefix + base, file: path, text: name.endsWith('.md') ? read(tree, path) : undefined }, notes)
  }
}

function add(found: Map<string, ScheduleFile>, schedule: ScheduleFile, notes: Note[]): void {
  const first = found.get(schedule.key)
  if (first === undefined) found.set(schedule.key, schedule)
  else notes.push({ kind: 'shadowed', slot: 'schedule', loser: schedule.file, winner: first.file })
}

function baseOf(name: string): string | undefined {
  const base = name.endsWith('.md') ? name.slice(0, -'.md'.length) : moduleName(name)?.base
  return base === '' ? undefined : base
}

/** What is no schedule stands where its name does. */
function bestFirst(a: Entry, b: Entry): number {
  const [left, right] = [baseOf(a.name) ?? a.name, baseOf(b.name) ?? b.name]
  if (left !== right) return left < right ? -1 : 1
  return rank(a.name) - rank(b.name)
}

function rank(name: string): number {
  return EXTENSIONS.findIndex((extension) => name.endsWith(extension))
}

function read(tree: SourceTree, file: string): ScheduleText {
  const source = readText(tree, file)
  const text = source.ok ? source.text : ''
  const head = parseFrontmatter(text)
  const fields = { ...head.values, prompt: splitFrontmatter(text).body }
  return source.ok ? { head, fields } : { head, fields, unread: source.unread }
}

function strayNote(path: string, { name, kind }: Entry): Note {
  if (kind === 'link') return linkNote(path)
  if (kind === 'other') return otherNote(path)
  const because = `a schedule is a ${EXTENSIONS.join(', ')} file`
  return { kind: 'ignored', path, what: 'file', because, fix: `rename "${name}", or move it out of "schedules/"` }
}
