import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder } from '../test-support/output.ts'
import { loadEnvFiles } from './load-env.ts'

test('a .env that can not be read is told by its name, as a slip and not as a stack', () => {
  const folder = emptyFolder()
  mkdirSync(join(folder, '.env'))
  expect(() => loadEnvFiles(folder)).toThrow(
    expect.objectContaining({ name: 'UsageError', message: `".env" in "${folder}" can't be read: it is a folder` }),
  )
  writeFileSync(join(folder, 'file'), '')
  expect(() => loadEnvFiles(join(folder, 'file'))).toThrow("can't be read: the system says ENOTDIR")
})
