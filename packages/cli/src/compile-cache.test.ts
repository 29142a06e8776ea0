import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder } from '../test-support/output.ts'
import { letGoOfCompiled } from './compile-cache.ts'

/** A folder with so many files for each version of Node, the one that was written to longest ago first. */
function folderOf(versions: Readonly<Record<string, number>>): string {
  const folder = emptyFolder()
  for (const [at, [version, files]] of Object.entries(versions).entries()) {
    mkdirSync(join(folder, version))
    for (let i = 0; i < files; i++) writeFileSync(join(folder, version, String(i)), '')
    utimesSync(join(folder, version), 1000 + at, 1000 + at)
  }
  return folder
}

const left = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort()

test('what is compiled is kept within a bound over all versions of Node: the oldest goes first, the one in use last', () => {
  const versions = { used: 2, old: 2, new: 2 }
  expect(left(folderOf(versions))).toHaveLength(9)
  const after = (mostFiles: number): string[] => {
    const folder = folderOf(versions)
    letGoOfCompiled(folder, 'used', mostFiles)
    return left(folder)
  }
  expect(after(6)).toHaveLength(9)
  const used = ['used', 'used/0', 'used/1']
  expect(after(5)).toEqual(['new', 'new/0', 'new/1', ...used])
  expect(after(4)).toEqual(['new', 'new/0', 'new/1', ...used])
  expect(after(3)).toEqual(used)
  // Node writes to it, and does not make it again.
  expect(after(1)).toEqual(['used'])
})

test('nothing is thrown where there is nothing, and what a link leads to is not touched', () => {
  letGoOfCompiled(join(emptyFolder(), 'gone'), 'used', 0)
  const elsewhere = folderOf({ a: 1 })
  const folder = folderOf({ used: 1 })
  symlinkSync(elsewhere, join(folder, 'link'))
  writeFileSync(join(folder, 'file'), '')
  letGoOfCompiled(folder, 'used', 0)
  expect(left(elsewhere)).toEqual(['a', 'a/0'])
  expect(left(folder)).toContain('used')
})
