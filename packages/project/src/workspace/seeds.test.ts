import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Files, tempProject } from '../../test-support/temp-project.ts'
import { RootedFiles } from './rooted-files.ts'
import { copySeeds } from './seeds.ts'

interface Planted {
  readonly from: string
  readonly to: string
  readonly copy: () => void
  /** What the workspace holds, by path. */
  readonly held: () => Record<string, string>
  readonly seed: (path: string, text: string) => void
  readonly write: (path: string, text: string) => void
}

function planted(seeds: Files): Planted {
  const top = tempProject({
    ...Object.fromEntries(Object.entries(seeds).map(([path, content]) => [`from/${path}`, content])),
    'data/files': null,
  })
  const [from, to] = [join(top, 'from'), join(top, 'data/files')]
  const files = new RootedFiles(to)
  return {
    from,
    to,
    copy: () => copySeeds(files, { from, record: join(top, 'data/seeds.json') }),
    held: () =>
      Object.fromEntries(files.list('', 99).files.map(({ path }) => [path, readFileSync(join(to, path), 'utf8')])),
    seed: (path, text) => writeFileSync(join(from, path), text),
    write: (path, text) => writeFileSync(join(to, path), text),
  }
}

/** The address of a module, as source text. */
function moduleUrl(name: string): string {
  return JSON.stringify(new URL(name, import.meta.url).href)
}

function runProgram(program: string, ...args: string[]): Promise<{ stdout: string }> {
  const options = ['--conditions=@retinue/source', '--input-type=module', '-e', program, ...args]
  return promisify(execFile)(process.execPath, options)
}

test('B11.9 seeds are copied as they are, with their folders; the sources stay as they were', () => {
  const { from, to, copy, held } = planted({
    'a.md': 'A',
    'x/y.md': 'Y',
    bin: new Uint8Array([0, 255]),
    'run.sh': 'ls',
  })
  chmodSync(join(from, 'run.sh'), 0o755)
  copy()
  expect(held()).toEqual({ 'a.md': 'A', 'x/y.md': 'Y', bin: '\0\ufffd', 'run.sh': 'ls' })
  expect(readFileSync(join(to, 'bin'))).toEqual(Buffer.from([0, 255]))
  expect([lstatSync(join(to, 'run.sh')).mode & 0o100, lstatSync(join(to, 'a.md')).mode & 0o100]).toEqual([0o100, 0])
  expect(readdirSync(from).sort()).toEqual(['a.md', 'bin', 'run.sh', 'x'])
})

test('B11.9 what may hold secrets or was installed is no seed, and no link is; a sample of .env is one', () => {
  const { from, copy, held } = planted({
    'a.md': 'A',
    '.env.example': 'E',
    '.env': 'secret',
    'deep/tls.key': 'secret',
    'deep/node_modules/n.js': 'n',
    '.git/HEAD': 'h',
  })
  symlinkSync('a.md', join(from, 'inner.md'))
  symlinkSync('nowhere', join(from, 'dead.md'))
  copy()
  expect(held()).toEqual({ 'a.md': 'A', '.env.example': 'E' })
})

test('B11.9 a seed that changed is copied again where the copy is untouched, and never over what the agent wrote', () => {
  const { copy, held, seed, write, to } = planted({ 'same.md': '1', 'edited.md': '1', 'gone.md': '1', 'mine.md': '1' })
  rmSync(join(to, '../seeds.json'), { force: true })
  write('mine.md', 'mine from before')
  copy()
  write('edited.md', 'by the agent')
  rmSync(join(to, 'gone.md'))
  for (const name of ['same.md', 'edited.md', 'gone.md', 'mine.md', 'new.md']) seed(name, '2')
  copy()
  const after = { 'same.md': '2', 'edited.md': 'by the agent', 'mine.md': 'mine from before', 'new.md': '2' }
  expect(held()).toEqual(after)
  // Nothing changed: nothing is done, also by a process that starts anew.
  copy()
  expect(held()).toEqual(after)
})

