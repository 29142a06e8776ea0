import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../storage.mjs', import.meta.url))

/** CPU milliseconds of storage in a file; `{ ours, floor }`, each `{ turn, recall20, recall200, recall2000 }`. */
export async function measureStorage({ rounds, turns, recalls }) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, JSON.stringify({ rounds, turns, recalls })], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
