import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder } from '../../test-support/output.ts'
import { dataRoot } from './data-root.ts'

test('B11.9 what agents write is in the project, where it was started, or where RETINUE_ROOT says; never in the output', () => {
  const project = emptyFolder()
  const output = join(project, '.retinue/output')
  const elsewhere = emptyFolder()
  mkdirSync(output, { recursive: true })
  expect(dataRoot(output, elsewhere, {})).toBe(project)
  expect(dataRoot(output, output, {})).toBe(project)
  const moved = join(elsewhere, 'served')
  mkdirSync(join(moved, 'app'), { recursive: true })
  expect(dataRoot(moved, project, {})).toBe(project)
  expect(dataRoot(moved, moved, {})).toBe(elsewhere)
  expect(dataRoot(moved, join(moved, 'app'), {})).toBe(elsewhere)
  expect(dataRoot(moved, project, { RETINUE_ROOT: 'data' })).toBe(join(project, 'data'))
  expect(dataRoot(moved, project, { RETINUE_ROOT: '' })).toBe(project)
})
