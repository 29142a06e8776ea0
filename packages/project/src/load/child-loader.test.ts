import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { agent, below, config, type Files, tempProject, told, tool } from '../../test-support/temp-project.ts'
import { type CheckResult, checkProject } from '../check-project.ts'
import { plainFinding } from '../findings/finding.ts'
import { ChildLoader } from './child-loader.ts'
import type { LoadResult } from './module-loader.ts'

// Each test starts processes, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

let loader: ChildLoader | undefined
afterEach(() => loader?.dispose())

/** Loads tool modules by their names, without the rest of a project. */
async function load(files: Record<string, string>, timeoutMs: number = 5000): Promise<readonly LoadResult[]> {
  loader = new ChildLoader(tempProject(files), { timeoutMs })
  return loader.load(Object.keys(files).map((file) => ({ file, slot: 'tool' })))
}

function summary(results: readonly LoadResult[]): string[] {
  return results.map((result) => (result.ok ? result.fact.kind : `${result.failure.kind}: ${result.failure.message}`))
}

async function check(agents: Files, timeoutMs: number = 10_000): Promise<CheckResult> {
  return checkProject(tempProject(below('src/retinue/agents', agents)), { timeoutMs })
}

const toldOf = async (agents: Files, timeoutMs?: number): Promise<string> => {
  const { findings } = await check(agents, timeoutMs)
  return told(findings.map(plainFinding)).replaceAll('src/retinue/agents/', '')
}

test('B11.11 a module is not blamed for what this process had no time to read', async () => {
  const files = { 'a.ts': tool(), 'b.ts': tool(), 'c.ts': `import { writeFileSync } from 'node:fs'\n${tool()}` }
  const root = tempProject({
    ...files,
    'c.ts': `${files['c.ts']}writeFileSync(new URL('./done', import.meta.url), '')\n`,
  })
  loader = new ChildLoader(root, { timeoutMs: 1000 })
  // Now the process runs, and the time of the next module counts.
  await loader.load([{ file: 'a.ts', slot: 'tool' }])
  const loading = loader.load(['b.ts', 'c.ts'].map((file) => ({ file, slot: 'tool' })))
  const busyUntil = performance.now() + 1100
  while (performance.now() < busyUntil || !existsSync(join(root, 'done'))) {
    // As if it had much to parse.
  }
  expect((await loading)[0]).toMatchObject({ ok: true })
})

test('B11.11 a module that waits for ever: the limit ends it, it is named, and the others are loaded', async () => {
  const results = await load({ 'a.ts': tool(), 'b.ts': `await new Promise(() => {})\n${tool()}`, 'c.ts': tool() }, 2000)
  expect(summary(results)).toEqual(['tool', 'timeout: it was not loaded after 2 s', 'tool'])
})

test('B11.11 a module that loops is ended as well', async () => {
  const results = await load({ 'a.ts': 'for (;;) {}\n' }, 500)
  expect(summary(results)).toEqual(['timeout: it was not loaded after 500 ms'])
})

test('B11.11 after three modules that hung the others are not tried', async () => {
  const hang = 'await new Promise(() => {})\n'
  const results = await load({ 'a.ts': hang, 'b.ts': hang, 'c.ts': hang, 'd.ts': tool() }, 500)
  expect(summary(results)[3]).toBe('timeout: it was not loaded, because 3 modules before it hung')
})

test('B11.11 the finding of a module that hangs', async () => {
  const files = agent('sup', { 'tools/a.ts': 'await new Promise(() => {})\n', 'tools/b.ts': 'export default 5\n' })
  expect(await toldOf(files, 1500)).toMatchInlineSnapshot(`
    "error[load-timeout] sup/tools/a.ts:1:1 (sup)
      "sup/tools/a.ts" did not load: it was not loaded after 1.5 s
      fix: look in it and in what it imports for an "await" at the top level or a loop that does not end, and move it into a tool
    error[default-export-invalid] sup/tools/b.ts:1:16 (sup)
      "tools/b.ts" exports a number as its default
      fix: write: export default createTool({ id, description, inputSchema, execute })"
  `)
})

