import { isQuiet, MODULE_EXTENSIONS, type ModuleSlot, moduleName, type Slot, slotLabel } from '../layout.ts'
import { didYouMean } from '../names.ts'
import { type Entry, joinPath, SourceError, type SourceTree } from '../tree/source-tree.ts'
import type { Note, SlotModule } from './agent-dir.ts'

/** What the entries of a folder with slots are: those that fill a slot, and notes on the others. */
export interface SortedFolder {
  /** Text files and directories that fill a slot, by the slot's name. */
  readonly entries: ReadonlyMap<string, string>
  /** Modules that fill a slot, by the slot's name. */
  readonly modules: ReadonlyMap<string, SlotModule>
  readonly notes: readonly Note[]
}

/** A folder's entries without those that are passed over silently. An unreadable folder is empty, with a note. */
export function listFolder(tree: SourceTree, dir: string, notes: Note[]): readonly Entry[] {
  return listWhole(tree, dir, notes).filter(({ name, kind }) => !isQuiet(name, kind === 'directory'))
}

/** All of a folder's entries. An unreadable folder is empty, with a note. */
export function listWhole(tree: SourceTree, dir: string, notes: Note[]): readonly Entry[] {
  try {
    return tree.list(dir)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    notes.push({ kind: 'unreadable', path: dir, reason: error.message })
    return []
  }
}

/** The folders that are passed over by their names, hidden ones aside. */
export function quietFolders(tree: SourceTree, dir: string): readonly string[] {
  try {
    const quiet = tree.list(dir).filter(({ name, kind }) => kind === 'directory' && isQuiet(name, true))
    return quiet.map(({ name }) => name).filter((name) => !name.startsWith('.'))
  } catch (error) {
    // That it can't be read is told by whoever reads the rest of it.
    if (error instanceof SourceError) return []
    throw error
  }
}

/** Assigns each entry of a folder to a slot, or says why it has none. */
export function sortFolder(tree: SourceTree, dir: string, slots: readonly Slot[]): SortedFolder {
  const notes: Note[] = []
  const entries = new Map<string, string>()
  const modules = new Map<string, SlotModule>()
  const found = [...listFolder(tree, dir, notes)].sort(bestExtensionFirst)
  for (const entry of found) {
    const path = joinPath(dir, entry.name)
    const slot = slotOf(entry, slots)
    if (slot === undefined) notes.push(strayNote(path, entry, slots))
    else if (!slot.supported) notes.push({ kind: 'unsupported', path, slot: slotLabel(slot) })
    else if (slot.form !== 'module') entries.set(slot.name, path)
    // Where a slot is a file and no folder of files, it is called as the file is.
    else addModule(modules, { slot: slot.name as ModuleSlot, key: slot.name, file: path }, notes)
  }
  return { entries, modules, notes }
}

/** B11.1: of two modules of one name, the better extension wins; entries come in that order. */
export function addModule(
  found: Map<string, SlotModule>,
  module: SlotModule,
  notes: Note[],
  second: (first: SlotModule, second: SlotModule) => Note = shadowedNote,
): void {
  const first = found.get(module.key)
  if (first === undefined) found.set(module.key, module)
  else notes.push(second(first, module))
}

export function shadowedNote({ file: winner }: SlotModule, { file: loser, slot }: SlotModule): Note {
  return { kind: 'shadowed', slot, loser, winner }
}

function slotOf({ name, kind }: Entry, slots: readonly Slot[]): Slot | undefined {
  const base = moduleName(name)?.base
  return slots.find((slot) => {
    if (slot.form === 'directory') return kind === 'directory' && slot.name === name
    return kind === 'file' && slot.name === (slot.form === 'module' ? base : name)
  })
}

/** Of modules that share a base name, the one whose extension wins comes first. */
export function bestExtensionFirst(a: Entry, b: Entry): number {
  const left = moduleName(a.name)
  const right = moduleName(b.name)
  if (left === undefined || right === undefined || left.base !== right.base) return a.name < b.name ? -1 : 1
  return MODULE_EXTENSIONS.indexOf(left.extension) - MODULE_EXTENSIONS.indexOf(right.extension)
}

/** Says what an entry is that no slot takes, and what the person most likely meant. */
export function strayNote(path: string, entry: Entry, slots: readonly Slot[]): Note {
  if (entry.kind === 'link') return linkNote(path)
  if (entry.kind === 'other') return otherNote(path)
  const what = entry.kind === 'directory' ? 'folder' : 'file'
  const ignored = (because: string, fix: string, meant?: string): Note => {
    return { kind: 'ignored', path, what, because, fix, ...(meant === undefined ? {} : { meant }) }
  }
  const named = slots.filter((slot) => entry.name === slot.name || moduleName(entry.name)?.base === slot.name)
  const misplaced = named.find(({ form }) => (form === 'directory') !== (what === 'folder')) ?? named[0]
  if (misplaced !== undefined) {
    const wanted = misplaced.form === 'directory' ? 'a folder' : 'a file'
    const label = slotLabel(misplaced)
    return ignored(`"${label}" is ${wanted} here, and this is a ${what}`, `make it ${wanted}, or remove it`, label)
  }
  const fitting = slots.filter(({ form }) => (form === 'directory') === (what === 'folder'))
  const meant = meantSlot(entry.name, fitting)
  if (meant !== undefined) {
    const label = slotLabel(meant)
    const unread = meant.supported ? '' : ' (which this version of Retinue does not read yet)'
    return ignored(`nothing is called that; did you mean "${label}"?`, `rename it to "${label}"${unread}`, label)
  }
  const known = fitting.filter(({ supported }) => supported).map((slot) => `"${slotLabel(slot)}"`)
  const because = known.length === 0 ? `no ${what} is read here` : `of ${what}s, only ${known.join(', ')} are read here`
  return ignored(because, `move it elsewhere, or remove it; a ${what} that an agent's own modules import may stay`)
}

/** The slot that a name nearly is: other case, other extension, a slip of the finger. */
function meantSlot(name: string, slots: readonly Slot[]): Slot | undefined {
  const byLabel = new Map(slots.map((slot) => [slotLabel(slot).replace('/', ''), slot]))
  const direct = didYouMean(name, [...byLabel.keys()])
  if (direct !== undefined) return byLabel.get(direct)
  // `config.tsx`, `config.json`, `instructions.txt`: the right name with an extension that is not read.
  const base = /^(.+?)\.[a-z]+$/i.exec(name)?.[1]?.toLowerCase()
  return slots.find(({ name: known, form }) => form !== 'directory' && known.replace(/\.md$/, '') === base)
}

export function linkNote(path: string): Note {
  const because = 'links are not followed, so that nothing outside the application is read'
  return {
    kind: 'ignored',
    path,
    what: 'link',
    because,
    fix: 'replace the link by the file or folder that it points to',
  }
}

export function otherNote(path: string): Note {
  return { kind: 'ignored', path, what: 'special file', because: 'it is neither a file nor a folder', fix: 'remove it' }
}
