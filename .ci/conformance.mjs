// Runs those conformance tests that conformance.txt names against the built packages of this repository.
// `node .ci/conformance.mjs SUITE COUNTS`: SUITE holds the test files; `{ passed, failed }` is written to the file COUNTS.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const [suite, countsFile] = process.argv.slice(2)

/** `{ file: [test names] }` */
function expectedTests() {
  const byFile = {}
  let names
  for (const raw of readFileSync(join(root, '.ci/conformance.txt'), 'utf8').split('\n')) {
    const line = raw.trim()
    const file = /^\[(.+)\]$/.exec(line)?.[1]
    if (file) {
      names = []
      byFile[file] = names
    } else if (line && !line.startsWith('#')) names.push(line)
  }
  return byFile
}

// The suite resolves packages from the folder above its files, so it runs beside a link to ours.
function prepare(work) {
  cpSync(suite, work, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'))
  mkdirSync(join(work, 'tmp'))
}

function runFile(work, file, names) {
  const results = join(work, `${file}.results`)
  // A runner a file and no process below it: from a process below, the last results can get lost when the end is forced
  // (nodejs/node#64833).
  const limits = ['--test-isolation=none', '--test-timeout=20000', '--test-force-exit']
  const patterns = names.map((name) => `--test-name-pattern=/^${name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$/`)
  const reporters = ['--test-reporter=spec', '--test-reporter-destination=stdout']
  reporters.push(`--test-reporter=${join(root, '.ci/result-reporter.mjs')}`, `--test-reporter-destination=${results}`)
  // Its own temporary folder, so that what the tests leave goes away with the rest.
  const env = { ...process.env, TMPDIR: join(work, 'tmp') }
  const stdio = ['ignore', 'inherit', 'inherit']
  const run = spawnSync(process.execPath, ['--test', ...limits, ...patterns, ...reporters, file], {
    cwd: work,
    env,
    stdio,
  })
  const lines = existsSync(results) ? readFileSync(results, 'utf8').split('\n').filter(Boolean) : []
  return { exitCode: run.status ?? 1, results: lines.map((line) => JSON.parse(line)) }
}

/** `{ failures, texts }`: what is wrong beyond the failures that the runner has shown. */
function faultsOf(file, names, { exitCode, results }) {
  const missing = names.filter((name) => !results.some((result) => result.name === name && result.ran))
  const texts =
    missing.length === names.length
      ? [`${file}: none of its ${names.length} tests in conformance.txt has run`]
      : missing.map((name) => `${file}: no test of this name has run: "${name}"`)
  const failed = results.some(({ passed }) => !passed)
  if (exitCode !== 0 && !failed) texts.push(`${file}: the test runner ended with ${exitCode}`)
  return { failures: Math.max(missing.length, texts.length), texts }
}

const work = mkdtempSync(join(tmpdir(), 'conformance-'))
const counts = { passed: 0, failed: 0 }
try {
  prepare(work)
  for (const [file, names] of Object.entries(expectedTests())) {
    const run = runFile(work, file, names)
    const faults = faultsOf(file, names, run)
    for (const text of faults.texts) console.error(text)
    counts.passed += run.results.filter(({ passed, ran }) => passed && ran).length
    counts.failed += run.results.filter(({ passed }) => !passed).length + faults.failures
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
if (counts.passed + counts.failed === 0) {
  console.error('conformance.txt names no test')
  counts.failed++
}
writeFileSync(countsFile, JSON.stringify(counts))
process.exitCode = counts.failed > 0 ? 1 : 0
