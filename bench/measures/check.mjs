import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../processes.mjs'
import { CLI, makeProject } from './agents-project.mjs'

/**
 * Wall seconds of `retinue check`, or of another command that ends with a check's summary, over a project of `agents` agents: from the
 * start of the process to its end; `{ ours }`.
 */
export function measureCheck({ rounds, agents, command = 'check' }) {
  const folder = mkdtempSync(join(tmpdir(), 'retinue-bench-'))
  try {
    makeProject(folder, agents)
    const times = Array.from({ length: rounds }, () => secondsOf(folder, agents, command))
    return { ours: { wall: median(times) } }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function secondsOf(folder, agents, command) {
  const start = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, command], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
  })
  const seconds = (performance.now() - start) / 1000
  if (status !== 0 || !`${stdout}${stderr}`.includes(`in ${agents} agents`)) throw new Error(stdout + stderr)
  return seconds
}
