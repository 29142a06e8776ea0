import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { type CheckResult, type ProjectBlueprint, planBuild, withSubagents } from '@retinue/project'
import type { Bundle, UnfollowedAt } from './bundle.ts'
import { filesToCopy, type ToCopy } from './copied-files.ts'
import { entryModule } from './entry-module.ts'
import { includedFiles } from './included-files.ts'
import { OUTPUT_DIR } from './output-dir.ts'
import { MARK, writeOutput } from './write-output.ts'

export interface BuildOptions {
  /** The project's directory. */
  readonly path: string
  readonly dir?: string | undefined
  /** Where to put the output. Default: `.retinue/output` in the project. */
  readonly out?: string | undefined
  /** Warnings end it, as errors do. */
  readonly strict?: boolean
}

export interface BuildResult {
  readonly check: CheckResult
  /** What is not in the output, and may be missed there. */
  readonly missing: Missing
  /** What was written; `undefined` where findings ended it, or with `strict` what is missing. */
  readonly output: BuildOutput | undefined
}

export interface Missing {
  /** Modules that may read files which the build did not take along. */
  readonly open: readonly string[]
  /** What modules ask for when they run, and is not in the output. */
  readonly unfollowed: readonly UnfollowedAt[]
  /** What of seeds and included folders was left out, by its path in the project: secrets, what was installed. */
  readonly left: readonly string[]
}

export interface BuildOutput {
  readonly folder: string
  /** Bytes of scripts, without source maps and copied files. */
  readonly bytes: number
  readonly dependencies: Readonly<Record<string, string>>
}

/** Checks a project and builds it. Throws what checking throws, and `build-…` errors. */
export async function buildProject({ path, dir, out, strict = false }: BuildOptions): Promise<BuildResult> {
  // The bundler is large: it is read while the project is checked.
  const bundler = import('./bundle.ts')
  bundler.catch(() => {})
  const plan = await planBuild(path, { types: true, ...(dir === undefined ? {} : { dir }) })
  const { result: check, root, blueprint, providers } = plan
  const nothing = { open: [], unfollowed: [], left: [] }
  if (blueprint === undefined || (strict && check.warnings > 0)) return { check, missing: nothing, output: undefined }
  const bundled = await (await bundler).bundle({ root, entry: entryModule(blueprint), providers })
  const folder = out === undefined ? join(root, OUTPUT_DIR) : resolve(out)
  const written = new Map<string, string | Uint8Array>([
    ['package.json', manifest(bundled.dependencies)],
    ['index.js', INDEX],
    ...[...bundled.files].map(([name, content]) => [`app/${name}`, content] as const),
  ])
  const { files, left } = toCopy(root, blueprint, bundled)
  const { dependencies, unfollowed } = bundled
  const missing: Missing = {
    // Who says what is to be taken along has thought of it.
    open: includedFiles(root) === undefined ? bundled.open : [],
    unfollowed,
    left: left.map((path) => relative(root, path).replaceAll('\\', '/')),
  }
  if (strict && Object.values(missing).some(({ length }) => length > 0)) return { check, missing, output: undefined }
  writeOutput(folder, { written, copied: files })
  return { check, missing, output: { folder, bytes: scriptBytes(bundled), dependencies } }
}

/**
 * What `node FOLDER` runs. Source maps first, so that every error of the application tells the lines of its sources. What is not installed
 * is told here if nothing can be loaded without it, else by what was loaded: see `start-output`.
 */
const INDEX = `process.setSourceMapsEnabled(true)
const { main } = await import('./app/application.js').catch((error) => {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error
  console.error('error: ' + error.message.split(' imported from ')[0] + '.')
  console.error('  = fix: install what its package.json lists: npm install --prefix ' + import.meta.dirname)
  process.exit(1)
})
await main({ args: process.argv.slice(2) })
`

function manifest(dependencies: Readonly<Record<string, string>>): string {
  const content = {
    name: MARK,
    private: true,
    type: 'module',
    main: 'index.js',
    scripts: { start: 'node index.js' },
    engines: { node: '>=22.18' },
    dependencies,
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

/** Seeds of workspaces, files that modules read, and what package.json says is to be included. */
function toCopy(root: string, blueprint: ProjectBlueprint, { reads }: Bundle): ToCopy {
  const seeds = blueprint.agents.flatMap(withSubagents).flatMap(({ workspace }) => workspace?.seeds ?? [])
  const own = [...seeds, ...(includedFiles(root) ?? [])].map((place) => [place, join(root, place)] as const)
  // A file that is read and is not there may be written by who reads it.
  const read = [...reads].filter(([, from]) => existsSync(from))
  const all = [...own, ...read].map(([place, from]) => filesToCopy(from, `files/${place}`))
  const files = new Map(all.flatMap((each) => each.files).map((file) => [file.to, file]))
  return { files: [...files.values()], left: [...new Set(all.flatMap((each) => each.left))].sort() }
}

function scriptBytes({ files }: Bundle): number {
  const scripts = [...files].filter(([name]) => name.endsWith('.js'))
  return scripts.reduce((sum, [, content]) => sum + Buffer.byteLength(content), 0)
}
