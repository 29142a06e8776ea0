import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isRetinueError } from '@retinue/core/errors'
import { expect, test } from 'vitest'
import { fileOperations, guardedWorkspace, LINK_PATHS, outcomeOf } from '../../test-support/guarded-workspace.ts'
import { tempProject } from '../../test-support/temp-project.ts'
import { UNFINISHED } from './path-steps.ts'
import { RootedFiles } from './rooted-files.ts'

const LIMIT = 1000

function workspace(): string {
  return join(tempProject({ 'root/a.txt': 'inside', 'root/deep/b.txt': 'deeper' }), 'root')
}

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return isRetinueError(error) ? error.code : String(error)
  }
  return 'nothing thrown'
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const bytes = (written: string): Uint8Array => new TextEncoder().encode(written)

const ways = [
  ['through /proc', false],
  ['the portable way', true],
] as const

test.each(ways)('B11.9 %s: reads, lists and looks at what is inside', (_, portable) => {
  const files = new RootedFiles(workspace(), portable)
  expect(text(files.read('a.txt', LIMIT))).toBe('inside')
  expect(text(files.read('./deep//b.txt', LIMIT))).toBe('deeper')
  const all = [
    { path: 'a.txt', size: 6 },
    { path: 'deep/b.txt', size: 6 },
  ]
  expect(files.list('', 10)).toEqual({ files: all, complete: true })
  expect(files.list('deep/', 10)).toEqual({ files: all.slice(1), complete: true })
  expect(files.list('.', 1)).toEqual({ files: all.slice(0, 1), complete: false })
  expect(files.stat('deep/b.txt')).toMatchObject({ kind: 'file', size: 6 })
  for (const folder of ['', 'deep']) expect(files.stat(folder)).toMatchObject({ kind: 'folder', size: 0 })
})

test.each(ways)('B11.9 %s: writes, makes folders, and keeps who may run a file', (_, portable) => {
  const root = workspace()
  const files = new RootedFiles(root, portable)
  chmodSync(join(root, 'a.txt'), 0o750)
  expect(files.write('a.txt', bytes('new'))).toEqual({ created: false })
  expect(files.write('x/y/z.txt', bytes(''))).toEqual({ created: true })
  expect([readFileSync(join(root, 'a.txt'), 'utf8'), lstatSync(join(root, 'a.txt')).mode & 0o777]).toEqual([
    'new',
    0o750,
  ])
  expect([files.create('x/y/z.txt', bytes('no')), files.create('x/c.sh', bytes('yes'), 0o755)]).toEqual([false, true])
  expect(files.list('x', 9).files).toEqual([
    { path: 'x/c.sh', size: 3 },
    { path: 'x/y/z.txt', size: 0 },
  ])
  expect(files.stat('x/c.sh').isExecutable).toBe(true)
})

test.each(ways)(
  'B11.9 %s: a file is replaced as a whole, and nothing half is left where writing fails',
  (_, portable) => {
    const root = workspace()
    const files = new RootedFiles(root, portable)
    const { ino } = lstatSync(join(root, 'a.txt'))
    // Another name of the file, outside: it keeps what it had.
    linkSync(join(root, 'a.txt'), join(root, '../other-name'))
    files.write('a.txt', bytes('new'))
    expect(lstatSync(join(root, 'a.txt')).ino).not.toBe(ino)
    expect(readFileSync(join(root, '../other-name'), 'utf8')).toBe('inside')
    const broken = {
      get length(): number {
        throw new Error('fails while it is written')
      },
    } as unknown as Uint8Array
    expect(codeOf(() => files.write('a.txt', broken))).not.toBe('nothing thrown')
    expect(codeOf(() => files.write('deep', bytes('x')))).toBe('workspace-file-refused')
    expect(codeOf(() => files.write('a.txt/b', bytes('x')))).toBe('workspace-file-refused')
    expect([readdirSync(root).sort(), readFileSync(join(root, 'a.txt'), 'utf8')]).toEqual([['a.txt', 'deep'], 'new'])
  },
)

