import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { makeProject } from '../../test-support/chat-project.ts'
import { CLI } from '../../test-support/cli-project.ts'

const example = fileURLToPath(new URL('../../../../examples/research-supervisor', import.meta.url))
const project = makeProject()
const OFFLINE = { ...process.env, RETINUE_MODEL: undefined, OPENAI_API_KEY: undefined }

afterAll(() => project.remove())

/** Runs `retinue chat` with pipes in place of a terminal. */
async function chat(args: string[], input: string, cwd: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...CLI, 'chat', ...args], { cwd, env: { ...OFFLINE, ...env } })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { out, err, code }
}

test('a message a line: delegations go to stderr, answers to stdout, and the end of the input is the end', async () => {
  const input = 'How does Rwanda earn its export income?\nAnd Burundi?\n'
  const { out, err, code } = await chat(['research-supervisor'], input, example, { RETINUE_MODEL: 'offline/planner' })
  expect(code, err).toBe(0)
  expect(out).toMatch(/Rwanda[\s\S]*No language model was used[\s\S]*Burundi[\s\S]*No language model was used/)
  expect(err).toMatch(/^model offline\/planner {2}\(the config asks for openai\/gpt-5.5; RETINUE_MODEL is set\)\n/)
  expect(err.match(/model offline\/planner {2}\(the config asks for openai\/gpt-5.5/g)).toHaveLength(1)
  expect(err).toMatch(
    /▶ researcher[\s\S]*✔ search_web[\s\S]*✔ researcher {2}completed[\s\S]*✔ research-supervisor {2}stop/,
  )
  expect(out + err).not.toContain('\u001b')
  expect(out).not.toContain('▶')
}, 30_000)

test('turns see those before them; commands work; a backslash goes on; a failed turn does not end the chat', async () => {
  const input = 'one\n/model nobody/x\n\nfail now\ntwo \\\nand more\n/tree\n/clear\nthree'
  const { out, err, code } = await chat(['lead'], input, project.path)
  expect(code, err).toBe(0)
  expect(out.split('\n')).toEqual([
    'Heard 1: "one"',
    'Heard 3: "one" / "fail now" / "two \\nand more"',
    'lead  fixture/lead  tools: ask_way',
    '  scout  fixture/scout  tools: ask_where, fell, hold, peek',
    'A new conversation.',
    'Heard 1: "three"',
    '',
  ])
  expect(err).toContain('No provider is called "nobody"')
  expect(err).toContain('error[model-call-failed]')
  expect(err).toContain('Your message stays in the conversation, without an answer.')
}, 30_000)

test('a failed last turn is the exit code; nothing that a model says steers a terminal', async () => {
  const { out, code } = await chat(['lead'], 'steer\nfail', project.path)
  expect(code).toBe(1)
  expect(out).toBe('beforeafter right\n')
}, 30_000)

test.each([
  [['nobody'], 2, 'error[agent-unknown]'],
  [['lead', '--model', 'openai/x'], 3, 'error[model-key-missing]'],
  [['lead', '--model', 'nonsense'], 3, 'error[model-invalid]'],
  [['lead', '--nope'], 2, 'unknown option'],
  [[], 2, 'retinue chat'],
])(
  'retinue chat %j exits with %i',
  async (args, expected, message) => {
    const { out, err, code } = await chat(args, 'Hello\n', project.path)
    expect(code).toBe(expected)
    expect(err).toContain(message)
    expect(out).toBe('')
  },
  30_000,
)

test('a script of turns is a model like others, at the start and later', async () => {
  writeFileSync(join(project.path, 'turns.yaml'), 'lead: [{ text: From the script. }]\n')
  const started = await chat(['lead', '--model', 'offline/script:turns.yaml'], 'Hi', project.path)
  expect(started).toMatchObject({ code: 0, out: 'From the script.\n' })
  const input = '/model offline/script:gone.yaml\n/model offline/script:turns.yaml\nHi'
  const later = await chat(['lead'], input, project.path)
  expect(later.out).toMatch(/^offline\/script:turns.yaml answers from now on.*\nFrom the script.\n$/)
  expect(later.err).toContain('gone.yaml')
}, 30_000)

test('an interrupt stops the turn, and a pipe ends with it', async () => {
  const child = spawn(process.execPath, [...CLI, 'chat', 'lead'], { cwd: project.path, env: OFFLINE })
  child.stderr.on('data', (chunk) => {
    if (String(chunk).includes('● lead')) child.kill('SIGINT')
  })
  child.stdin.write('slow\n')
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  expect(code).toBe(130)
}, 30_000)

test('B6.2 a conversation lasts: the last one, or one by its thread, is gone on with in another process', async () => {
  await chat(['lead'], 'remember me', project.path)
  const again = await chat(['lead', '--continue'], 'still there?\n/threads', project.path)
  expect(again.code, again.err).toBe(0)
  expect(again.err + again.out).toContain('› remember me')
  expect(again.out).toContain('Heard 2: "remember me" / "still there?"')
  expect(again.out).toMatch(/1 {2}\d{4}-\d{2}-\d{2} \d{2}:\d{2} {2}remember me {2}\(this one\)/)
  const missing = await chat(['lead', '--thread', 'nope'], 'hi', project.path)
  expect(missing.err).toContain('error[thread-not-found]')
  const both = await chat(['lead', '--thread', 'x', '--continue'], 'hi', project.path)
  expect(both.code).toBe(2)
}, 60_000)

test('B7.2 in a pipe nobody can be asked: what waits is said with its commands, and the exit code is 5', async () => {
  const { out, err, code } = await chat(['lead'], 'hello\ndelegate fell oak\n', project.path)
  expect([code, out], err).toEqual([5, 'Heard 1: "hello"\n'])
  expect(err).toMatch(
    /◇ lead › scout wants to run fell\n[\s\S]*Left for later\. [\s\S]*\n {2}retinue approvals approve \S+\n/,
  )
}, 30_000)

test('B9.3 B9.5 at the end of a pipe tasks are waited for, and the agent answers to what they bring; one that waits for a person makes the exit code 5', async () => {
  const background = makeProject({ background: true })
  try {
    const { out, err, code } = await chat(['lead'], 'delegate it\n', background.path)
    expect([code, out], err).toEqual([0, 'The scout is on its way.\nLead was told: Scout saw: delegate it\n'])
    expect(err).toMatch(/├─ ◌ task \w{8} {2}scout {2}in the background\n[\s\S]*├─ ✔ task \w{8} {2}scout {2}completed/)
    const waits = await chat(['lead'], 'delegate fell oak\n', background.path)
    expect([waits.code, waits.out], waits.err).toEqual([5, 'The scout is on its way.\n'])
    expect(waits.err).toMatch(
      /Left for later\. A call waits for a person in the run [\s\S]*retinue approvals approve \S+\n/,
    )
  } finally {
    background.remove()
  }
}, 60_000)
