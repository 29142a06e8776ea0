import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAgent } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import { scriptedModels } from '@retinue/core/testing'
import { expect, test, vi } from 'vitest'
import {
  agent,
  agentsProject,
  below,
  config,
  MODEL,
  subagentConfig,
  tempProject,
  tool,
} from '../test-support/temp-project.ts'
import { loadProject } from './load-project.ts'
import { WORKSPACE_TOOLS } from './workspace/tool-names.ts'

// A test starts a process, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

test('B11.12 agents by directory name, with their subagents, tools and instructions', async () => {
  const root = agentsProject({
    ...agent('sup', {
      'tools/search.ts': tool(),
      'workspace/a.md': 'Seed.',
      'instructions.md': '\uFEFFOne\r\ntwo\r\n',
    }),
    ...agent('sup/subagents/writer', { 'config.ts': subagentConfig("id: 'w', name: 'The writer'") }),
    ...agent('constructor'),
  })
  const { agents, findings, app, root: at, dir } = await loadProject(root)
  expect(Object.keys(agents)).toEqual(['constructor', 'sup'])
  expect(Object.getPrototypeOf(agents)).toBe(null)
  expect([findings, at, dir]).toEqual([[], root, join(root, 'src/retinue')])
  expect(app.getAgent('sup')).toBe(agents['sup'])
  expect(Object.keys(app.listAgents())).toEqual(['constructor', 'sup'])
  const sup = agents['sup']
  expect([isAgent(sup), sup?.id, sup?.name, sup?.options.instructions]).toEqual([true, 'sup', 'sup', 'One\ntwo\n'])
  expect(Object.keys(sup?.options.tools ?? {})).toEqual(['search'])
  expect(Object.keys(sup?.options.workspace?.tools ?? {})).toEqual(WORKSPACE_TOOLS)
  expect(Object.entries(sup?.options.agents ?? {})).toMatchObject([['writer', { id: 'w', name: 'The writer' }]])
})

test('B11.8 B2.9 S02 a tree of six levels whose models always delegate: what is too deep is a warning, and the run ends', async () => {
  const dirs = Array.from({ length: 6 }, (_none, n) => ['sup', ...Array(n).fill('kid')].join('/subagents/'))
  const { agents, findings } = await loadProject(agentsProject(Object.assign({}, ...dirs.map((dir) => agent(dir)))))
  expect(findings.map(({ code, severity, file }) => [severity, code, file.split('/').length])).toEqual([
    ['warning', 'subagents-too-deep', 11],
  ])
  const paths = Array.from({ length: 6 }, (_none, n) => ['sup', ...Array(n).fill('kid')].join('/'))
  const again = Array.from({ length: 100 }, () => ({ calls: [{ name: 'kid', args: { prompt: 'Go on.' } }] }))
  const script = scriptedModels(Object.fromEntries(paths.map((path) => [path, again])))
  const stream = await agents['sup']?.stream('Go', { resolveModel: script.resolveModel })
  expect([await stream?.finishReason, (await stream?.error)?.code]).toEqual(['error', 'tool-failed-repeatedly'])
  // Three steps a run until it is given up, one delegation each; the deepest that was kept has nobody to delegate to.
  expect(paths.map((path) => script.calls(path).length)).toEqual([3, 9, 27, 81, 0, 0])
  expect((await stream?.totalUsage)?.calls).toBe(3 + 9 + 27 + 81)
})

test('B11.4 what wins is what the agent is made of', async () => {
  const own = `import { Agent } from '@retinue/core/agent'
import shared from './shared'
const coded = new Agent({ id: 'coded', description: 'Coded work.', model: 'openai/b', instructions: 'Work.' })
export default { ${MODEL}, instructions: 'static', tools: { a: shared }, agents: { coded }, workspace: undefined }
`
  const files = { 'config.ts': own, 'shared.ts': tool('shared'), 'tools/a.ts': tool('file'), 'tools/b.ts': tool('b') }
  const more = { 'instructions.ts': "export default () => 'from code'\n", 'workspace/a.md': '' }
  const root = agentsProject({
    ...agent('sup', { ...files, ...more }),
    ...agent('sup/subagents/kid'),
    ...agent('sup/subagents/coded'),
  })
  const { agents, findings } = await loadProject(root)
  const options = agents['sup']?.options
  expect(Object.entries(options?.tools ?? {}).map(([key, { id }]) => [key, id])).toEqual([
    ['a', 'shared'],
    ['b', 'b'],
  ])
  expect(Object.entries(options?.agents ?? {}).map(([key, { description }]) => [key, description])).toEqual([
    ['kid', 'Does part 6b6964 of the work.'],
    ['coded', 'Coded work.'],
  ])
  expect([typeof options?.instructions, options?.workspace]).toEqual(['function', undefined])
  const codes = findings.map(({ code }) => code)
  expect(codes.sort()).toEqual([...Array<string>(4).fill('source-overridden'), 'subagent-overridden'])
})

