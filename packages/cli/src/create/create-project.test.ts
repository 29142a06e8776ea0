import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { checkProject } from '@retinue/project'
import { expect, test, vi } from 'vitest'
import { CLI, NODE_MODULES, writeFiles } from '../../test-support/cli-project.ts'
import { ask, emptyFolder, serving } from '../../test-support/output.ts'
import { buildProject } from '../build/build-project.ts'
import { main } from '../main.ts'
import { createProject } from './create-project.ts'

vi.setConfig({ testTimeout: 60_000 })

async function created(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = []
  const err: string[] = []
  vi.spyOn(console, 'log').mockImplementation((text: string) => void out.push(text))
  vi.spyOn(console, 'error').mockImplementation((text: string) => void err.push(text))
  const code = await main(['create', ...args])
  vi.restoreAllMocks()
  return { code, out: out.join('\n'), err: err.join('\n') }
}

test('create: a project that is without findings, builds, starts, and answers offline', async () => {
  const root = join(emptyFolder(), 'My Agents')
  const { code, out } = await created(root, '-y', '--model', 'offline/planner')
  expect([code, out]).toEqual([0, expect.stringContaining('npm run dev')])
  symlinkSync(NODE_MODULES, join(root, 'node_modules'))
  expect((await checkProject(root)).findings).toEqual([])
  const { output, missing } = await buildProject({ path: root })
  expect(missing).toEqual({ open: [], unfollowed: [], unordered: [], left: [] })
  // Nothing of its sources is needed any more: `start` needs the output alone.
  const served = await serving([...CLI, 'start', '--output', output?.folder ?? ''], { cwd: emptyFolder() })
  expect(await ask(served.url, 'assistant', 'What do the notes say about lighthouses?')).toContain(
    'known by its rhythm',
  )
  expect(await served.end()).toBe(0)
})

test('create: package.json has what is needed at its version, and the key is named', async () => {
  const root = join(emptyFolder(), 'agents')
  const { code, out } = await created(root, '--yes')
  expect([code, out]).toEqual([0, expect.stringContaining('Set OPENAI_API_KEY in .env for openai/gpt-5.5')])
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({
    name: 'agents',
    type: 'module',
    dependencies: { '@ai-sdk/openai': '^4.0.0', '@retinue/core': expect.any(String), zod: expect.any(String) },
    devDependencies: { retinue: manifest.dependencies['@retinue/core'] },
  })
  expect(readFileSync(join(root, '.env.example'), 'utf8')).toContain('OPENAI_API_KEY=\n')
  expect(readFileSync(join(root, '.gitignore'), 'utf8')).toContain('.env\n')
})

test('create: what is there is never touched', async () => {
  const root = emptyFolder()
  mkdirSync(join(root, '.git'))
  writeFiles(root, { 'notes.txt': 'mine' })
  const { code, err } = await created(root, '-y')
  expect([code, err]).toEqual([2, expect.stringContaining('is not empty: notes.txt is in it')])
  expect(existsSync(join(root, 'package.json'))).toBe(false)
  for (const model of ['gpt', "openai/a'b", 'openai/a"b', 'openai/a b', 'openai/'])
    expect(() => createProject({ path: join(root, 'new'), model, version: '1.0.0' })).toThrow(`"${model}" is no model`)
  expect(existsSync(join(root, 'new'))).toBe(false)
})

test('B11.13 create: where no folder can be, nothing is made, and that is a slip of the command line', async () => {
  const root = emptyFolder()
  writeFiles(root, { file: 'mine' })
  symlinkSync('nowhere', join(root, 'link'))
  for (const path of ['file', 'file/x', 'file/x/y', 'link', 'link/x', `new/${'n'.repeat(300)}`]) {
    const { code, err } = await created(join(root, path), '-y')
    expect([path, code, err]).toEqual([path, 2, expect.stringMatching(/^retinue create: [^\n]*$/)])
  }
  expect(readdirSync(root).sort()).toEqual(['file', 'link'])
})

test('B11.13 create: what npm takes for no package, or Node does not load, is not made, and what to do is said', async () => {
  const root = emptyFolder()
  const refused = {
    node_modules: /npm takes no package called "node_modules": name another folder\. See /,
    'Favicon.ico': /npm takes no package called "favicon.ico": name another folder\. See /,
    'a/_node_modules': /npm takes no package called "node_modules": name another folder\. See /,
    'node_modules/team/agents': /below node_modules, where Node loads no TypeScript: name another folder\. See /,
  }
  for (const [path, said] of Object.entries(refused)) {
    const { code, err } = await created(join(root, path), '-y')
    expect([path, code, err]).toEqual([path, 2, expect.stringMatching(said)])
  }
  expect(readdirSync(root)).toEqual([])
  for (const path of ['', ' ']) {
    const { code, err } = await created(path, '-y')
    expect([code, err]).toEqual([2, expect.stringContaining('is empty: name one, or "." for this folder')])
  }
  expect((await created(join(root, 'node_modules-x'), '-y')).code).toBe(0)
})
