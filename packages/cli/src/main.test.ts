import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CLI, cliProject, type Outcome } from '../test-support/cli-project.ts'
import { main } from './main.ts'

// Each test starts processes, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

const CONFIG =
  "import { agentConfig } from '@retinue/core/agent'\nexport default agentConfig({ model: 'openai/gpt-5.5' })\n"
const AGENTS = 'src/retinue/agents'
const GOOD = { [`${AGENTS}/sup/config.ts`]: CONFIG, [`${AGENTS}/sup/instructions.md`]: 'Work.\n' }
const WARNED = { ...GOOD, [`${AGENTS}/sup/notes.txt`]: '' }
const BROKEN = {
  ...GOOD,
  [`${AGENTS}/sup/subagents/writer/config.ts`]: CONFIG,
  [`${AGENTS}/sup/subagents/writer/instructions.md`]: 'Write.\n',
}

function retinue(cwd: string, ...args: string[]): Outcome {
  const env = { ...process.env, NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, ...args], {
    cwd,
    env,
    encoding: 'utf8',
  })
  return { code: status, out: stdout, err: stderr }
}

test('check: exit code 0 and a summary when nothing is wrong', () => {
  const { code, out, err } = retinue(cliProject(GOOD), 'check')
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(/^✔ 0 errors, 0 warnings in 1 agent \(\d+ ms\)\n$/)
})

test('check: findings with frame, reason and fix on stdout; exit code 1', async () => {
  const { code, out, err } = await inProcess('check', cliProject(BROKEN))
  expect([code, err]).toEqual([1, ''])
  expect(out.replace(/\d+ ms/, '38 ms')).toBe(`error[subagent-description-missing]: subagent "writer" has no description
  ┌─ src/retinue/agents/sup/subagents/writer/config.ts:2:16
2 │ export default agentConfig({ model: 'openai/gpt-5.5' })
  │                ^^^^^^^^^^^ add \`description: '…'\`
  = why: "sup" reads the description to decide when to delegate
  = fix: write description: 'Use it to …: what it does, and when to delegate to it.'
✖ 1 error, 0 warnings in 2 agents (38 ms)`)
})

test('B11.11 check --json prints the findings and nothing else; --format=json is the same; --strict counts warnings', async () => {
  const root = cliProject(WARNED)
  const plain = await inProcess('check', root, '--json')
  expect(plain.code).toBe(0)
  expect(JSON.parse(plain.out)).toEqual({
    findings: [
      {
        code: 'entry-ignored',
        severity: 'warning',
        message: expect.stringContaining('notes.txt'),
        file: `${AGENTS}/sup/notes.txt`,
        line: 1,
        column: 1,
        agentPath: ['sup'],
        fix: expect.any(String),
      },
    ],
  })
  expect(await inProcess('check', root, '--format=json', '--strict')).toEqual({ ...plain, code: 1 })
  expect((await inProcess('check', root, '--strict')).out).toMatch(/✖ 0 errors, 1 warning in 1 agent/)
})

test('B11.11 check --format=github: commands with paths from the repository, on stdout', async () => {
  const root = cliProject(Object.fromEntries(Object.entries(BROKEN).map(([path, text]) => [`apps/x/${path}`, text])))
  const { code, out, err } = retinue(root, 'check', 'apps/x', '--format=github')
  expect([code, err]).toEqual([1, ''])
  expect(out).toContain(`::error file=apps/x/${AGENTS}/sup/subagents/writer/config.ts,line=2,col=16,endColumn=27,`)
  expect(out.trimEnd().split('\n')).toHaveLength(1)
  expect(await inProcess('check', cliProject(GOOD), '--format', 'github')).toEqual({ code: 0, out: '', err: '' })
})

test('B11.11 check --format=sarif: a log with the page of each code as its help', async () => {
  const { code, out, err } = await inProcess('check', cliProject(BROKEN), '--format=sarif')
  expect([code, err]).toEqual([1, ''])
  const help = { markdown: expect.stringContaining('## How to mend it') }
  const rules = [{ id: 'subagent-description-missing', help, shortDescription: { text: expect.stringMatching(/\.$/) } }]
  expect(JSON.parse(out)).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver: { rules } }, results: [{}] }] })
})

test('B11.11 check --watch: the findings anew after a change; Ctrl-C ends it with 130', async () => {
  const root = cliProject(GOOD)
  const child = spawn(process.execPath, [...CLI, 'check', '--watch'], { cwd: root })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  let err = ''
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const outUntil = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(out)) out += String((await once(child.stdout, 'data'))[0])
  }
  await outUntil(/✔ 0 errors, 0 warnings in 1 agent \(\d+ ms\)\n/)
  writeFileSync(join(root, AGENTS, 'sup/notes.txt'), '')
  await outUntil(/warning\[entry-ignored\][\s\S]*✔ 0 errors, 1 warning in 1 agent/)
  child.kill('SIGINT')
  expect((await once(child, 'exit'))[0]).toBe(130)
  expect([out.match(/agent \(/g)?.length, err]).toEqual([2, 'Watching for changes; Ctrl-C ends it.\n'])
})

