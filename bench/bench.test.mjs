import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { linesOf, toReasons } from './report.mjs'

const bench = (...args) => {
  const file = fileURLToPath(new URL('./run.mjs', import.meta.url))
  return spawnSync(process.execPath, [file, ...args], { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } })
}

test('the bench runs, with every kind of measurement', { timeout: 60_000 }, () => {
  const { status, stdout, stderr } = bench('--quick', '--only=stream,fan-memory,waiting,import,storage,check,build-10')
  expect(status, stderr).toBe(0)
  expect(stdout).toMatch(/\| one delegation, stream \| CPU ms \| [\d.]+ \| [\d.]+ \| [\d.]+ \| ratio ≤ 3.33 \|/)
  expect(stdout).toMatch(/\| 256 subagents in one step, peak \| MB \| [\d.-]+ \| [\d.-]+ \| [\d.-]+ \| ≤ 30 \|/)
  expect(stdout).toMatch(/\| a run that waits for its model \| KB heap \| [\d.]+ \| [\d.]+ \| [\d.]+ \| ≤ 8 \|/)
  expect(stdout).toMatch(/\| import, above bare Node \| CPU ms \| [\d.-]+ \| – \| – \| ≤ 20 \|/)
  expect(stdout).toMatch(/\| `build` of 10 agents \| wall s \| [\d.]+ \| – \| – \| ≤ 1 \|/)
  expect(stdout).toMatch(/\| `check` of 500 agents \| wall s \| [\d.]+ \| – \| – \| ≤ 1.5 \|/)
  expect(stdout).toMatch(/\| recall of 2,000 \| CPU ms \| [\d.]+ \| [\d.]+ \| [\d.]+ \| ≤ 40 \|/)
})

test('an aim of its own is judged without the other side, and a line that misses its aim says why, each reason once', () => {
  const value = ({ size }) => size
  const row = (what, atMost) => ({ what, unit: 'MB', value, aim: { atMost }, why: 'it is big' })
  const lines = linesOf(
    { name: 'row', lines: [row('a', 30), row('b', 9), row('c', 8)] },
    { ours: { size: 10 }, floor: { size: 1 } },
  )
  expect(lines.map(({ reached, why }) => [reached, why])).toEqual([
    [true, undefined],
    [false, 'it is big'],
    [false, 'it is big'],
  ])
  expect(toReasons(lines)).toBe('Why, where an aim is not reached:\n\n- b; c: it is big.')
  expect(toReasons(lines.slice(0, 1))).toBe('')
})

test('a row that there is not is refused with the names of those that there are', () => {
  const { status, stderr } = bench('--only=speed')
  expect(status).toBe(1)
  expect(stderr).toMatch(/No row is called speed\. There are generate, stream/)
})
