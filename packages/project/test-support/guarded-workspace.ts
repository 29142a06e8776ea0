import {
  type BigIntStats,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRetinueError } from '@retinue/core/errors'
import type { ToolContext } from '@retinue/core/tools'
import type { Workspace } from '@retinue/core/workspace'
import { createLocalWorkspace } from '../src/workspace/local-workspace.ts'
import { RootedFiles } from '../src/workspace/rooted-files.ts'
import { copySeeds } from '../src/workspace/seeds.ts'

/** What must stay outside: its text, and a size that no file inside has. */
export const SECRET = 'CANARY'.repeat(1319)

/** A workspace with a canary beside it, and with links in it that lead there. */
export interface Guarded extends Disposable {
  readonly root: string
  readonly outside: string
  /** Puts the inside back as it was. */
  plant(): void
  /** What of the outside has changed, and what of it was told in `told`; `undefined` if nothing. */
  breach(told?: unknown): string | undefined
}

export function guardedWorkspace(): Guarded {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'retinue-guarded-')))
  const [root, outside] = [join(top, 'root'), join(top, 'outside')]
  mkdirSync(join(outside, 'deep'), { recursive: true })
  for (const name of ['secret.txt', 'a.txt', 'deep/b.txt']) writeFileSync(join(outside, name), SECRET)
  const plant = (): void => {
    rmSync(root, { recursive: true, force: true })
    mkdirSync(join(root, 'deep/er'), { recursive: true })
    writeFileSync(join(root, 'a.txt'), 'inside')
    writeFileSync(join(root, 'deep/b.txt'), 'deeper')
    for (const [name, to] of Object.entries(LINKS)) symlinkSync(to.replace('OUTSIDE', outside), join(root, name))
  }
  plant()
  const before = stateOf(outside)
  const breach = (told?: unknown): string | undefined => {
    const after = stateOf(outside)
    if (after !== before) return `the outside changed from\n${before}\nto\n${after}`
    const text = typeof told === 'string' ? told : JSON.stringify(told ?? '')
    if (text.includes('CANARY')) return 'the text of the canary was told'
    return text.includes(String(SECRET.length)) ? 'the size of the canary was told' : undefined
  }
  return { root, outside, plant, breach, [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }) }
}

const LINKS: Readonly<Record<string, string>> = {
  'file-link': 'OUTSIDE/secret.txt',
  'folder-link': 'OUTSIDE',
  dangling: 'OUTSIDE/new.txt',
  'dangling-folder': 'OUTSIDE/new-folder',
  'inner-link': 'a.txt',
  loop: 'loop',
  proc: '/proc/self/root',
  'deep/up': '../..',
  'deep/relative': '../../outside/deep',
}

/** The paths of those links, and of what they lead to. */
export const LINK_PATHS: readonly string[] = [
  ...Object.keys(LINKS),
  'folder-link/secret.txt',
  'folder-link/new.txt',
  'folder-link/new/file.txt',
  'folder-link/deep',
  'folder-link/deep/b.txt',
  'dangling-folder/new.txt',
  'deep/up/outside/secret.txt',
  'deep/up/outside/new.txt',
  'deep/relative/b.txt',
  'proc/etc/passwd',
]

/** All that can be seen of a folder from outside: who was read can't be seen, so what is told is looked at, too. */
function stateOf(folder: string): string {
  const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const stats = lstatSync(join(folder, name), { bigint: true })
    const text = stats.isFile() ? readFileSync(join(folder, name), 'utf8') === SECRET : stats.isSymbolicLink()
    return `${name} ${text} ${identity(stats)}`
  })
  return [`. ${identity(lstatSync(folder, { bigint: true }))}`, ...lines.sort()].join('\n')
}

function identity({ ino, mode, nlink, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, mode, nlink, size, mtimeNs, ctimeNs].join(' ')
}

export type Operation = (path: string) => unknown

/** Everything that can be done with a path, below the tools. */
export function fileOperations(root: string, portable: boolean): Readonly<Record<string, Operation>> {
  const files = new RootedFiles(root, portable)
  const bytes = new TextEncoder().encode('written')
  return {
    read: (path) => new TextDecoder().decode(files.read(path, 1_000_000)),
    stat: (path) => files.stat(path),
    list: (path) => files.list(path, 1000),
    write: (path) => files.write(path, bytes),
    create: (path) => files.create(path, bytes),
    remove: (path) => files.remove(path, false),
    'remove all': (path) => files.remove(path, true),
  }
}

/** The same through the tools that a model calls. */
export function toolOperations(root: string): Readonly<Record<string, Operation>> {
  const { tools } = createLocalWorkspace({ id: 'w', root })
  const more: Readonly<Record<string, object>> = {
    workspace_search_files: { query: 'a' },
    workspace_write_file: { text: 'written' },
    workspace_edit_file: { oldText: 'CANARY', newText: 'x', replaceAll: true },
    workspace_delete_file: { recursive: true },
  }
  const names = Object.keys(tools)
  return Object.fromEntries(
    names.map((name) => [name, (path: string) => callTool({ id: 'w', tools }, name, { path, ...more[name] })]),
  )
}

/** Copies the workspace as if it were seeds, and gives what came of it. */
export function seedOperation(root: string, copy: string): Operation {
  return () => {
    rmSync(copy, { recursive: true, force: true })
    mkdirSync(join(copy, 'files'), { recursive: true })
    const files = new RootedFiles(join(copy, 'files'))
    copySeeds(files, { from: root, record: join(copy, 'seeds.json') })
    const listed = files.list('', 1000).files
    return listed.map(({ path }) => new TextDecoder().decode(files.read(path, 1_000_000)))
  }
}

/** Runs a tool of a workspace as a run would. */
export async function callTool(
  { tools }: Workspace,
  name: string,
  input: Readonly<Record<string, unknown>>,
  context?: Partial<ToolContext>,
): Promise<unknown> {
  const { execute } = tools[name] ?? {}
  if (typeof execute !== 'function') throw new Error(`no tool ${name}`)
  return (execute as (input: unknown, context?: Partial<ToolContext>) => unknown)(input, context)
}

/** What came of an operation: what it gave, or the code and the text of its error. */
export async function outcomeOf(work: () => unknown): Promise<{ code: string; told: unknown }> {
  try {
    return { code: 'done', told: await work() }
  } catch (error) {
    if (!isRetinueError(error)) throw error
    return { code: error.code, told: `${error.message} ${error.hint} ${JSON.stringify(error.data)}` }
  }
}
