import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFiles } from '../test-support/cli-project.ts'
import { emptyFolder } from '../test-support/output.ts'
import { writeAll } from './write-all.ts'

test('B11.13 of files that can’t all be written none is, and what was there stays', () => {
  const root = emptyFolder()
  writeFiles(root, { 'kept/old.txt': 'old', 'z/taken': 'a file' })
  mkdirSync(join(root, 'empty'))
  const bad = {
    'z/taken': 'is in its place',
    'z/taken/c.txt': '"z/taken" is no folder',
    [`${'n'.repeat(300)}.txt`]: 'too long',
  }
  for (const [last, reason] of Object.entries(bad)) {
    const files = new Map(
      [...['new/deep/a.txt', 'kept/b.txt', 'empty/c.txt', last].entries()].map(([, path]) => [path, 'x']),
    )
    expect(() => writeAll(join(root), files)).toThrow(reason)
    expect(readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()).toEqual([
      'empty',
      'kept',
      'kept/old.txt',
      'z',
      'z/taken',
    ])
  }
  expect(readFileSync(join(root, 'kept/old.txt'), 'utf8')).toBe('old')
  writeAll(join(root, 'a/b'), new Map([['c/d.txt', 'text']]))
  expect(readFileSync(join(root, 'a/b/c/d.txt'), 'utf8')).toBe('text')
})
