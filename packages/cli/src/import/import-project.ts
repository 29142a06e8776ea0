import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { isWithin } from '../is-within.ts'
import { modelNameOf } from '../run/model-name.ts'
import { UsageError } from '../usage-error.ts'
import { writeAll } from '../write-all.ts'
import { importClaude } from './import-claude.ts'
import type { Imported } from './imported.ts'
import { agentsInCode, agentsInTheWay, filesInTheWay } from './in-the-way.ts'
import { sourceEntries } from './source-files.ts'

export interface ImportOptions {
  /** What to import: a project, `.claude/agents`, or `src/mastra`. */
  readonly source: string
  /** The project that it is written to. */
  readonly project: string
  readonly app: string
  readonly supervisor: string
  readonly model: string
}

/** Imports what stands in a folder, and writes it. Throws `UsageError` if there is nothing, or something is in the way. */
export async function importProject(options: ImportOptions): Promise<Imported> {
  const { project, app } = options
  modelNameOf(options.model, '--model')
  if (!isWithin(resolve(project), resolve(project, app)))
    throw new UsageError(`"${app}" is no folder of this project: name one below it, such as src/retinue`)
  const imported = await read({
    ...options,
    app: relative(resolve(project), resolve(project, app)).replaceAll('\\', '/'),
  })
  await assertFree(options, imported)
  writeAll(resolve(project), imported.files)
  return imported
}

/** Nothing is written over, and no agent is made of the files of two. */
async function assertFree({ project }: ImportOptions, { files, app, kind }: Found): Promise<void> {
  const fix = kind === 'claude' ? 'name another agent with --as' : 'name another folder with --dir'
  const agents = agentsInTheWay(project, app, files.keys())
  if (agents.length > 0) {
    const what = agents.length === 1 ? 'the agent folder' : 'the agent folders'
    throw new UsageError(`nothing was written: ${what} ${listed(agents)} would be mixed with what is imported: ${fix}`)
  }
  const taken = filesInTheWay(project, files.keys())
  if (taken.length > 0)
    throw new UsageError(`nothing was written: in the way of what is imported stands ${listed(taken)}: ${fix}`)
  const coded = await agentsInCode(project, app, files.keys())
  if (coded.length > 0) {
    const [what, their] = coded.length === 1 ? ['agent', 'its folder'] : ['agents', 'their folders']
    throw new UsageError(
      `nothing was written: the application in code, ${app}/index, has the ${what} ${listed(coded)}, and would win over ${their}: ${fix}`,
    )
  }
}

function listed(paths: readonly string[]): string {
  const named = paths.slice(0, 3).join(', ')
  return paths.length > 3 ? `${named} and ${paths.length - 3} more` : named
}

/** What is to be written, and what kind of source it comes from. */
interface Found extends Imported {
  /** The application's directory in the project. */
  readonly app: string
  readonly kind: 'claude' | 'mastra'
}

async function read({ source, project, app, supervisor, model }: ImportOptions): Promise<Found> {
  const path = resolve(source)
  const claude = [join(path, '.claude/agents'), join(path, 'agents'), path].find(holdsMarkdown)
  const mastra = [join(path, 'src/mastra'), path].find(isMastra)
  if (mastra !== undefined && claude === join(path, '.claude/agents'))
    throw new UsageError(`"${source}" has both .claude/agents and src/mastra: name the one to import`)
  if (mastra !== undefined) {
    const { importMastra } = await import('./import-mastra.ts')
    return { ...(await importMastra({ folder: realpathSync(mastra), project, app })), app, kind: 'mastra' }
  }
  if (claude !== undefined) return { ...importClaude({ folder: claude, supervisor, model, app }), app, kind: 'claude' }
  throw new UsageError(`there is nothing to import in "${source}": neither .claude/agents/*.md nor src/mastra`)
}

function holdsMarkdown(folder: string): boolean {
  if (basename(folder) !== 'agents' || !isFolder(folder)) return false
  return sourceEntries(folder).some(({ path }) => path.endsWith('.md'))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** By its place, or by an index that imports it. */
function isMastra(folder: string): boolean {
  return (
    isFolder(folder) &&
    basename(folder) === 'mastra' &&
    ['agents', 'index.ts', 'index.js'].some((name) => existsSync(join(folder, name)))
  )
}