test('check takes a path and --dir', async () => {
  const root = cliProject(
    Object.fromEntries(Object.entries(GOOD).map(([path, text]) => [path.replace('src/retinue', 'app'), text])),
  )
  expect((await inProcess('check', root, '--dir', 'app')).code).toBe(0)
  expect(retinue(root, 'check', '--dir=app').code).toBe(0)
  expect((await inProcess('check', root)).out).toContain('error[app-missing]')
})

test('what modules print does not reach stdout', () => {
  const { out, err } = retinue(
    cliProject({ ...GOOD, [`${AGENTS}/sup/config.ts`]: `console.log('loud')\n${CONFIG}` }),
    'check',
    '--json',
  )
  expect([JSON.parse(out), err]).toEqual([{ findings: [] }, 'loud\n'])
})

test('tree: indented, with models and tools; --json as data; findings do not hide what could be read', async () => {
  const root = cliProject({ ...BROKEN, [`${AGENTS}/sup/workspace/a.md`]: '' })
  const { code, out, err } = await inProcess('tree', root)
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/^sup {2}openai\/gpt-5.5 {2}tools: workspace_read_file, .*\n {2}writer {2}openai\/gpt-5.5$/),
  ])
  expect(err).toContain('error[subagent-description-missing]')
  const json = await inProcess('tree', root, '--json')
  expect(json.code).toBe(1)
  expect(JSON.parse(json.out)).toMatchObject({
    agents: [{ key: 'sup', id: 'sup', agents: [{ key: 'writer', tools: [] }] }],
  })
  expect(retinue(cliProject(WARNED), 'tree')).toEqual({ code: 0, out: 'sup  openai/gpt-5.5\n', err: '' })
})

test('B11.13 tree and check know the agents of an application in code, and tree says that code made them', async () => {
  const index = `import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
const options = { model: 'openai/gpt-5.5', instructions: 'Tell it.' }
const weather = new Agent({ id: 'weather', ...options, description: 'Knows the weather.' })
const guide = new Agent({ id: 'guide', ...options, agents: { weather } })
export const app = new Retinue({ agents: { guide, weather } })
`
  const root = cliProject({ 'src/retinue/index.ts': index })
  const lines = ['guide  openai/gpt-5.5  (in code)', '  weather  (in code, shown elsewhere)']
  expect((await inProcess('tree', root)).out).toBe([...lines, 'weather  openai/gpt-5.5  (in code)'].join('\n'))
  expect(JSON.parse((await inProcess('tree', root, '--json')).out)).toMatchObject({
    agents: [
      { key: 'guide', inCode: true, agents: [{ key: 'weather', inCode: true, repeated: true, agents: [] }] },
      { key: 'weather', inCode: true },
    ],
  })
  expect((await inProcess('check', root)).out).toMatch(/ in 2 agents /)
})

test('B11.13 an Agent that two folders export is shown at one of them, and the other says so', async () => {
  const agent = `import { Agent } from '@retinue/core/agent'
export const shared = new Agent({ id: 'shared', model: 'openai/gpt-5.5', instructions: 'Tell it.', description: 'Tells.' })
`
  const root = cliProject({
    'src/shared.ts': agent,
    [`${AGENTS}/one/config.ts`]: "export { shared as default } from '../../../shared.ts'\n",
    [`${AGENTS}/sup/agent.md`]: '---\nmodel: openai/gpt-5.5\n---\nWork.\n',
    [`${AGENTS}/sup/subagents/two/config.ts`]: "export { shared as default } from '../../../../../shared.ts'\n",
  })
  const lines = ['one  openai/gpt-5.5', 'sup  openai/gpt-5.5', '  two  (shown elsewhere)']
  expect((await inProcess('tree', root)).out).toBe(lines.join('\n'))
})

test('tree and check read agent.md', async () => {
  const head = '---\nmodel: openai/gpt-5.5\n'
  const root = cliProject({
    [`${AGENTS}/sup/agent.md`]: `${head}---\nWork.\n`,
    [`${AGENTS}/sup/subagents/kid/agent.md`]: `${head}description: Helps out.\n---\nHelp.\n`,
  })
  const out = 'sup  openai/gpt-5.5\n  kid  openai/gpt-5.5'
  expect(await inProcess('tree', root)).toEqual({ code: 0, out, err: '' })
  expect((await inProcess('check', root, '--strict')).code).toBe(0)
})

/** Runs `main` in this process: for what does not depend on where it runs, and not on its own streams. */
async function inProcess(...args: string[]): Promise<Outcome> {
  const out: string[] = []
  const err: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void out.push(text))
  const error = vi.spyOn(console, 'error').mockImplementation((text: string) => void err.push(text))
  try {
    return { code: await main(args), out: out.join('\n'), err: err.join('\n') }
  } finally {
    log.mockRestore()
    error.mockRestore()
  }
}

