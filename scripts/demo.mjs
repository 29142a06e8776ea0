// Runs the example on a request: `npm run demo`, or `npm run demo -- "another request"`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const REQUEST = 'Compare how Rwanda and Burundi earn their export income and what holds them back; a one-page brief.'

const given = process.argv.slice(2)
const args = given.some((arg) => !arg.startsWith('-')) ? given : [REQUEST, ...given]
const example = fileURLToPath(new URL('../examples/research-supervisor/', import.meta.url))
const cli = fileURLToPath(new URL('../packages/cli/bin/retinue.js', import.meta.url))
const { status } = spawnSync(process.execPath, [cli, 'run', 'research-supervisor', ...args], {
  cwd: example,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
