import { moduleName, withoutExtension } from '../layout.ts'
import { readText } from '../tree/read-text.ts'
import { type Entry, joinPath, type SourceTree } from '../tree/source-tree.ts'
import type { Note, SkillFile, SkillReference, SlotModule } from './agent-dir.ts'
import { addModule, bestExtensionFirst, linkNote, listFolder, otherNote } from './folder.ts'
import { parseFrontmatter, splitFrontmatter } from './frontmatter.ts'
import { discoverSkillFolder, SKILL_FILE } from './skill-folder.ts'

export interface SkillEntries {
  readonly skills: readonly SkillFile[]
  readonly modules: readonly SlotModule[]
}

/** The skills in `skills/`: folders with a SKILL.md, Markdown files, and modules. */
export function discoverSkills(tree: SourceTree, dir: string | undefined, notes: Note[]): SkillEntries {
  const skills: SkillFile[] = []
  const modules = new Map<string, SlotModule>()
  for (const entry of dir === undefined ? [] : [...listFolder(tree, dir, notes)].sort(bestExtensionFirst)) {
    const { name, kind } = entry
    const path = joinPath(dir ?? '', name)
    const key = kind === 'file' ? moduleName(name)?.base : undefined
    if (key !== undefined) addModule(modules, { slot: 'skill', key, file: path }, notes)
    else if (kind === 'directory') {
      const references = discoverSkillFolder(tree, path, notes)
      if (references !== undefined)
        skills.push(readSkill(tree, { key: name, file: joinPath(path, SKILL_FILE), folder: path, references }))
    } else if (isFlatSkill(entry)) {
      skills.push(readSkill(tree, { key: name.slice(0, -'.md'.length), file: path, folder: undefined, references: [] }))
    } else notes.push(straySkillNote(path, entry))
  }
  return { skills, modules: [...modules.values()] }
}

function isFlatSkill({ name, kind }: Entry): boolean {
  return kind === 'file' && name.endsWith('.md') && name !== '.md' && name.toLowerCase() !== SKILL_FILE.toLowerCase()
}

interface Found {
  readonly key: string
  readonly file: string
  readonly folder: string | undefined
  readonly references: readonly SkillReference[]
}

function readSkill(tree: SourceTree, found: Found): SkillFile {
  const read = readText(tree, found.file)
  const text = read.ok ? read.text : ''
  const head = parseFrontmatter(text)
  const { body } = splitFrontmatter(text)
  const skill = { ...found, head, body, fields: fieldsOf(found, head.values, body) }
  return read.ok ? skill : { ...skill, unread: read.unread }
}

/** What a frontmatter says under names that are spelled as in code. Others have a finding of their own. */
const SPELLED: ReadonlyMap<string, string> = new Map([
  ...['name', 'description', 'license', 'compatibility', 'metadata'].map((key) => [key, key] as const),
  ['allowed-tools', 'allowedTools'],
])

/** The keys that the frontmatter of a skill may have. */
export const SKILL_KEYS: readonly string[] = [...SPELLED.keys()]

function fieldsOf(
  { key, references }: Found,
  values: Readonly<Record<string, unknown>>,
  body: string,
): SkillFile['fields'] {
  const written = [...SPELLED].map(([from, to]) => [to, from === 'allowed-tools' ? listed(values[from]) : values[from]])
  const fields = Object.fromEntries(written.filter(([, value]) => value !== undefined)) as Record<string, unknown>
  const texts = references.filter(({ text }) => text !== undefined).map(({ path, text }) => [path, text])
  return { name: key, ...fields, instructions: body, references: Object.fromEntries(texts) }
}

/** Names between blanks, as the specification has it, or a list of them. */
function listed(value: unknown): unknown {
  return typeof value === 'string' ? value.split(/\s+/).filter((name) => name !== '') : value
}

function straySkillNote(path: string, { name, kind }: Entry): Note {
  if (kind === 'link') return linkNote(path)
  if (kind === 'other') return otherNote(path)
  const ignored = (because: string, fix: string): Note => ({ kind: 'ignored', path, what: 'file', because, fix })
  if (name.toLowerCase() === SKILL_FILE.toLowerCase())
    return ignored(
      'a SKILL.md stands in a folder that is named as the skill',
      `move it to "skills/my-skill/${SKILL_FILE}"`,
    )
  const base = withoutExtension(name) || 'my-skill'
  const extension = /\.(?:md|markdown|mdx|txt)$/i.test(name) ? '.md' : '.ts'
  const fix = `rename it to "${base}${extension}", or move it into the folder of a skill, or out of "skills/"`
  return ignored('a skill is a folder with a SKILL.md, a .md file, or a module', fix)
}
