import { parse, stringify } from 'yaml'
import type { Imported, LeftOver } from './imported.ts'
import { type SourceEntry, sourceEntries, sourceText, unreadable } from './source-files.ts'

export interface ClaudeOptions {
  /** The folder of the agents: `.claude/agents`. */
  readonly folder: string
  /** What the agent is called that delegates to them. */
  readonly supervisor: string
  /** The model of those that name none. */
  readonly model: string
  /** The application's directory in the project. */
  readonly app: string
}

/** What the short names of models stand for. */
const MODELS: ReadonlyMap<string, string> = new Map([
  ['sonnet', 'anthropic/claude-sonnet-4-5'],
  ['opus', 'anthropic/claude-opus-4-1'],
  ['haiku', 'anthropic/claude-haiku-4-5'],
])

/** Tools that read and write files: an agent here has those of its own workspace. */
const FILE_TOOLS: ReadonlySet<string> = new Set([
  'Read',
  'Write',
  'Edit',
  'MultiEdit',
  'Glob',
  'Grep',
  'LS',
  'NotebookEdit',
])

const CARRIED: ReadonlySet<string> = new Set(['name', 'description', 'model', 'tools'])

/** Makes one agent that delegates to what `.claude/agents/*.md` describe. Each becomes an `agent.md`. */
export function importClaude(options: ClaudeOptions): Imported {
  const { folder, supervisor, model, app } = options
  const files = new Map<string, string>()
  const left: LeftOver[] = []
  const home = `${app}/agents/${supervisor}`
  const told: string[] = []
  for (const entry of sourceEntries(folder)) {
    const name = entry.path
    if (!isTaken(entry, left)) continue
    const found = readAgent(folder, name, left)
    if (found === undefined) continue
    const { key, fields, body } = found
    const path = `${home}/subagents/${key}/agent.md`
    // Names that differ in case alone are one file on many disks, and one agent to whoever reads them.
    if (told.some((other) => other.toLowerCase() === key.toLowerCase())) {
      left.push({ file: name, what: `another agent is called "${key}"`, fix: 'rename one of them, and import again' })
      continue
    }
    const config = { model: modelOf(fields, model, name, left), ...described(fields, name, left) }
    files.set(path, `---\n${stringify(config, { lineWidth: 0 })}---\n\n${body.trim()}\n`)
    tellLost(fields, name, left)
    told.push(key)
  }
  if (told.length === 0) return { files: new Map(), left }
  const work = `You coordinate specialists. Delegate each part of a request to the one whose description fits it best, and answer from what they give back.\n`
  files.set(`${home}/agent.md`, `---\n${stringify({ model })}---\n\n${work}`)
  return { files, left }
}

/** Whether it can be an agent: a link to a file is as good as the file. Other links are told, and what else has the name of one. */
function isTaken(entry: SourceEntry, left: LeftOver[]): boolean {
  const { path: file, kind } = entry
  const isNamed = file.endsWith('.md')
  if (kind === 'unreadable') left.push(unreadable(file, entry.reason))
  else if (kind === 'link' && !entry.isFile) {
    const fix = 'put what it should lead to in its place, and import again'
    left.push({ file, what: `it is a link to "${entry.to}", and leads to no file`, fix })
  } else if (kind === 'file' || kind === 'link') return isNamed
  else if (isNamed) left.push({ file, what: 'it is no file', fix: 'write the agent into a file of this name' })
  return false
}

type Fields = Readonly<Record<string, unknown>>