test('B11.7 functions in the config are handed on as they are', async () => {
  const root = agentsProject({
    ...agent('sup', { 'config.ts': config(`${MODEL}, agents: () => ({}), tools: () => ({})`) }),
    ...agent('sup/subagents/kid'),
  })
  const { options } = (await loadProject(root)).agents['sup'] ?? {}
  expect([typeof options?.agents, typeof options?.tools]).toEqual(['function', 'function'])
})

test('B11.3 an Agent is taken as it is', async () => {
  const coded = `import { Agent } from '@retinue/core/agent'\nexport default new Agent({ id: 'own', model: 'openai/b', instructions: 'Work.', description: 'Own work.' })\n`
  const root = agentsProject({ 'sup/config.ts': coded })
  const { agents } = await loadProject(root)
  expect([agents['sup']?.id, agents['sup']?.name]).toEqual(['own', 'own'])
})

test('B11.1 agent.md: the frontmatter is the config, the text below it the instructions', async () => {
  const kid = '\uFEFF---\r\nid: k\r\nmodel: openai/gpt-5.5\r\ndescription: Helps out.\r\n---\r\n\r\nOne\r\ntwo\r\n'
  const text = '---\nname: The lead\nmodel: [openai/gpt-5.5, anthropic/claude]\nmaxDepth: 2\ndescription:\n---\nLead.\n'
  const root = agentsProject({
    'sup/agent.md': text,
    'sup/tools/a.ts': tool('a'),
    'sup/subagents/kid/agent.md': kid,
    'sup/subagents/mixed/agent.md': '---\nmodel: ignored/by-config\n---\nFrom the text.\n',
    'sup/subagents/mixed/config.ts': subagentConfig(),
  })
  const { agents, findings } = await loadProject(root)
  const { sup } = agents
  expect(findings.map(({ code }) => code)).toEqual(['source-overridden'])
  expect([sup?.id, sup?.name, sup?.description]).toEqual(['sup', 'The lead', undefined])
  const { model, maxDepth, instructions, tools, agents: kids } = sup?.options ?? {}
  expect([model, maxDepth, instructions]).toEqual([['openai/gpt-5.5', 'anthropic/claude'], 2, 'Lead.\n'])
  expect(Object.keys(tools ?? {})).toEqual(['a'])
  expect(Object.entries(kids ?? {})).toMatchObject([
    ['kid', { id: 'k', name: 'kid', description: 'Helps out.', options: { instructions: 'One\ntwo\n' } }],
    ['mixed', { options: { instructions: 'From the text.\n', model: 'openai/gpt-5.5' } }],
  ])
})

test('B11.12 one typed error with all findings', async () => {
  const root = agentsProject({
    ...agent('a', { 'config.ts': config('') }),
    ...agent('b', { 'config.ts': 'export default 5\n' }),
  })
  const error = await loadProject(root).catch((thrown: unknown) => thrown)
  if (!isRetinueError(error, 'project-invalid')) throw new Error('no typed error', { cause: error })
  expect(error.data['findings']).toMatchObject([{ code: 'model-missing' }, { code: 'default-export-invalid' }])
  expect(error.message).toBe(`The project has 2 errors:

error[model-missing]: agent "a" has no model
  ┌─ src/retinue/agents/a/config.ts:2:16
2 │ export default agentConfig({  })
  │                ^^^^^^^^^^^ add \`model: 'provider/model'\`
  = why: an agent names its model; there is no hidden default
  = fix: write model: 'openai/gpt-5.5', or another 'provider/model', or an AI SDK model
error[default-export-invalid]: "config.ts" exports a number as its default
  ┌─ src/retinue/agents/b/config.ts:1:16
1 │ export default 5
  │                ^
  = why: the default export of "config.ts" must be a plain object, as agentConfig({ … }) gives, or an Agent
  = fix: write: export default agentConfig({ model: 'openai/gpt-5.5' })`)
})

test('B11.1 options.dir says where the application is, also absolutely', async () => {
  const root = tempProject(below('app/agents', agent('sup')))
  for (const dir of ['app', join(root, 'app')])
    expect(Object.keys((await loadProject(root, { dir })).agents)).toEqual(['sup'])
})

test('B11.12 in a plain program: what modules print goes to stderr, what the program prints to stdout', () => {
  const loud = `console.log('from the module')\nawait new Promise((resolve) => setTimeout(resolve, 5))\nconsole.log('and later')\n${config()}`
  const root = agentsProject(agent('sup', { 'config.ts': loud }))
  const program = `import { loadProject } from '@retinue/project'
const loading = loadProject(import.meta.dirname)
console.log('meanwhile')
const { agents } = await loading
console.log(agents.sup.id)
`
  writeFileSync(join(root, 'main.mjs'), program)
  const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=@retinue/source', 'main.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect([stdout, stderr]).toEqual(['meanwhile\nsup\n', 'from the module\nand later\n'])
})
