import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFiles } from '../../test-support/cli-project.ts'
import { emptyFolder } from '../../test-support/output.ts'
import { filesToCopy } from './copied-files.ts'

test('B11.13 samples of .env are taken along; what may hold secrets or was installed is left out, and told', () => {
  const root = emptyFolder()
  const names = ['.env', '.env.local', '.env.example.local', '.env.example', '.env.sample', '.env.template', '.envrc']
  writeFiles(root, Object.fromEntries([...names, 'a/.git/HEAD', 'a/node_modules/x.js', 'b.md'].map((n) => [n, 'x'])))
  const { files, left } = filesToCopy(root, 'files/seeds')
  expect(files.map(({ to }) => to.slice('files/seeds/'.length))).toEqual([
    '.env.example',
    '.env.sample',
    '.env.template',
    '.envrc',
    'b.md',
  ])
  expect(left.map((path) => path.slice(root.length + 1))).toEqual([
    '.env',
    '.env.example.local',
    '.env.local',
    'a/.git',
    'a/node_modules',
  ])
  expect(() => filesToCopy(join(root, '.env'), 'x')).toThrow('it holds secrets')
  expect(filesToCopy(join(root, '.env.example'), 'x').files).toHaveLength(1)
  symlinkSync('/etc/hostname', join(root, 'link'))
  expect(() => filesToCopy(root, 'x')).toThrow('it is a link that leads elsewhere')
})
