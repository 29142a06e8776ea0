import { SKILL_SLOTS } from '../layout.ts'
import { readText } from '../tree/read-text.ts'
import { baseName, type Entry, joinPath, SourceError, type SourceTree } from '../tree/source-tree.ts'
import type { Note, SkillReference } from './agent-dir.ts'
import { linkNote, listFolder, otherNote, strayNote } from './folder.ts'

export const SKILL_FILE = 'SKILL.md'

/** What `license` in a frontmatter may name: no part of what a model reads. */
const LICENSE = /^(?:licen[cs]e|notice|copying)(?:[.-][a-z0-9.-]+)?$/i

/** What is called so can be saved as UTF-8. */
const TEXT = /\.(?:md|mdx|markdown|txt)$/i

/**
 * What there is to read in the folder of a skill beside its SKILL.md: `references/`, text in `assets/`, and Markdown that stands
 * beside it. Undefined, with a note, if the folder is no skill.
 */
export function discoverSkillFolder(
  tree: SourceTree,
  dir: string,
  notes: Note[],
): readonly SkillReference[] | undefined {
  const entries = listFolder(tree, dir, notes)
  if (!entries.some(isSkillFile)) {
    notes.push(noSkillNote(tree, dir, entries))
    return undefined
  }
  const references: SkillReference[] = []
  for (const entry of entries) {
    const { name, kind } = entry
    const path = joinPath(dir, name)
    const slot = kind === 'directory' ? SKILL_SLOTS.find((known) => known.name === name) : undefined
    if (slot?.form === 'directory') references.push(...filesIn(tree, dir, name, notes))
    else if (kind === 'file' && name.endsWith('.md') && !isSkillFile(entry)) references.push(reference(tree, dir, name))
    else if (!isSkillFile(entry) && !(kind === 'file' && LICENSE.test(name))) notes.push(strayEntryNote(path, entry))
  }
  return references
}

function isSkillFile({ name, kind }: Entry): boolean {
  return name === SKILL_FILE && kind === 'file'
}

function reference(tree: SourceTree, dir: string, path: string): SkillReference {
  const file = joinPath(dir, path)
  const read = readText(tree, file)
  return read.ok ? { path, file, text: read.text } : { path, file, text: undefined, unread: read.unread }
}

/** All files below a folder of the skill, hidden ones aside: a README or a test is material here. */
function filesIn(tree: SourceTree, dir: string, path: string, notes: Note[]): SkillReference[] {
  return listAll(tree, joinPath(dir, path), notes).flatMap(({ name, kind }) => {
    const inner = joinPath(path, name)
    if (kind === 'directory') return filesIn(tree, dir, inner, notes)
    if (kind === 'file') {
      const found = reference(tree, dir, inner)
      // An image is no mistake, and a model that reads text has no use for it. A text that was saved in another encoding is missed.
      const isMissed = path.startsWith('references') && TEXT.test(name)
      const isBinary = found.unread?.kind === 'no-text' && !isMissed
      if (isBinary) notes.push(binaryNote(found.file))
      return isBinary ? [] : [found]
    }
    notes.push(kind === 'link' ? linkNote(joinPath(dir, inner)) : otherNote(joinPath(dir, inner)))
    return []
  })
}

function listAll(tree: SourceTree, dir: string, notes: Note[]): readonly Entry[] {
  try {
    return tree.list(dir).filter(({ name }) => !name.startsWith('.'))
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    notes.push({ kind: 'unreadable', path: dir, reason: error.message })
    return []
  }
}

function binaryNote(path: string): Note {
  const because = 'it is no UTF-8 text, and a skill is read as text'
  return { kind: 'ignored', path, what: 'file', because, fix: 'remove it, or let a tool of your own read it' }
}

function strayEntryNote(path: string, entry: Entry): Note {
  const { name, kind } = entry
  if (kind === 'directory' && name === 'scripts') {
    const because = 'nothing runs the scripts of a skill'
    const fix = 'make a tool of what they do and name it in the skill, or move what the model shall read to "assets/"'
    return { kind: 'ignored', path, what: 'folder', because, fix }
  }
  const note = strayNote(path, entry, SKILL_SLOTS)
  if (note.kind !== 'ignored' || note.what === 'link' || note.meant !== undefined) return note
  if (kind === 'directory')
    return { ...note, fix: 'move what the model shall read to "references/", or the folder out of the skill' }
  const because = 'of the files beside SKILL.md, only Markdown is read'
  return { kind: 'ignored', path, what: 'file', because, fix: `move it to "assets/${name}", or out of the skill` }
}

function noSkillNote(tree: SourceTree, dir: string, entries: readonly Entry[]): Note {
  const ignored = (because: string, fix: string): Note => ({ kind: 'ignored', path: dir, what: 'folder', because, fix })
  if (entries.some(({ name, kind }) => name === SKILL_FILE && kind === 'link'))
    return ignored(
      'its SKILL.md is a link, and links are not followed',
      'replace the link by the file that it points to',
    )
  const key = baseName(dir)
  const files = entries.filter(({ kind }) => kind === 'file').map(({ name }) => name)
  const near = files.find((name) => /^skills?\.(?:md|markdown|mdx)$/i.test(name))
  const inner = entries.find(({ name, kind }) => kind === 'directory' && isSkillFolder(tree, joinPath(dir, name)))
  const add = `add "${key}/${SKILL_FILE}", or move the folder out of "skills/"`
  const move = inner === undefined ? add : `move "${inner.name}/" up one level`
  return near === undefined
    ? ignored('it holds no SKILL.md, so it is no skill', move)
    : ignored(`its "${near}" is no "${SKILL_FILE}"`, `rename "${key}/${near}" to "${key}/${SKILL_FILE}"`)
}

function isSkillFolder(tree: SourceTree, dir: string): boolean {
  return listFolder(tree, dir, []).some(isSkillFile)
}
