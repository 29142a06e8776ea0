import { expect, test } from 'vitest'
import { tarballFaults } from './publint.mjs'

test('a tarball holds no tests, no compiler notes and no output of deleted sources', () => {
  const exists = (file) => file === 'src/loop/a.ts'
  expect(tarballFaults(['package.json', 'src/loop/a.ts', 'dist/chunks/b.js', 'dist/loop/a.d.ts.map'], exists)).toEqual(
    [],
  )
  expect(tarballFaults(['src/loop/a.test.ts'], exists)).toEqual([expect.stringContaining('tests')])
  expect(tarballFaults(['dist/.tsbuildinfo'], exists)).toEqual([expect.stringContaining('tools')])
  expect(tarballFaults(['dist/loop/b.d.ts'], exists)).toEqual([expect.stringContaining('its source is gone')])
})
