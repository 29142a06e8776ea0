import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CLI, cliProject } from '../test-support/cli-project.ts'
import { isAlive } from '../test-support/is-alive.ts'
import { emptyFolder } from '../test-support/output.ts'

vi.setConfig({ testTimeout: 60_000 })

/** An environment in which what programs keep comes below a folder. */
function keepingIn(folder: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const places = { XDG_CACHE_HOME: folder, LOCALAPPDATA: folder, HOME: folder }
  return { ...process.env, NODE_COMPILE_CACHE: undefined, ...places, ...more }
}

/** What is kept for a user whose programs keep things below this folder. */
function ownFolder(folder: string): string {
  return join(process.platform === 'darwin' ? join(folder, 'Library/Caches') : folder, 'retinue/compiled')
}

function kept(folder: string): readonly Buffer[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
}

function retinue(args: readonly string[], env: NodeJS.ProcessEnv): string {
  return execFileSync(process.execPath, [...CLI, ...args], { env, encoding: 'utf8' })
}

test('B11.13 README: Node keeps what the command line compiled, unless it is told not to', () => {
  const keptBy = (more: NodeJS.ProcessEnv): number => {
    const folder = emptyFolder()
    retinue(['--version'], keepingIn(folder, more))
    return kept(ownFolder(folder)).length
  }
  expect(keptBy({})).toBeGreaterThan(0)
  expect(keptBy({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe(0)
  const elsewhere = emptyFolder()
  expect(keptBy({ NODE_COMPILE_CACHE: elsewhere })).toBe(0)
  expect(kept(elsewhere).length).toBeGreaterThan(0)
})

test('nothing is kept where others could write what is run, nor where nothing can be written', () => {
  const shared = emptyFolder()
  mkdirSync(ownFolder(shared), { recursive: true })
  chmodSync(ownFolder(shared), 0o777)
  retinue(['--version'], keepingIn(shared))
  expect(kept(ownFolder(shared))).toEqual([])

  const taken = emptyFolder()
  mkdirSync(dirname(dirname(ownFolder(taken))), { recursive: true })
  writeFileSync(dirname(ownFolder(taken)), 'a file')
  expect(retinue(['--version'], keepingIn(taken))).toMatch(/^\d/)
})

test('a user without a home, or with one that takes nothing, runs commands: nothing is kept', () => {
  const nowhere = { XDG_CACHE_HOME: undefined, LOCALAPPDATA: undefined }
  const file = join(emptyFolder(), 'home')
  writeFileSync(file, '')
  expect(retinue(['--version'], keepingIn(file, nowhere))).toMatch(/^\d/)
  expect(readFileSync(file, 'utf8')).toBe('')

  // As Node does for a user of whom the machine knows nothing, which only root could become here.
  const homeless = `import os from 'node:os'
import { syncBuiltinESMExports } from 'node:module'
os.homedir = () => { throw new Error('ENOENT: no such file or directory, uv_os_homedir') }
syncBuiltinESMExports()`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(homeless)}`
  const folder = emptyFolder()
  expect(retinue(['--version'], keepingIn(folder, { ...nowhere, NODE_OPTIONS }))).toMatch(/^\d/)
  expect(readdirSync(folder)).toEqual([])
})

/** A folder in which another version of Node left so many files. */
function fullOf(files: number, folder: string): string {
  const other = join(folder, 'v22.18.0-x64-0a1b2c3d-1000')
  mkdirSync(other, { recursive: true })
  for (let i = 0; i < files; i++) writeFileSync(join(other, String(i)), '')
  return basename(other)
}

test('README: some 20,000 files at most, of all versions of Node; a folder that NODE_COMPILE_CACHE names is left as it is', () => {
  const folder = emptyFolder()
  const other = fullOf(20_000, ownFolder(folder))
  // The first finds no more there than may be, and adds its own.
  retinue(['--version'], keepingIn(folder))
  expect(kept(join(ownFolder(folder), other))).toHaveLength(20_000)
  retinue(['--version'], keepingIn(folder))
  expect(existsSync(join(ownFolder(folder), other))).toBe(false)
  expect(kept(ownFolder(folder)).length).toBeGreaterThan(0)

  const named = emptyFolder()
  const theirs = fullOf(20_001, named)
  const unused = emptyFolder()
  for (const _ of [1, 2]) retinue(['--version'], keepingIn(unused, { NODE_COMPILE_CACHE: named }))
  expect(kept(join(named, theirs))).toHaveLength(20_001)
  expect(readdirSync(unused)).toEqual([])
})

const CONFIG = `import { agentConfig } from '@retinue/core/agent'\nexport default agentConfig({ model: 'offline/planner' })\n`

test('B11.13 a version of dev leaves what it compiled to the next one: of the project, and of what serves it', async () => {
  const root = cliProject({
    'src/retinue/agents/sup/config.ts': CONFIG,
    // Of TypeScript Node keeps the text when it is read.
    'src/retinue/agents/sup/instructions.js': 'export default "Work as the one that was kept."\n',
  })
  const folder = emptyFolder()
  const dev = spawn(process.execPath, [...CLI, 'dev', '--port', '0'], { cwd: root, env: keepingIn(folder) })
  const ended = new Promise((resolve) => dev.once('exit', resolve))
  onTestFinished(async () => {
    dev.kill('SIGTERM')
    await ended
  })
  const holds = (text: string): boolean => kept(ownFolder(folder)).some((bytes) => bytes.includes(text))
  // It still serves: what Node keeps when a process ends by itself is not waited for.
  const texts = ['the one that was kept', 'serveOnlyFindings']
  await vi.waitFor(() => expect(texts.filter(holds)).toEqual(texts), { timeout: 30_000 })
})

test('B11.11 a module that leaves a loop behind ends with the command', () => {
  const busy = `import { writeFileSync } from 'node:fs'\nwriteFileSync('pid', String(process.pid))\nsetTimeout(() => {\n  for (;;) {}\n})\n`
  const root = cliProject({
    'src/retinue/agents/sup/config.ts': busy + CONFIG,
    'src/retinue/agents/sup/instructions.md': 'Work.\n',
  })
  // No pipe is read to its end: what is asked is what there is when the command has ended.
  const { status } = spawnSync(process.execPath, [...CLI, 'check'], {
    cwd: root,
    env: keepingIn(emptyFolder()),
    stdio: 'ignore',
  })
  expect(status).toBe(0)
  const pid = Number(readFileSync(join(root, 'pid'), 'utf8'))
  expect(isAlive(pid)).toBe(false)
})
