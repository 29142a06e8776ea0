import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const bench = (...args) => {
  const file = fileURLToPath(new URL('./run.mjs', import.meta.url))
  return spawnSync(process.execPath, [file, ...args], { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } })
}

test('the bench runs, with every kind of measurement', { timeout: 60_000 }, () => {
  const { status, stdout, stderr } = bench('--quick', '--only=stream,fan-memory,waiting,import')
  expect(status, stderr).toBe(0)
  expect(stdout).toMatch(/\| one delegation, stream \| CPU ms \| [\d.]+ \| [\d.]+ \| [\d.]+ \| ratio ≤ 3.33 \|/)
  expect(stdout).toContain('| a run that waits for its model |')
  expect(stdout).toContain('| import, above bare Node |')
})

test('a row that there is not is refused with the names of those that there are', () => {
  const { status, stderr } = bench('--only=speed')
  expect(status).toBe(1)
  expect(stderr).toMatch(/No row is called speed\. There are generate, stream/)
})
