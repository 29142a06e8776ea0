import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The flags that counts/allocated.mjs needs; the reasons are there. */
export const ALLOCATION_FLAGS = [
  '--expose-gc',
  '--no-opt',
  '--no-maglev',
  '--min-semi-space-size=128',
  '--max-semi-space-size=128',
]

/** What a script of this folder prints, run on the built packages in a process that has nothing of the caller's. */
export function runCount(script, flags = []) {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, file], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  if (status !== 0) throw new Error(`${script} failed. Are the packages built (npm run build)?\n${stderr}`)
  return JSON.parse(stdout)
}
