import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isWithin } from '../is-within.ts'
import { modelNameOf } from '../run/model-name.ts'
import { UsageError } from '../usage-error.ts'
import { importClaude } from './import-claude.ts'
import type { Imported } from './imported.ts'

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
  const taken = [...imported.files.keys()].filter((path) => existsSync(join(project, path)))
  if (taken.length > 0)
    throw new UsageError(`nothing was written: ${taken.slice(0, 3).join(', ')} would be written over in "${app}"`)
  for (const [path, text] of imported.files) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text, { flag: 'wx' })
  }
  return imported
}

async function read({ source, project, app, supervisor, model }: ImportOptions): Promise<Imported> {
  const path = resolve(source)
  const claude = [join(path, '.claude/agents'), join(path, 'agents'), path].find(holdsMarkdown)
  const mastra = [join(path, 'src/mastra'), path].find(isMastra)
  if (mastra !== undefined && claude === join(path, '.claude/agents'))
    throw new UsageError(`"${source}" has both .claude/agents and src/mastra: name the one to import`)
  if (mastra !== undefined) {
    const { importMastra } = await import('./import-mastra.ts')
    return importMastra({ folder: realpathSync(mastra), project, app })
  }
  if (claude !== undefined) return importClaude({ folder: claude, supervisor, model, app })
  throw new UsageError(`there is nothing to import in "${source}": neither .claude/agents/*.md nor src/mastra`)
}

function holdsMarkdown(folder: string): boolean {
  if (basename(folder) !== 'agents' || !existsSync(folder)) return false
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('.md'))
}

/** By its place, or by an index that imports it. */
function isMastra(folder: string): boolean {
  if (!existsSync(folder)) return false
  return (
    basename(folder) === 'mastra' && ['agents', 'index.ts', 'index.js'].some((name) => existsSync(join(folder, name)))
  )
}