function readAgent(
  folder: string,
  name: string,
  left: LeftOver[],
): { readonly key: string; readonly fields: Fields; readonly body: string } | undefined {
  const text = sourceText(folder, name, left)?.replaceAll('\r\n', '\n')
  if (text === undefined) return undefined
  const [, head, body = ''] = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n([\s\S]*))?$/.exec(text) ?? []
  const fields = head === undefined ? undefined : readHead(head)
  if (fields === undefined) {
    left.push({
      file: name,
      what: 'it has no frontmatter that can be read',
      fix: 'put name and description between two lines of ---',
    })
    return undefined
  }
  if (body.trim() === '') {
    left.push({ file: name, what: 'it has no instructions', fix: 'write below the frontmatter what it does' })
    return undefined
  }
  const said = typeof fields['name'] === 'string' ? fields['name'] : undefined
  // A name with nothing in it that a key may hold is none.
  const key = keyOf(said ?? '') ?? keyOf(name.split('/').at(-1)?.slice(0, -'.md'.length) ?? '') ?? 'agent'
  if (key !== (said ?? name.split('/').at(-1)?.slice(0, -'.md'.length)))
    left.push({ file: name, what: `"${said ?? name}" can't be the name of an agent`, fix: `it is called "${key}" now` })
  return { key, fields, body }
}

function keyOf(name: string): string | undefined {
  const key = name.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64)
  return /^-*$/.test(key) ? undefined : key
}

function readHead(head: string): Fields | undefined {
  const values = parsed(head) ?? parsed(head.split('\n').map(quoted).join('\n'))
  return typeof values === 'object' && values !== null && !Array.isArray(values) ? (values as Fields) : undefined
}

/** Descriptions with a colon in them are common, and no YAML: what stands in such a line is meant as it stands. */
function quoted(line: string): string {
  const [, name, value] = /^([\w-]+):[ \t]+(.*)$/.exec(line) ?? []
  return name === undefined || value === undefined || parsed(line) !== undefined
    ? line
    : `${name}: ${JSON.stringify(value)}`
}

/** Undefined for what is no YAML. */
function parsed(text: string): unknown {
  try {
    return parse(text) ?? {}
  } catch {
    return undefined
  }
}

function modelOf({ model }: Fields, otherwise: string, file: string, left: LeftOver[]): string {
  if (typeof model !== 'string' || model === '' || model === 'inherit') return otherwise
  const [, name = '', variant] = /^(.*?)(\[.*\])?$/.exec(model) ?? []
  if (variant !== undefined)
    left.push({
      file,
      what: `"${variant}" of its model`,
      fix: 'nothing here means that; the model is the one before it',
    })
  return MODELS.get(name) ?? (name.includes('/') ? name : `anthropic/${name}`)
}

function described({ description }: Fields, file: string, left: LeftOver[]): { description?: string } {
  if (typeof description === 'string' && description.trim() !== '') return { description: description.trim() }
  left.push({
    file,
    what: 'it has no description',
    fix: 'say in its agent.md when to delegate to it: description: Use it to …',
  })
  return {}
}

function tellLost(fields: Fields, file: string, left: LeftOver[]): void {
  const { tools } = fields
  const names =
    typeof tools === 'string'
      ? tools.split(',').map((tool) => tool.trim())
      : Array.isArray(tools)
        ? tools.map(String)
        : []
  const ofFiles = names.filter((name) => FILE_TOOLS.has(name))
  if (ofFiles.length > 0) {
    const fix = 'give it a folder workspace/: it has tools for the files in it, and for no others'
    left.push({ file, what: `its tools for files (${ofFiles.join(', ')})`, fix })
  }
  const others = names.filter((name) => name !== '' && !FILE_TOOLS.has(name))
  if (others.length > 0) {
    const fix = 'write a file for each in its tools/; a shell is a setting of workspace.ts'
    left.push({ file, what: `its tools ${others.join(', ')}`, fix })
  }
  if (tools === undefined) {
    const fix = 'it has none until you write some: a file for each in its tools/'
    left.push({ file, what: 'it could use every tool of the session', fix })
  }
  const unknown = Object.keys(fields).filter((key) => !CARRIED.has(key))
  if (unknown.length > 0)
    left.push({ file, what: `${unknown.join(', ')} in its frontmatter`, fix: 'nothing here means that' })
}
