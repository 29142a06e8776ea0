import { nameProblem } from '@retinue/project'
import { stringify } from 'yaml'
import { described, modelOf, tellLost } from './claude-fields.ts'
import { type Fields, readHead } from './claude-frontmatter.ts'
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

function readAgent(
  folder: string,
  name: string,
  left: LeftOver[],
): { readonly key: string; readonly fields: Fields; readonly body: string } | undefined {
  const text = sourceText(folder, name, left)?.replaceAll('\r\n', '\n')
  if (text === undefined) return undefined
  const [, head, body = ''] = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n([\s\S]*))?$/.exec(text) ?? []
  if (head === undefined) {
    const what = 'it has no frontmatter that can be read'
    left.push({ file: name, what, fix: 'put name and description between two lines of ---' })
    return undefined
  }
  const read = readHead(head)
  if (!read.ok) {
    // The line of --- is the first one of the file.
    const fix = 'correct its frontmatter, and import again'
    left.push({ file: name, line: read.line + 1, what: `its frontmatter can't be read: ${read.reason}`, fix })
    return undefined
  }
  const { fields } = read
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

/** A name that `check` takes, the nearest there is; undefined where nothing of it can be kept. */
function keyOf(name: string): string | undefined {
  const key = name.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64)
  return /^-*$/.test(key) || nameProblem(key) !== undefined ? undefined : key
}
