import { expect, test } from 'vitest'
import { deepLine } from './deep-reporter.mjs'

const checked = (result, kinds = {}) => ({
  meta: () => ({ deep: { name: 'R08', count: 10, unit: 'streams', seed: 123, kinds } }),
  diagnostic: () => ({ duration: 12_345 }),
  result: () => result,
})

test('a line says what was checked, with which seed, how long it took, and which kinds of cases there were', () => {
  const line = deepLine(checked({ state: 'passed' }, { stop: 9, error: 1 }))
  expect(line).toBe('R08 10 streams seed 123 in 12.3 s: passed (1 error, 9 stop)')
})

test('one that failed says at which case', () => {
  const line = deepLine(checked({ state: 'failed', errors: [{ message: 'R08 does not hold for case 4\nReplay it' }] }))
  expect(line).toBe('R08 10 streams seed 123 in 12.3 s: failed (R08 does not hold for case 4)')
})

test('tests that are of no property have no line', () => {
  expect(deepLine({ meta: () => ({}) })).toBeUndefined()
})
