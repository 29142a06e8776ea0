import { readdirSync } from 'node:fs'
import { basename, resolve, sep } from 'node:path'
import { keyVariables } from '@retinue/core'
import { UsageError } from '../usage-error.ts'
import { writeAll } from '../write-all.ts'
import { templateFiles } from './template.ts'

/** The model of a new project's agents, where nobody says another. */
export const DEFAULT_MODEL = 'openai/gpt-5.5'

export interface CreateOptions {
  /** The new folder. */
  readonly path: string
  readonly model: string
  readonly version: string
}

export interface CreatedProject {
  readonly folder: string
  readonly name: string
  readonly files: readonly string[]
  /** The variables that the model's key is looked for in; none for a model that needs none. */
  readonly keys: readonly string[]
}

/** Writes a new project. Throws `UsageError` if nothing can be in its place, or something is already, or the model is none. */
export function createProject({ path, model, version }: CreateOptions): CreatedProject {
  if (path.trim() === '') throw new UsageError('the name of the new folder is empty: name one, or "." for this folder')
  const folder = resolve(path)
  assertPlace(folder, path)
  assertFree(folder, path)
  // It stands in code and in YAML, where a quote would end it.
  if (!/^[\w.-]+\/[\w.:/@+~-]+$/.test(model)) throw new UsageError(`"${model}" is no model: write provider/model`)
  const name = packageName(basename(folder))
  const keys = keyVariables(model)
  const files = templateFiles({ name, model, version, keys })
  writeAll(folder, files)
  return { folder, name, files: [...files.keys()], keys }
}

/** What npm takes for no package's name. Node runs no TypeScript below the first of them. */
const NO_NAMES: readonly string[] = ['node_modules', 'favicon.ico']

function assertPlace(folder: string, path: string): void {
  const name = packageName(basename(folder))
  if (NO_NAMES.includes(name))
    throw new UsageError(`"${path}" can't be a project: npm takes no package called "${name}": name another folder`)
  if (folder.split(sep).includes('node_modules'))
    throw new UsageError(
      `"${path}" can't be a project below node_modules, where Node loads no TypeScript: name another folder`,
    )
}

/** A repository that has nothing in it yet is free. */
function assertFree(folder: string, path: string): void {
  const names = namesIn(folder, path)
  const taken = names.filter((name) => name !== '.git')
  if (taken.length > 0) throw new UsageError(`"${path}" is not empty: ${taken.slice(0, 3).join(', ')} is in it`)
}

function namesIn(folder: string, path: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') throw new UsageError(`"${path}" is no folder and can be none: a file stands there already`)
    throw new UsageError(`"${path}" can't be looked into: the system says ${code}`)
  }
}

/** The nearest name that npm takes. */
function packageName(folder: string): string {
  const legal = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
  return legal === '' ? 'my-agents' : legal.slice(0, 200)
}
