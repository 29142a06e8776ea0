import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { isRetinueError } from '@retinue/core/errors'
import { expect, test } from 'vitest'
import { tempProject } from '../../test-support/temp-project.ts'
import { RootedFiles } from './rooted-files.ts'

const LIMIT = 1000

/** A workspace with a secret beside it. */
function workspace(): { root: string; outside: string } {
  const top = tempProject({ 'outside/secret.txt': 'SECRET', 'root/a.txt': 'inside', 'root/deep/b.txt': 'deeper' })
  return { root: join(top, 'root'), outside: join(top, 'outside') }
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

const ways = [
  ['through /proc', false],
  ['the portable way', true],
] as const

test.each(ways)('B11.9 %s: reads and lists what is inside', (_, portable) => {
  const files = new RootedFiles(workspace().root, portable)
  expect(text(files.read('a.txt', LIMIT))).toBe('inside')
  expect(text(files.read('./deep//b.txt', LIMIT))).toBe('deeper')
  const all = [
    { path: 'a.txt', size: 6 },
    { path: 'deep/b.txt', size: 6 },
  ]
  expect(files.list('', 10)).toEqual({ files: all, complete: true })
  expect(files.list('deep/', 10)).toEqual({ files: all.slice(1), complete: true })
  expect(files.list('.', 1)).toEqual({ files: all.slice(0, 1), complete: false })
})

test.each(ways)('B11.9 %s: no path leads out', (_, portable) => {
  const { root, outside } = workspace()
  const files = new RootedFiles(root, portable)
  const hostile = [
    '../outside/secret.txt',
    'deep/../../outside/secret.txt',
    'deep/..',
    '..',
    '/etc/passwd',
    join(outside, 'secret.txt'),
    '//etc/passwd',
    'C:\\Windows\\win.ini',
    'c:a.txt',
    '..\\outside\\secret.txt',
    'deep\\..\\..\\outside\\secret.txt',
    'a.txt\0.md',
    '\\\\server\\share\\a.txt',
  ]
  for (const path of hostile) {
    expect([path, codeOf(() => files.read(path, LIMIT))]).toEqual([path, 'workspace-path-refused'])
    expect([path, codeOf(() => files.list(path, 10))]).toEqual([path, 'workspace-path-refused'])
  }
  // Nothing is decoded: these are names like others, of files that are not there.
  for (const path of ['%2e%2e/outside/secret.txt', '..%2foutside', '…/a', '~/.ssh/id_rsa', 'A.TXT', ' ../x']) {
    expect([path, codeOf(() => files.read(path, LIMIT))]).toEqual([path, 'workspace-file-refused'])
  }
})

test.each(ways)('B11.9 %s: no link leads out, and none is listed', (_, portable) => {
  const { root, outside } = workspace()
  symlinkSync(join(outside, 'secret.txt'), join(root, 'file-link'))
  symlinkSync(outside, join(root, 'folder-link'))
  symlinkSync(join(outside, 'not-there'), join(root, 'dangling'))
  symlinkSync('a.txt', join(root, 'inner-link'))
  symlinkSync('..', join(root, 'deep/up'))
  symlinkSync('/proc/self/root', join(root, 'proc'))
  const files = new RootedFiles(root, portable)
  const paths = [
    'file-link',
    'folder-link',
    'folder-link/secret.txt',
    'dangling',
    'inner-link',
    'deep/up/a.txt',
    'proc/etc/passwd',
  ]
  for (const path of paths) {
    expect([path, codeOf(() => files.read(path, LIMIT))]).toEqual([path, 'workspace-path-refused'])
    expect([path, codeOf(() => files.list(path, 10))]).toEqual([path, 'workspace-path-refused'])
  }
  expect(files.list('', 10).files.map(({ path }) => path)).toEqual(['a.txt', 'deep/b.txt'])
})

test('B11.9 the workspace itself may be reached through a link: its place is the owner’s', () => {
  const { root, outside } = workspace()
  symlinkSync(root, join(outside, 'way-in'))
  for (const [, portable] of ways) {
    expect(text(new RootedFiles(join(outside, 'way-in'), portable).read('a.txt', LIMIT))).toBe('inside')
  }
})

test.skipIf(process.platform !== 'linux')(
  'B11.9 a folder that is swapped for a link while it is read leads nowhere',
  async () => {
    const { root, outside } = workspace()
    mkdirSync(join(root, 'swapped'))
    writeFileSync(join(root, 'swapped/secret.txt'), 'inside')
    symlinkSync(outside, join(root, 'link'))
    const swap = `
    const { renameSync } = require('node:fs')
    const { workerData: { root, stop } } = require('node:worker_threads')
    const move = (from, to) => renameSync(root + '/' + from, root + '/' + to)
    while (Atomics.load(stop, 0) === 0) {
      move('swapped', 'parked'); move('link', 'swapped'); move('swapped', 'link'); move('parked', 'swapped')
    }`
    const stop = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(swap, { eval: true, workerData: { root, stop } })
    await new Promise((resolve) => worker.once('online', resolve))
    const files = new RootedFiles(root)
    const seen = new Map<string, number>()
    const until = performance.now() + 1500
    while (performance.now() < until) {
      let outcome: string
      try {
        outcome = text(files.read('swapped/secret.txt', LIMIT))
      } catch (error) {
        outcome = isRetinueError(error) ? error.code : String(error)
      }
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
    }
    Atomics.store(stop, 0, 1)
    await new Promise((resolve) => worker.once('exit', resolve))
    // The link was met, the folder was met, and the file behind the link was never read.
    expect([...seen.keys()].sort()).toEqual(['inside', 'workspace-file-refused', 'workspace-path-refused'])
  },
)

test.each(ways)('B11.9 %s: folders, pipes and files that are too large are refused', (_, portable) => {
  const { root } = workspace()
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'pipe')])
  writeFileSync(join(root, 'large'), 'x'.repeat(LIMIT + 1))
  writeFileSync(join(root, 'exact'), 'x'.repeat(LIMIT))
  const files = new RootedFiles(root, portable)
  for (const path of ['', '.', 'deep', 'pipe', 'large', 'a.txt/b', 'nothing', 'nothing/b']) {
    expect([path, codeOf(() => files.read(path, LIMIT))]).toEqual([path, 'workspace-file-refused'])
  }
  for (const path of ['a.txt', 'nothing']) expect(codeOf(() => files.list(path, 10))).toBe('workspace-file-refused')
  expect(files.read('exact', LIMIT).length).toBe(LIMIT)
  expect(files.list('', 10).files.map(({ path }) => path)).toEqual(['a.txt', 'deep/b.txt', 'exact', 'large'])
})
