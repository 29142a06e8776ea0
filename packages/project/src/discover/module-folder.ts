import { MODULE_EXTENSIONS, type ModuleSlot, moduleName, PROCESSOR_SLOTS, withoutExtension } from '../layout.ts'
import { baseName, type Entry, joinPath, type SourceTree } from '../tree/source-tree.ts'
import type { Note, SlotModule } from './agent-dir.ts'
import { addModule, bestExtensionFirst, linkNote, listFolder, otherNote, shadowedNote, strayNote } from './folder.ts'

/** A folder whose modules each fill a slot. */
export interface ModuleFolder {
  readonly dir: string | undefined
  readonly slot: ModuleSlot
  /** What one of its modules is, in a sentence: `a scorer`. */
  readonly what: string
  /** What is said of a second module of a name. Default: that the first one wins. */
  readonly second?: (first: SlotModule, second: SlotModule) => Note
}

/** The modules that stand directly in a folder, in the order of their names; a second one of a name is not read. */
export function discoverModules(tree: SourceTree, folder: ModuleFolder, notes: Note[]): readonly SlotModule[] {
  const { dir, slot, second = shadowedNote } = folder
  if (dir === undefined) return []
  const found = new Map<string, SlotModule>()
  for (const entry of [...listFolder(tree, dir, notes)].sort(bestExtensionFirst)) {
    const file = joinPath(dir, entry.name)
    const key = entry.kind === 'file' ? moduleName(entry.name)?.base : undefined
    if (key === undefined) notes.push(strayModuleNote(file, entry, folder))
    else addModule(found, { slot, key, file }, notes, second)
  }
  return [...found.values()]
}

function strayModuleNote(path: string, { name, kind }: Entry, { dir = '', what }: ModuleFolder): Note {
  if (kind === 'link') return linkNote(path)
  if (kind === 'other') return otherNote(path)
  const folder = baseName(dir)
  if (kind === 'directory') {
    const because = `only files directly in "${folder}/" are read, each as ${what}`
    const fix = `move the files of "${name}/" up into "${folder}/"; what only your own modules import may stay`
    return { kind: 'ignored', path, what: 'folder', because, fix }
  }
  const because = `${what} is a ${MODULE_EXTENSIONS.join(', ')} file`
  const fix = `rename it to "${withoutExtension(name) || 'my-module'}.ts", or move it out of "${folder}/"`
  return { kind: 'ignored', path, what: 'file', because, fix }
}

export interface ProcessorModules {
  readonly input: readonly SlotModule[]
  readonly output: readonly SlotModule[]
}

export function discoverProcessors(tree: SourceTree, dir: string | undefined, notes: Note[]): ProcessorModules {
  const folders = new Map<string, string>()
  for (const entry of dir === undefined ? [] : listFolder(tree, dir, notes)) {
    const path = joinPath(dir ?? '', entry.name)
    if (entry.kind === 'directory' && PROCESSOR_SLOTS.some(({ name }) => name === entry.name))
      folders.set(entry.name, path)
    else notes.push(strayProcessorNote(path, entry))
  }
  const what = 'a processor'
  return {
    input: discoverModules(tree, { dir: folders.get('input'), slot: 'input-processor', what }, notes),
    output: discoverModules(tree, { dir: folders.get('output'), slot: 'output-processor', what }, notes),
  }
}

function strayProcessorNote(path: string, entry: Entry): Note {
  const { name, kind } = entry
  const base = kind === 'file' ? moduleName(name)?.base : undefined
  // A file in the place of a folder is told as such.
  if (base === undefined || PROCESSOR_SLOTS.some((slot) => slot.name === base))
    return strayNote(path, entry, PROCESSOR_SLOTS)
  const because = 'a processor stands in "input/", before the model, or in "output/", behind it'
  const fix = `move it to "processors/input/${name}" or "processors/output/${name}"`
  return { kind: 'ignored', path, what: 'file', because, fix }
}
