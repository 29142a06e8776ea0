// Builds all packages: `npm run build`, and before whatever runs them. `tsc -b` checks types and writes them, with a module for each
// source; few modules then take the place of those.
import { spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { bundlePackages } from './bundle.mjs'

const ROOT = join(import.meta.dirname, '..')

const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '-b'], { cwd: ROOT, stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
const bundled = await bundlePackages(ROOT)
if (bundled.length > 0) console.error(`Bundled ${bundled.map((dir) => basename(dir)).join(', ')}.`)
