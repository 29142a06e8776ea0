import { spawn } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import { CLI, cliProject, type Outcome } from '../../test-support/cli-project.ts'

// Each test starts processes, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

const AGENT = 'src/retinue/agents/sup'
const CONFIG = "export default { model: 'offline/echo' }\n"
const TURNS = 'sup:\n  - calls: [{ name: act, args: {} }]\n  - text: Done.\n'

function tool(execute: string, above: string = ''): string {
  return `import { createTool } from '@retinue/core/tools'\n${above}\nexport default createTool({ id: 'act', description: 'Acts.', execute: ${execute} })\n`
}

const project = (files: Record<string, string>): string =>
  cliProject({ 'turns.yaml': TURNS, [`${AGENT}/config.ts`]: CONFIG, [`${AGENT}/instructions.md`]: 'Work.\n', ...files })

/** Runs the command line as a person's shell would. `slow`: its output is read only after a while. */
function retinue(cwd: string, args: readonly string[], { input = '', slow = 0 } = {}): Promise<Outcome> {
  const { RETINUE_MODEL: _, ...rest } = process.env
  const child = spawn(process.execPath, [...CLI, ...args], {
    cwd,
    env: { ...rest, NO_COLOR: '1' },
  })
  const outcome: Outcome = { code: null, out: '', err: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.err += text))
  setTimeout(() => child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.out += text)), slow)
  child.stdin.end(input)
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...outcome, code })))
}

const run = (files: Record<string, string>, ...more: string[]): Promise<Outcome> =>
  retinue(project(files), ['run', 'sup', 'Go', '--model', 'offline/script:turns.yaml', ...more])

test.each(['run', 'chat'])('%s: a module that never settles is named, and the exit code is 1', async (command) => {
  const root = project({ [`${AGENT}/tools/act.ts`]: 'await new Promise(() => {})\n' })
  const args = command === 'run' ? ['run', 'sup', 'Go'] : ['chat', 'sup']
  const { code, out, err } = await retinue(root, args, { input: 'Hello\n' })
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain(`error[load-timeout]: "${AGENT}/tools/act.ts" did not load: it was not loaded after 3 s`)
})

test('run: a module that ends the process is told at its line, and the exit code is 1', async () => {
  const { code, out, err } = await run({ [`${AGENT}/tools/act.ts`]: 'process.exit(0)\n' })
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain(`${AGENT}/tools/act.ts:1:9`)
})

test('run: a broken project shows its findings as check does, then one line; --json has them as data', async () => {
  const root = project({ [`${AGENT}/config.ts`]: 'export default {}\n' })
  const checked = await retinue(root, ['check'])
  const { code, out, err } = await retinue(root, ['run', 'sup', 'Go'])
  const findings = checked.out.split('\n').slice(0, -2).join('\n')
  expect([code, out]).toEqual([1, ''])
  expect(err).toBe(`${findings}\nerror[project-invalid]: Nothing was run: the project has 1 error.\n`)
  const json = await retinue(root, ['run', 'sup', 'Go', '--json'])
  expect(JSON.parse(json.out)).toMatchObject({
    error: { code: 'project-invalid' },
    findings: [{ code: 'model-missing', file: `${AGENT}/config.ts` }],
  })
})

test('run: what a tool holds open does not keep it from ending', async () => {
  const held = "import { createServer } from 'node:net'\ncreateServer().listen(0)\nsetInterval(() => {}, 1000)"
  const started = performance.now()
  expect(await run({ [`${AGENT}/tools/act.ts`]: tool('() => 1', held) })).toMatchObject({ code: 0, out: 'Done.\n' })
  expect(performance.now() - started).toBeLessThan(30_000)
})

test('long output reaches a slow reader whole', async () => {
  const long = 'x'.repeat(100)
  const names = Array.from({ length: 2000 }, (_, at) => `${AGENT}/note-${long}-${at}.txt`)
  const root = project(Object.fromEntries(names.map((name) => [name, ''])))
  const { out } = await retinue(root, ['check', '--json'], { slow: 4000 })
  expect(JSON.parse(out)).toMatchObject({ findings: { length: 2000 } })
})

test('run: a rejection that nobody handles is told once, with its place, and the run goes on', async () => {
  const execute = `() => {
    for (let i = 0; i < 3; i++) void Promise.reject(new Error('boom'))
    return new Promise((resolve) => setTimeout(() => resolve(1), 50))
  }`
  const { code, out, err } = await run({ [`${AGENT}/tools/act.ts`]: tool(execute) })
  expect([code, out]).toEqual([0, 'Done.\n'])
  expect(err.match(/error\[stray-rejection\]/g)).toHaveLength(1)
  expect(err).toContain(`nothing handled it: Error: boom (${AGENT}/tools/act.ts:4)`)
})

test('run: an exception in a timer is told, the run is given up, and the exit code is 1', async () => {
  const execute = "() => { setTimeout(() => { throw new Error('late') }, 10); return new Promise(() => {}) }"
  const { code, out, err } = await run({ [`${AGENT}/tools/act.ts`]: tool(execute) }, '--json')
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ error: { code: 'stray-exception' } })
  expect(err).toMatch(/error\[stray-exception\]: .*Error: late \(src.*act\.ts:3\).*\n {2}= fix: /)
  expect(err).not.toMatch(/^\s+at /m)
})

test('chat: an exception in a timer ends it with a typed error and 1', async () => {
  const execute = "() => { setTimeout(() => { throw new Error('late') }, 10); return new Promise(() => {}) }"
  const root = project({ [`${AGENT}/tools/act.ts`]: tool(execute) })
  const { code, err } = await retinue(root, ['chat', 'sup', '--model', 'offline/script:turns.yaml'], { input: 'Go\n' })
  expect([code, err.includes('error[stray-exception]')]).toEqual([1, true])
})

test('a tool that ends the process does not make the run look finished', async () => {
  const { code, err, out } = await run({ [`${AGENT}/tools/act.ts`]: tool('() => process.exit(0)') })
  expect(code).toBe(1)
  expect(err).toContain('error[stray-exit]')
  expect(out).toBe('')
})
