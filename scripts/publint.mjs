// What a user would install: publint over each public package (after a build), and a look into the tarball.
// `node scripts/publint.mjs [root]`; suggestions are printed, warnings and errors fail.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { listDirs, readJson } from './lib/sources.mjs'

const unwanted = [
  { pattern: /\.(test|spec)[.-]/, why: 'tests are not for users' },
  { pattern: /\.tsbuildinfo$|dist\/\.bundle$/, why: 'the notes of our tools are not for users' },
]

/** Under this condition our own tests and tools read the sources, which are not published: nobody else knows it. */
const SOURCE = '@retinue/source'

/** Paths in the tarball that should not be there, with the reason. `exists` tells whether a source is there. */
export function tarballFaults(files, exists) {
  return files.flatMap((file) => {
    const fault = unwanted.find(({ pattern }) => pattern.test(file))
    if (fault) return [`${file}: ${fault.why}`]
    const [, stem] = /^dist\/(.+?)\.d\.ts(?:\.map)?$/.exec(file) ?? []
    // `tsc -b` leaves the types of a deleted source behind.
    if (stem && !exists(`src/${stem}.ts`)) return [`${file}: its source is gone; remove dist and build again`]
    return []
  })
}

function packedFiles(root, dir) {
  const run = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'], {
    cwd: join(root, dir),
    encoding: 'utf8',
  })
  if (run.status !== 0) throw new Error(`npm pack failed in ${dir}: ${run.stderr}`)
  const output = JSON.parse(run.stdout)
  // npm 11 prints a list, npm 12 an object keyed by name.
  const [packed] = Array.isArray(output) ? output : Object.values(output)
  return packed.files.map(({ path }) => path)
}

async function lintPackage(root, dir) {
  const files = packedFiles(root, dir)
  const { messages, pkg } = await publint({ pkgDir: join(root, dir), level: 'suggestion', strict: true, pack: 'npm' })
  const lines = messages
    .filter(({ path }) => !path.includes(SOURCE))
    .map((message) => ({ severe: message.type !== 'suggestion', text: formatMessage(message, pkg) }))
  const faults = tarballFaults(files, (file) => existsSync(join(root, dir, file)))
  return { files, lines: [...lines, ...faults.map((text) => ({ severe: true, text }))] }
}

async function main(root) {
  const dirs = listDirs(root, 'packages/*').filter((dir) => readJson(root, `${dir}/package.json`).private !== true)
  let severe = 0
  for (const dir of dirs) {
    const { files, lines } = await lintPackage(root, dir)
    console.log(`${dir}: ${files.length} files in the tarball`)
    for (const line of lines) console.error(`  ${line.severe ? 'error' : 'suggestion'}: ${line.text}`)
    severe += lines.filter((line) => line.severe).length
  }
  console.log(`publint: ${dirs.length} packages, ${severe} errors`)
  process.exitCode = severe > 0 ? 1 : 0
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv[2] ?? process.cwd())