test('B11.9 a seed that is gone leaves its copy; an unreadable record overwrites nothing', () => {
  const { copy, held, seed, write, from, to } = planted({ 'a.md': '1', 'b.md': '1' })
  copy()
  rmSync(join(from, 'a.md'))
  write('b.md', 'by the agent')
  seed('b.md', '2')
  for (const record of ['', '{"copied":3}', '{"copied":{"b.md":7}}', 'not json']) {
    writeFileSync(join(to, '../seeds.json'), record)
    copy()
    expect(held()).toEqual({ 'a.md': '1', 'b.md': 'by the agent' })
  }
})

test('B11.9 a copy that nobody remembers, since the process was ended or another made it, counts as one', () => {
  const { copy, held, seed, to } = planted({ 'a.md': '1' })
  copy()
  rmSync(join(to, '../seeds.json'))
  copy()
  seed('a.md', '2')
  copy()
  expect(held()).toEqual({ 'a.md': '2' })
})

test('B11.9 what the agent put in the way of a seed stays, and the other seeds are copied', () => {
  const { copy, held, to } = planted({ 'a/b.md': '1', 'c.md': '1', 'd.md': '1' })
  writeFileSync(join(to, 'a'), 'a file')
  mkdirSync(join(to, 'c.md'))
  writeFileSync(join(to, 'c.md/x'), 'x')
  copy()
  expect(held()).toEqual({ a: 'a file', 'c.md/x': 'x', 'd.md': '1' })
})

test('B11.9 S27 links among the seeds, and links in their way, lead nowhere', () => {
  const { from, to, copy, held } = planted({ 'a.md': 'A', 'deep/b.md': 'B', 'c.md': 'C', '../secret/s.md': 'SECRET' })
  const secret = join(from, '../secret')
  symlinkSync(join(secret, 's.md'), join(from, 'link.md'))
  symlinkSync(secret, join(from, 'folder'))
  symlinkSync(secret, join(to, 'deep'))
  symlinkSync(join(secret, 'new.md'), join(to, 'c.md'))
  copy()
  expect(held()).toEqual({ 'a.md': 'A' })
  expect(readdirSync(secret)).toEqual(['s.md'])
})

test('B11.9 of two processes that make the same file, one makes it: what is there is never replaced', async () => {
  const { to } = planted({})
  const program = `
    const { RootedFiles } = await import(${moduleUrl('./rooted-files.ts')})
    const files = new RootedFiles(${JSON.stringify(to)})
    const { timeOrigin } = performance
    let made = 0
    for (let n = 0; n < 300; n++) {
      // Both at the same moment, each time.
      while (timeOrigin + performance.now() < Number(process.argv[1]) + n * 4) {}
      if (files.create('f' + n, Buffer.from('x'))) made++
    }
    console.log(made)`
  const at = String(Date.now() + 1500)
  const runs = await Promise.all([runProgram(program, at), runProgram(program, at)])
  expect(runs.reduce((sum, { stdout }) => sum + Number(stdout), 0)).toBe(300)
})

test('B11.9 two processes that start at once copy everything, whole, and leave nothing half', async () => {
  const text = 'x'.repeat(200_000)
  const seeds = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}.md`, `${n} ${text}`]))
  const { from, to, held, copy } = planted(seeds)
  const program = `
    const { RootedFiles } = await import(${moduleUrl('./rooted-files.ts')})
    const { copySeeds } = await import(${moduleUrl('./seeds.ts')})
    copySeeds(new RootedFiles(${JSON.stringify(to)}), { from: ${JSON.stringify(from)}, record: ${JSON.stringify(join(to, '../seeds.json'))} })`
  await Promise.all([runProgram(program), runProgram(program), runProgram(program)])
  expect(held()).toEqual(seeds)
  expect(readdirSync(to).length).toBe(20)
  expect(readdirSync(join(to, '..')).sort()).toEqual(['files', 'seeds.json'])
  copy()
  expect(existsSync(join(to, '../seeds.json'))).toBe(true)
  expect(held()).toEqual(seeds)
})
