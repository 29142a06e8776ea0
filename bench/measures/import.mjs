import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median } from '../processes.mjs'

const HERE = fileURLToPath(new URL('..', import.meta.url))

/** CPU milliseconds that importing a module adds to a process that does nothing: `{ ours: { cpu } }`. Nothing is there by hand. */
export async function measureImport({ module, rounds }) {
  const added = []
  for (let round = 0; round < rounds; round++) {
    const alone = cpuOf('')
    added.push(cpuOf(`await import('${module}')`) - alone)
  }
  return { ours: { cpu: median(added) } }
}

/** The CPU milliseconds of a fresh process that runs `code`. */
function cpuOf(code) {
  const tell = 'const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000))'
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `${code}; ${tell}`], {
    cwd: HERE,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  if (status !== 0) throw new Error(stderr)
  return Number(stdout)
}
