import { join, relative, resolve } from 'node:path'
import { type CheckResult, type ProjectBlueprint, planBuild, withSubagents } from '@retinue/project'
import { buildsServed } from '../serve/serving-mark.ts'
import type { Bundle, BundledProject, UnfollowedAt } from './bundle.ts'
import { type CopiedFile, type CopyRequest, filesToCopy, type ToCopy } from './copied-files.ts'
import { ENTRY_TEXT, projectModule } from './entry-module.ts'
import { includedFiles } from './included-files.ts'
import { movedFile } from './installed-from.ts'
import { OUTPUT_DIR, POINTER } from './output-dir.ts'
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
  /** Modules that import each other and wait: because of them what an `import()` or a worker shares with others may run too early. */
  readonly unordered: readonly string[]
  /** What of folders that are read or included was left out, by its path in the project: secrets, what was installed. */
  readonly left: readonly string[]
}

const NOTHING_MISSING: Missing = { open: [], unfollowed: [], unordered: [], left: [] }

export interface BuildOutput {
  readonly folder: string
  /** Bytes of scripts, without source maps and copied files. */
  readonly bytes: number
  readonly dependencies: Readonly<Record<string, string>>
}

/** Checks a project and builds it. Throws what checking throws, and `build-…` errors. */
export async function buildProject({ path, dir, out, strict = false }: BuildOptions): Promise<BuildResult> {
  const { root, plan } = planBuild(path, { types: true, ...(dir === undefined ? {} : { dir }) })
  const checked = plan.then(({ result, blueprint, providers }) => {
    return { check: result, providers, blueprint: strict && result.warnings > 0 ? undefined : blueprint }
  })
  const project = checked.then(({ blueprint, providers }): BundledProject => {
    if (blueprint === undefined) throw new Error('there is nothing to build')
    return { module: projectModule(blueprint), providers }
  })
  // The bundler is large, and so is what it reads for every project: both are done while this one is checked.
  const bundling = import('./bundle.ts').then(({ bundle }) => bundle({ root, entry: ENTRY_TEXT, project }))
  // What ends the check ends the bundling, too, and is told once. Whichever ends first waits for the other one.
  await Promise.allSettled([project, bundling])
  const { check, blueprint } = await checked
  if (blueprint === undefined) return { check, missing: NOTHING_MISSING, output: undefined }
  const bundled = await bundling
  const folder = out === undefined ? join(root, OUTPUT_DIR) : resolve(out)
  const dependencies = Object.fromEntries(
    Object.entries(bundled.dependencies).map(([name, source]) => [name, movedFile(source, root, folder)]),
  )
  const top = { 'package.json': manifest(dependencies), 'index.js': INDEX }
  const written = new Map([...bundled.files].map(([name, content]) => [`app/${name}`, content] as const))
  const { files, left } = toCopy(root, blueprint, bundled)
  const missing: Missing = {
    // Who says what is to be taken along has thought of it.
    open: includedFiles(root) === undefined ? bundled.open : [],
    unfollowed: bundled.unfollowed,
    unordered: bundled.unordered,
    left: left.map((path) => relative(root, path).replaceAll('\\', '/')),
  }
  if (strict && Object.values(missing).some(({ length }) => length > 0)) return { check, missing, output: undefined }
  writeOutput(folder, { top, written, copied: files }, buildsServed(root))
  return { check, missing, output: { folder, bytes: scriptBytes(bundled), dependencies } }
}

/**
 * What `node FOLDER` runs. An older Node is told before anything is loaded that it could not run. Source maps are next, so that every error
 * of the application tells the lines of its sources. What is not installed is told here if nothing can be loaded without it, else by what
 * was loaded: see `start-output`.
 */
const INDEX = `const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error('error: It needs Node 22.18 or newer; this is ' + process.version + '.')
  console.error('  = fix: Start it with a newer Node: ' + process.execPath + ' is the one that was used.')
  process.exit(1)
}
process.setSourceMapsEnabled(true)
const { main } = await import('./${POINTER}').catch((error) => {
  // As Node says it to imports, and to CommonJS.
  const what = /^Cannot find (?:package|module) '(?![./]|file:|[A-Za-z]:)[^']*'/.exec(error?.message)?.[0]
  if (what === undefined || !/^(?:ERR_)?MODULE_NOT_FOUND$/.test(error.code)) throw error
  console.error('error: ' + what + '.')
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
  const included = new Set(includedFiles(root))
  const requests: readonly CopyRequest[] = [
    ...seeds.map((place) => ({ from: join(root, place), to: place, by: 'a workspace', withoutLinks: true })),
    ...[...reads].map(([to, { from, by }]) => ({ from, to, by, isMeant: included.has(to) })),
    ...[...included].map((to) => ({ from: join(root, to), to, by: 'package.json', isMeant: true })),
  ]
  const all = requests.map((request) => filesToCopy({ ...request, to: `files/${request.to}` }))
  const files = new Map(all.flatMap((each) => each.files).map((file) => [file.to, file]))
  // What is left out of seeds `check` has said, and no run gets it.
  const left = all
    .slice(seeds.length)
    .flatMap((each) => each.left)
    .filter((path) => !isTaken(files, root, path))
  return { files: [...files.values()], left: [...new Set(left)].sort() }
}

/** What one leaves out, another may have asked for by its name. */
function isTaken(files: ReadonlyMap<string, CopiedFile>, root: string, path: string): boolean {
  return files.has(`files/${relative(root, path).replaceAll('\\', '/')}`)
}

function scriptBytes({ files }: Bundle): number {
  const scripts = [...files].filter(([name]) => name.endsWith('.js'))
  return scripts.reduce((sum, [, content]) => sum + Buffer.byteLength(content), 0)
}