test.each([
  [['chekc'], 'retinue: unknown command "chekc".'],
  [['--frobnicate'], 'retinue: unknown option "--frobnicate".'],
  [['constructor'], 'retinue: unknown command "constructor".'],
  [['check', '--jsn'], 'retinue check: unknown option "--jsn".'],
  [['check', '-x'], 'retinue check: unknown option "-x".'],
  [['check', '--no-json'], 'retinue check: unknown option "--no-json".'],
  [['check', '--json=yes'], 'retinue check: option "--json" takes no value.'],
  [['check', '--dir'], 'retinue check: option "--dir" needs a value.'],
  [['check', '--dir', '--json'], 'retinue check: option "--dir" needs a value.'],
  [['tree', 'a', 'b'], 'retinue tree: too many arguments.'],
  [['approvals', 'aprove'], 'retinue approvals: there is no action "aprove"; known are list, approve, decline,'],
  [['approvals', 'approve'], 'retinue approvals: it is written "retinue approvals approve RUN [CALL]".'],
  [['approvals', 'answer', 'run'], 'retinue approvals: it is written "retinue approvals answer RUN [CALL] DATA".'],
  [['approvals', 'list', 'run'], 'retinue approvals: it is written "retinue approvals list".'],
  [['approvals', 'decline', 'run', '--args', '{}'], 'retinue approvals: "--args" goes with approve.'],
  [['approvals', 'approve', 'run', '--reason', 'x'], 'retinue approvals: "--reason" goes with decline.'],
  [['approvals', 'approve', 'run', '--args', '{'], 'retinue approvals: "--args" is no JSON: '],
  [['check', '--format=xml'], 'retinue check: there is no format "xml"; known are text, json, github, sarif.'],
  [['check', '--format'], 'retinue check: option "--format" needs a value.'],
  [['check', '--json', '--format=sarif'], 'retinue check: "--json" and "--format=sarif" are two formats.'],
  [['check', '--watch', '--json'], 'retinue check: "--watch" prints for people: leave out the format "json".'],
  [
    ['explain', 'description-missing'],
    'retinue explain: there is no code "description-missing"; the nearest are "subagent-description-missing", "coded-subagent-description-missing",',
  ],
  [['explain', 'zebra'], 'retinue explain: there is no code "zebra"; "retinue explain" lists all of them.'],
])('usage: %j is exit code 2 and a clear line', async (args, message) => {
  const { code, out, err } = await inProcess(...args)
  expect([code, out]).toEqual([2, ''])
  expect(err.startsWith(message), err).toBe(true)
})

test('usage: no command is exit code 2, with help', async () => {
  expect(await inProcess()).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('Usage: retinue <command>'),
  })
})

test.each([
  [['check', '/nowhere'], 'The project directory "/nowhere" is not there'],
  [['tree', 'package.json'], 'The project directory "package.json" is not a directory'],
  [['check', '--dir', '/nowhere'], 'The application directory "/nowhere" is not there'],
  [['check', '--dir', tmpdir()], `The application directory "${tmpdir()}" lies outside the project "${process.cwd()}"`],
])('usage: %j names no directory that can be read: exit code 2', async (args, message) => {
  const err = `retinue ${args[0]}: ${message}. See "retinue ${args[0]} --help".`
  expect(await inProcess(...args)).toEqual({ code: 2, out: '', err })
})

test('B11.11 explain: the page of a code, all codes with a line each, and both as JSON', async () => {
  const page = await inProcess('explain', 'subagent-description-missing')
  expect([page.code, page.err]).toEqual([0, ''])
  expect(page.out).toMatch(/^# subagent-description-missing\n[\s\S]*## Bad tree\n[\s\S]*## Good tree\n/)
  const list = await inProcess('explain')
  expect(list.out).toContain(
    'error    subagent-description-missing        A subagent has no description, or a blank one.',
  )
  const asJson = JSON.parse((await inProcess('explain', 'subagent-description-missing', '--json')).out)
  const known = { code: 'subagent-description-missing', severity: 'error', summary: expect.any(String) }
  expect(asJson).toEqual({ ...known, text: `${page.out}\n` })
  const all = JSON.parse((await inProcess('explain', '--json')).out)
  expect(all.codes).toHaveLength(list.out.split('\n').length)
  expect(all.codes).toContainEqual(known)
})

test('--help and --version go to stdout', async () => {
  expect(await inProcess('--help')).toMatchObject({ code: 0, out: expect.stringContaining('check'), err: '' })
  expect(await inProcess('check', '--help')).toMatchObject({
    code: 0,
    out: expect.stringContaining('--strict'),
    err: '',
  })
  expect(await inProcess('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+/), err: '' })
})

test.each([[{}], [{ NO_COLOR: 'yes' }]])('--help of a command is plain text in a pipe (%j)', (more) => {
  // The runner sets variables that mean "no colours" to whoever asks for them.
  const { TEST: _test, CI: _ci, NO_COLOR: _no, ...env } = process.env
  const run = spawnSync(process.execPath, [...CLI, 'check', '--help'], { env: { ...env, ...more }, encoding: 'utf8' })
  expect([run.status, run.stderr]).toEqual([0, ''])
  expect(run.stdout).toMatch(/USAGE retinue check \[OPTIONS\]/)
  expect(run.stdout).not.toContain('\u001b')
})
