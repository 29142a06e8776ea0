// Runs the example on a request: `npm run demo`, or `npm run demo -- "another request"`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const REQUEST =
  'Compare how Rwanda and Burundi earn their export income and what holds them back; a one-page brief, and publish it.'

const given = process.argv.slice(2)
const args = given.some((arg) => !arg.startsWith('-')) ? given : [REQUEST, ...given]
const example = fileURLToPath(new URL('../examples/research-supervisor/', import.meta.url))
const cli = fileURLToPath(new URL('../packages/cli/bin/retinue.js', import.meta.url))
// What it asks a person for is approved, visibly: a demo ends by itself.
const { status } = spawnSync(process.execPath, [cli, 'run', 'research-supervisor', '--yes', ...args], {
  cwd: example,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
