import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder } from '../../test-support/output.ts'
import { buildsServed, markServing } from './serving-mark.ts'

test('B11.13 which builds are run is known as long as their processes live', () => {
  const root = emptyFolder()
  expect(buildsServed(root)).toEqual(new Set())
  const unmark = markServing(root, '/output/build-1')
  const marks = join(root, '.retinue/data/serving')
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  writeFileSync(join(marks, String(dead)), '/output/build-0')
  writeFileSync(join(marks, 'notes.txt'), 'mine')
  expect(buildsServed(root)).toEqual(new Set(['/output/build-1']))
  expect(readdirSync(marks).sort()).toEqual([String(process.pid), 'notes.txt'])
  unmark()
  expect(buildsServed(root)).toEqual(new Set())
  unmark()
})

test('B11.13 where no mark can be written, that is no error', () => {
  const root = emptyFolder()
  mkdirSync(join(root, '.retinue'))
  writeFileSync(join(root, '.retinue/data'), 'a file')
  markServing(root, '/output/build-1')()
  expect(buildsServed(root)).toEqual(new Set())
})
