// Bundles each package into few modules, since each module is a file to find, read, compile and link.
// They take the place of what `tsc -b` wrote, a module for each source; its types stay. What is as it was is left alone.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { rolldown, VERSION } from 'rolldown'
import { moduleUrls } from './lib/module-urls.mjs'
import { listDirs, readJson } from './lib/sources.mjs'

/** What package.json says stands in the sources. */
const SOURCE = '@retinue/source'

/** Bundles those packages whose sources have changed, and gives their folders. */
export async function bundlePackages(root) {
  const dirs = listDirs(root, 'packages/*')
  const changed = dirs.filter((dir) => stampOf(root, dir) !== readIfThere(join(root, dir, STAMP)))
  await Promise.all(changed.map((dir) => bundlePackage(root, dir)))
  return changed
}

async function bundlePackage(root, dir) {
  const sources = sourcesHash(root, dir)
  const out = join(root, dir, 'dist')
  rmSync(join(root, dir, STAMP), { force: true })
  const build = await rolldown({
    cwd: join(root, dir),
    input: Object.fromEntries(entriesOf(root, dir).map((name) => [name, `./src/${name}.ts`])),
    platform: 'node',
    tsconfig: false,
    transform: { target: 'node22.18' },
    external: (id, _importer, isResolved) => !isResolved && !id.startsWith('.') && !isAbsolute(id),
    plugins: [whole(), moduleUrls(join(root, dir, 'src'))],
    onLog(level, log) {
      throw new Error(`${dir}: ${level}: ${log.message}`)
    },
  })
  try {
    const { output } = await build.write({
      dir: out,
      format: 'esm',
      sourcemap: true,
      // The types tell what functions are for.
      comments: { jsdoc: false },
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js',
    })
    const written = new Set(output.map(({ fileName }) => join(out, fileName)))
    for (const file of scriptsIn(out)) if (!written.has(file)) rmSync(file)
  } finally {
    await build.close()
  }
  writeFileSync(join(root, dir, STAMP), `${sources} ${scriptsHash(root, dir)}`)
}

/**
 * The sources are written to be read whole: what a module does when it is loaded is meant, whatever package.json tells bundlers of users.
 */
function whole() {
  return {
    name: 'whole',
    load: {
      filter: { id: /\.ts$/ },
      handler: (id) => ({ code: readFileSync(id, 'utf8'), moduleType: 'ts', moduleSideEffects: 'no-treeshake' }),
    },
  }
}

/** Names of the modules that users, Node or a build begin with: paths in `src` without their ending. */
function entriesOf(root, dir) {
  const { exports, imports = {} } = readJson(root, `${dir}/package.json`)
  const named = [...Object.values(exports), ...Object.values(imports)].flatMap((target) => target[SOURCE] ?? [])
  const names = named.map((path) => /^\.\/src\/(.+)\.ts$/.exec(path)[1])
  return [...new Set(names)]
}

/** Left when all is written: of what a package was bundled, and what came of it. */
const STAMP = 'dist/.bundle'

function stampOf(root, dir) {
  return `${sourcesHash(root, dir)} ${scriptsHash(root, dir)}`
}

function sourcesHash(root, dir) {
  const own = ['bundle.mjs', 'lib/module-urls.mjs', 'lib/sources.mjs'].map((name) => join(import.meta.dirname, name))
  const sources = readdirSync(join(root, dir, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(root, dir, 'src', name))
  return hashOf(root, [...own, join(root, dir, 'package.json'), ...sources])
}

function scriptsHash(root, dir) {
  return hashOf(root, scriptsIn(join(root, dir, 'dist')).sort())
}

function hashOf(root, files) {
  const hash = createHash('sha256').update(VERSION)
  for (const file of files) hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file))
  return hash.digest('hex')
}

function scriptsIn(folder) {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { recursive: true }).filter((name) => /\.js(?:\.map)?$/.test(name))
  return names.map((name) => join(folder, name))
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
