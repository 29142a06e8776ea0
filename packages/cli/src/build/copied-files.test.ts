import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFiles } from '../../test-support/cli-project.ts'
import { emptyFolder } from '../../test-support/output.ts'
import { type CopyRequest, filesToCopy } from './copied-files.ts'

test('B11.13 samples of .env are taken along; what may hold secrets or was installed is left out, and told', () => {
  const root = emptyFolder()
  const names = ['.env', '.env.local', '.env.example.local', '.env.example', '.env.sample', '.env.template', '.envrc']
  names.push('.npmrc', '.ssh/config', 'a/id_rsa', 'a/tls.PEM', 'a/tls.key', 'a/keys.md', 'a/id_rsa.pub')
  writeFiles(root, Object.fromEntries([...names, 'a/.git/HEAD', 'a/node_modules/x.js', 'b.md'].map((n) => [n, 'x'])))
  const { files, left } = filesToCopy({ from: root, to: 'files/seeds', by: 'a workspace' })
  expect(files.map(({ to }) => to.slice('files/seeds/'.length))).toEqual([
    '.env.example',
    '.env.sample',
    '.env.template',
    'a/id_rsa.pub',
    'a/keys.md',
    'b.md',
  ])
  expect(left.map((path) => path.slice(root.length + 1))).toEqual([
    '.env',
    '.env.example.local',
    '.env.local',
    '.envrc',
    '.npmrc',
    '.ssh',
    'a/.git',
    'a/id_rsa',
    'a/node_modules',
    'a/tls.PEM',
    'a/tls.key',
  ])
  const asked = (name: string, isMeant = false): CopyRequest => {
    return { from: join(root, name), to: 'x', by: 'src/a.ts:3', isMeant }
  }
  expect(() => filesToCopy(asked('.env', true))).toThrow(/asked for by src\/a\.ts:3, .*: it holds secrets/)
  expect(() => filesToCopy(asked('a/tls.key'))).toThrow('it may be a key')
  expect(filesToCopy(asked('a/tls.key', true)).files).toHaveLength(1)
  expect(filesToCopy(asked('.env.example')).files).toHaveLength(1)
  symlinkSync('/etc/hostname', join(root, 'link'))
  expect(() => filesToCopy({ from: root, to: 'x', by: 'a workspace' })).toThrow('it is a link that leads elsewhere')
  symlinkSync('nowhere', join(root, 'dead'))
  symlinkSync('b.md', join(root, 'inner.md'))
  const seeds = filesToCopy({ from: root, to: 'x', by: 'a workspace', withoutLinks: true })
  expect(seeds.files.map(({ to }) => to.slice(2))).toEqual(files.map(({ to }) => to.slice('files/seeds/'.length)))
})