test('B11.11 whoever checks may be killed in the middle: a module that loops does not outlive it', async () => {
  const looping = "import { writeFileSync } from 'node:fs'\nwriteFileSync('pid', String(process.pid))\nfor (;;) {}\n"
  const root = tempProject(below('src/retinue/agents', agent('sup', { 'config.ts': looping })))
  const program = `import { checkProject } from ${JSON.stringify(new URL('../check-project.ts', import.meta.url).href)}
await checkProject(${JSON.stringify(root)}, { timeoutMs: 600_000 })`
  const checking = spawn(process.execPath, ['--conditions=@retinue/source', '--input-type=module', '-e', program])
  const pid = await vi.waitFor(
    () => {
      const text = readFileSync(join(root, 'pid'), 'utf8')
      if (text === '') throw new Error('nothing in it yet')
      return Number(text)
    },
    { timeout: 30_000 },
  )
  expect(isAlive(pid)).toBe(true)
  checking.kill('SIGKILL')
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 })
})

/** Loads a module and ends the process that did; gives the code that it kept. */
async function keptAfter(source: string): Promise<{ root: string; code: string }> {
  const kept = mkdtempSync(join(tmpdir(), 'retinue-kept-'))
  onTestFinished(() => rmSync(kept, { recursive: true }))
  vi.stubEnv('NODE_COMPILE_CACHE', undefined)
  const telling = `import { writeFileSync } from 'node:fs'\nwriteFileSync('pid', String(process.pid))\n`
  const root = tempProject({ 'a.js': `${telling}${source}${tool('kept-by-node')}` })
  loader = new ChildLoader(root, { timeoutMs: 5000, compiled: kept })
  expect(summary(await loader.load([{ file: 'a.js', slot: 'tool' }]))).toEqual(['tool'])
  const pid = Number(readFileSync(join(root, 'pid'), 'utf8'))
  await loader.dispose()
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 })
  const files = readdirSync(kept, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return { root, code: files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('') }
}

test('B11.11 B11.13 what was compiled is kept for the next process; nothing that a module left behind is done at its end', async () => {
  const { root, code } = await keptAfter(`process.on('exit', () => writeFileSync('ended', ''))\n`)
  expect(existsSync(join(root, 'ended'))).toBe(false)
  expect(code).toContain('kept-by-node')
})

test('B11.11 B11.13 a process ends whatever comes of keeping: outputs that a module closed, a folder that takes nothing', async () => {
  const closing = await keptAfter(`import { closeSync } from 'node:fs'\ncloseSync(2)\n`)
  expect(closing.code).toContain('kept-by-node')
  const full = `import nodeModule from 'node:module'\nnodeModule.flushCompileCache = () => {\n  throw new Error('full')\n}\nnodeModule.syncBuiltinESMExports()\n`
  await keptAfter(full)
})

