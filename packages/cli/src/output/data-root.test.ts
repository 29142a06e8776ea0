import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder } from '../../test-support/output.ts'
import { dataRoot } from './data-root.ts'
import { defaultStorage } from './default-storage.ts'

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
  writeFileSync(join(project, 'file'), '')
  expect(() => dataRoot(moved, project, { RETINUE_ROOT: 'file/data' })).toThrow(
    expect.objectContaining({
      name: 'UsageError',
      message: expect.stringContaining('no such folder can be made: ENOTDIR'),
    }),
  )
})

test('B11.9 where no database can be made, it is said how to name another place', async () => {
  const root = join(emptyFolder(), 'file')
  writeFileSync(root, '')
  await expect(defaultStorage(root)).rejects.toMatchObject({
    code: 'storage-cannot-open',
    message: expect.stringContaining(join(root, '.retinue/data/retinue.db')),
    hint: expect.stringContaining('RETINUE_ROOT'),
  })
})