test.each(ways)('B11.9 %s: deletes files, empty folders, and all of a folder only if it is told to', (_, portable) => {
  const { root, breach, [Symbol.dispose]: end } = guardedWorkspace()
  const files = new RootedFiles(root, portable)
  expect(files.remove('a.txt', false)).toBe(1)
  expect(codeOf(() => files.remove('deep', false))).toBe('workspace-file-refused')
  expect(files.remove('deep/er', false)).toBe(0)
  for (const path of ['', '.', './']) expect(codeOf(() => files.remove(path, true))).toBe('workspace-file-refused')
  // Two of its three are links out, which go and are not followed.
  expect(files.remove('deep', true)).toBe(3)
  expect([readdirSync(root).includes('deep'), breach()]).toEqual([false, undefined])
  end()
})

test.each(ways)('B11.9 S27 %s: no link leads out, whatever is done, and none is listed', async (_, portable) => {
  using guarded = guardedWorkspace()
  for (const [name, operation] of Object.entries(fileOperations(guarded.root, portable))) {
    for (const path of LINK_PATHS) {
      const { code, told } = await outcomeOf(() => operation(path))
      // Something is in the place where a seed would go: it is left as it is.
      const isLeft = name === 'create' && told === false
      expect([name, path, isLeft ? 'workspace-path-refused' : code]).toEqual([name, path, 'workspace-path-refused'])
      expect([name, path, guarded.breach(told)]).toEqual([name, path, undefined])
    }
  }
  const files = new RootedFiles(guarded.root, portable)
  expect(files.list('', 10).files.map(({ path }) => path)).toEqual(['a.txt', 'deep/b.txt'])
})

test('B11.9 the workspace itself may be reached through a link: its place is the owner’s', () => {
  const root = workspace()
  symlinkSync(root, join(root, '../way-in'))
  for (const [, portable] of ways) {
    const files = new RootedFiles(join(root, '../way-in'), portable)
    expect(text(files.read('a.txt', LIMIT))).toBe('inside')
    expect(files.write('a.txt', bytes('inside'))).toEqual({ created: false })
  }
})

test.each(ways)('B11.9 %s: folders, pipes and files that are too large are refused', (_, portable) => {
  const root = workspace()
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'pipe')])
  writeFileSync(join(root, 'large'), 'x'.repeat(LIMIT + 1))
  writeFileSync(join(root, 'exact'), 'x'.repeat(LIMIT))
  const files = new RootedFiles(root, portable)
  for (const path of ['', '.', 'deep', 'pipe', 'large', 'a.txt/b', 'nothing', 'nothing/b']) {
    expect([path, codeOf(() => files.read(path, LIMIT))]).toEqual([path, 'workspace-file-refused'])
  }
  for (const path of ['a.txt', 'nothing']) expect(codeOf(() => files.list(path, 10))).toBe('workspace-file-refused')
  for (const act of [
    () => files.stat('pipe'),
    () => files.write('pipe', bytes('x')),
    () => files.remove('pipe', true),
  ]) {
    expect(codeOf(act)).toBe('workspace-file-refused')
  }
  expect(files.read('exact', LIMIT).length).toBe(LIMIT)
  expect(files.list('', 10).files.map(({ path }) => path)).toEqual(['a.txt', 'deep/b.txt', 'exact', 'large'])
})

test('B11.9 what is still being written is no part of the workspace', () => {
  const root = workspace()
  mkdirSync(join(root, 'left'))
  writeFileSync(join(root, `left/${UNFINISHED}1`), 'half')
  const files = new RootedFiles(root)
  expect(files.list('left', 10).files).toEqual([])
  expect(codeOf(() => files.read(`left/${UNFINISHED}1`, LIMIT))).toBe('workspace-path-refused')
  expect(files.remove('left', true)).toBe(0)
})

test('B11.9 errors tell no path of the machine', async () => {
  const root = workspace()
  for (const [, portable] of ways) {
    for (const [, operation] of Object.entries(fileOperations(root, portable))) {
      for (const path of ['a.txt/b', 'nothing/b', 'x'.repeat(300), '../x', 'deep/../../x', `${'y'.repeat(2000)}`]) {
        const { told } = await outcomeOf(() => operation(path))
        expect(JSON.stringify(told)).not.toContain(root)
        expect(JSON.stringify(told).length).toBeLessThan(1000)
      }
    }
  }
})