test('B11.11 a module that leaves a loop behind does not keep its process', async () => {
  const busy = `import { writeFileSync } from 'node:fs'\nsetTimeout(() => {\n  writeFileSync('busy', String(process.pid))\n  for (;;) {}\n}, 20)\n`
  const root = tempProject({ 'a.ts': `${busy}${tool()}` })
  loader = new ChildLoader(root, { timeoutMs: 5000 })
  await loader.load([{ file: 'a.ts', slot: 'tool' }])
  const pid = await vi.waitFor(() => Number(readFileSync(join(root, 'busy'), 'utf8')), { timeout: 30_000 })
  await loader.dispose()
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // What has ended is counted until somebody asks how it ended.
  return process.platform !== 'linux' || !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

test('B11.11 a module that exits, at the line that does it; the others are checked', async () => {
  const files = agent('sup', { 'tools/a.ts': '\nif (true) process.exit(0)\n', 'tools/b.ts': 'export default 5\n' })
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[module-failed] sup/tools/a.ts:2:19 (sup)
      "sup/tools/a.ts" could not be loaded: process.exit(0) was called while it loaded
      fix: a module must not end the process: do the work in a tool, or throw
    error[default-export-invalid] sup/tools/b.ts:1:16 (sup)
      "tools/b.ts" exports a number as its default
      fix: write: export default createTool({ id, description, inputSchema, execute })"
  `)
})

test('B11.11 a module that takes its process with it', async () => {
  const results = await load({
    'a.ts': 'process.kill(process.pid, "SIGKILL")\nawait new Promise(() => {})\n',
    'b.ts': tool(),
  })
  expect(summary(results)).toEqual(['exited: the process that loaded it ended (signal SIGKILL)', 'tool'])
})

test('B11.11 what a module throws later is a finding too', async () => {
  const late = `setTimeout(() => {\n  throw new Error('late')\n})\nawait new Promise((resolve) => setTimeout(resolve, 50))\n${config()}`
  const rejected = `void Promise.reject(new Error('nobody waits'))\n${config()}`
  const files = { ...agent('a', { 'config.ts': late }), ...agent('b', { 'config.ts': rejected }) }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[module-failed] a/config.ts:2:9 (a)
      "a/config.ts" could not be loaded: Error: late
      fix: make the module load without an error; what needs a key or a service belongs into a tool
    error[module-failed] b/config.ts:1:21 (b)
      "b/config.ts" could not be loaded: Error: nobody waits
      fix: make the module load without an error; what needs a key or a service belongs into a tool"
  `)
})

test('B11.11 messages of a module are not taken for results', async () => {
  const forged = `process.send?.({ type: 'result', result: { ok: true, fact: { kind: 'tool' } } })\nprocess.emit('message', { requests: [] }, undefined)\nexport default 5\n`
  const asking = `if (process.send !== undefined) throw new Error('a parent')\n${tool()}`
  expect(summary(await load({ 'a.ts': forged, 'b.ts': asking }))).toEqual(['invalid', 'tool'])
})

test('B11.11 a module that closes the channel ends itself alone', async () => {
  const results = await load({ 'a.ts': 'process.disconnect()\nawait new Promise(() => {})\n', 'b.ts': tool() })
  expect(summary(results)).toEqual(['exited: the process that loaded it ended (exit code 0)', 'tool'])
})

test('B11.11 timers and servers of a module do not keep check from ending', async () => {
  const busy = `import { createServer } from 'node:http'\ncreateServer().listen(0)\nsetInterval(() => {}, 10)\n${config()}`
  const { findings, agents } = await check(agent('sup', { 'config.ts': busy }))
  expect([findings, agents]).toEqual([[], 1])
})

test('a process that can not start is not blamed on a module', async () => {
  const root = tempProject({ 'a.ts': tool(), 'b.ts': tool(), 'hook.cjs': 'process.exit(7)\n' })
  const { execArgv } = process
  process.execArgv = [...execArgv, '--require', join(root, 'hook.cjs')]
  try {
    loader = new ChildLoader(root, { timeoutMs: 5000 })
  } finally {
    process.execArgv = execArgv
  }
  const requests = ['a.ts', 'b.ts'].map((file) => ({ file, slot: 'tool' as const }))
  const problem = 'exited: the process that loads modules did not start (exit code 7)'
  expect(summary(await loader.load(requests))).toEqual([problem, problem])
})

test('B11.1 a module that two agents import is evaluated once a load, in the other process too', async () => {
  const root = tempProject({ ...below('src/retinue/agents', { ...agent('a'), ...agent('b') }) })
  const counted = "import { appendFileSync } from 'node:fs'\nappendFileSync('count', 'x')\n"
  writeFileSync(join(root, 'src/retinue/counted.ts'), counted)
  for (const name of ['a', 'b']) {
    writeFileSync(join(root, `src/retinue/agents/${name}/config.ts`), `import '../../counted'\n${config()}`)
  }
  expect((await checkProject(root)).findings).toEqual([])
  expect(readFileSync(join(root, 'count'), 'utf8')).toBe('x')
})
