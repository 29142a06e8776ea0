import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkProject, loadProject, plainFinding } from '@retinue/project'
import { expect, test, vi } from 'vitest'
import { cliProject, writeFiles } from '../../test-support/cli-project.ts'
import { main } from '../main.ts'
import { importProject } from './import-project.ts'
import { type ImportPlace, type RewriteOptions, rewriteModule } from './rewrite-module.ts'

vi.setConfig({ testTimeout: 60_000 })

const INTO = { app: 'src/retinue', supervisor: 'lead', model: 'offline/planner' }

test('import: .claude/agents becomes a supervisor with subagents; tools and what means nothing here are told', async () => {
  const root = cliProject({
    '.claude/agents/code-reviewer.md':
      '---\nname: code-reviewer\ndescription: Use it for reviews. Examples: user: "look" assistant: "reviewing"\ntools: Read, Grep, Bash, mcp__jira__search\nmodel: opus\ncolor: red\n---\n\nReview the code with care.\n',
    '.claude/agents/team/test writer.md':
      '\uFEFF---\r\nname: test writer\r\ndescription: Writes tests.\r\nmodel: inherit\r\n---\r\nWrite tests.\r\n',
    '.claude/agents/empty.md': '---\nname: empty\ndescription: Nothing.\n---\n',
    '.claude/agents/notes.md': 'Only notes.\n',
  })
  const { files, left } = await importProject({ ...INTO, source: root, project: root })
  expect([...files.keys()].sort()).toEqual([
    'src/retinue/agents/lead/agent.md',
    'src/retinue/agents/lead/subagents/code-reviewer/agent.md',
    'src/retinue/agents/lead/subagents/test-writer/agent.md',
  ])
  expect(left.map(({ file, what }) => `${file}: ${what}`).sort()).toEqual([
    'code-reviewer.md: color in its frontmatter',
    'code-reviewer.md: its tools Bash, mcp__jira__search',
    'code-reviewer.md: its tools for files (Read, Grep)',
    'empty.md: it has no instructions',
    'notes.md: it has no frontmatter that can be read',
    'team/test writer.md: "test writer" can\'t be the name of an agent',
    'team/test writer.md: it could use every tool of the session',
  ])
  expect((await checkProject(root)).findings.map(plainFinding)).toEqual([])
  const { agents } = await loadProject(root)
  const subagents = agents['lead']?.options.agents as unknown as Record<
    string,
    { description: string; options: { model: unknown } }
  >
  expect(subagents['code-reviewer']).toMatchObject({
    description: 'Use it for reviews. Examples: user: "look" assistant: "reviewing"',
    options: { model: 'anthropic/claude-opus-4-1', instructions: 'Review the code with care.\n' },
  })
  expect(subagents['test-writer']).toMatchObject({ options: { model: 'offline/planner' } })
  await expect(importProject({ ...INTO, source: root, project: root })).rejects.toThrow('nothing was written')
})

test('import: a tree of Mastra, in code and in folders; what has no counterpart is told with its line', async () => {
  const mastra = cliProject({
    'src/mastra/index.ts': `import { Mastra } from '@mastra/core'
import { LibSQLStore } from '@mastra/libsql'
import { PinoLogger } from '@mastra/loggers'
import { weather } from './agents/weather'
import { flow } from './workflows/flow'

export const mastra = new Mastra({
  agents: { weather },
  workflows: { flow },
  storage: new LibSQLStore({ id: 'store', url: ':memory:' }),
})
`,
    'src/mastra/agents/weather.ts': `import { Agent } from '@mastra/core/agent'
import { lookup } from '../tools/lookup'
export const weather = new Agent({ id: 'weather', name: 'Weather', instructions: 'Tell it.', model: 'offline/planner', tools: { lookup } })
`,
    'src/mastra/agents/desk/config.ts': `import { agentConfig } from '@mastra/core/agent'\nexport default agentConfig({ model: 'offline/planner' })\n`,
    'src/mastra/agents/desk/instructions.md': 'Work.\n',
    'src/mastra/tools/lookup.ts': `import { createTool, ToolStream } from '@mastra/core/tools'\nvoid ToolStream\nexport const lookup = createTool({ id: 'lookup', description: 'Looks.', execute: async () => 'rain' })\n`,
    'src/mastra/workflows/flow.ts': `import { createWorkflow } from '@mastra/core/workflows'\nexport const flow = createWorkflow({})\n`,
  })
  const root = cliProject({})
  const { left } = await importProject({ ...INTO, source: mastra, project: root })
  expect(left.map(({ file, line, what }) => `${file}${line === undefined ? '' : `:${line}`} ${what}`).sort()).toEqual([
    'index.ts:3 "@mastra/loggers" has no counterpart',
    'index.ts:5 "./workflows/flow" was left out',
    'index.ts:9 the option "workflows" of the application',
    'tools/lookup.ts:1 "ToolStream" of "@mastra/core/tools" is not in "@retinue/core/tools"',
    'workflows/ the folder was left out',
  ])
  const index = readFileSync(join(root, 'src/retinue/index.ts'), 'utf8')
  expect(index).toContain(
    "import { Retinue as Mastra } from '@retinue/core'\nimport { LibSQLStore } from '@retinue/libsql'\n",
  )
  expect(index).not.toContain('workflows:')
  // With what was told taken out, it is an application.
  const mended = index
    .split('\n')
    .filter((line) => !/loggers|workflows/.test(line))
    .join('\n')
  const lookup = readFileSync(join(root, 'src/retinue/tools/lookup.ts'), 'utf8')
  writeFiles(root, {
    'src/retinue/index.ts': mended,
    'src/retinue/tools/lookup.ts': lookup.replace(', ToolStream', '').replace('void ToolStream\n', ''),
  })
  expect((await checkProject(root)).findings.map(plainFinding)).toEqual([])
  const { app, close } = await loadProject(root)
  expect(Object.keys(app.listAgents()).sort()).toEqual(['desk', 'weather'])
  await close()
})

/** What a module of Mastra becomes, and what is told of it. */
async function rewritten(source: string, over: Partial<RewriteOptions> = {}): Promise<[string, string[]]> {
  const placeOf = (specifier: string): ImportPlace =>
    specifier.startsWith('./workflows/') ? { kind: 'left-out' } : { kind: 'here', specifier }
  const { text, left } = await rewriteModule({ file: 'a.ts', source, placeOf, ...over })
  return [text, left.map(({ line, what }) => `${line} ${what}`)]
}

test('import: every way to name a module is seen: what nobody can follow is told', async () => {
  const source = `export * from '@mastra/core/agent'
export * from '@mastra/voice'
export * from './workflows/flow'
export { Mastra, Workflow } from '@mastra/core'
import * as core from '@mastra/core'
import tools, { createTool as tool } from '@mastra/core/tools'
const { Mastra: M } = await import('@mastra/core')
const rag = await import('@mastra/rag')
const old = require('@mastra/memory')
export const load = (name: string) => import(name)
type A = import('@mastra/core/agent').Agent
`
  expect(await rewritten(source)).toEqual([
    `export * from '@retinue/core/agent'
export * from '@mastra/voice'
export * from './workflows/flow'
export { Retinue as Mastra, Workflow } from '@retinue/core'
import * as core from '@retinue/core'
import tools, { createTool as tool } from '@retinue/core/tools'
const { Mastra: M } = await import('@retinue/core')
const rag = await import('@mastra/rag')
const old = require('@retinue/memory')
export const load = (name: string) => import(name)
type A = import('@retinue/core/agent').Agent
`,
    [
      '1 what is exported of all of "@mastra/core/agent"',
      '2 "@mastra/voice" has no counterpart',
      '3 "./workflows/flow" was left out',
      '4 "Workflow" of "@mastra/core" is not in "@retinue/core"',
      '5 what is used of all of "@mastra/core"',
      '6 the default export of "@mastra/core/tools"',
      '7 what is used of "@mastra/core"',
      '8 "@mastra/rag" has no counterpart',
      '9 what is used of "@mastra/memory"',
      "10 which module it loads can't be seen: import(name)",
    ],
  ])
})

test('import: options of applications and agents that mean nothing here are taken out; spreads are told', async () => {
  const source = `import { Mastra as App } from '@mastra/core'
import { Agent, agentConfig } from '@mastra/core/agent'
export const agent = new Agent({ id: 'a', voice: speech, defaultGenerateOptions: { maxSteps: 3 }, model: 'openai/gpt-5.5' })
export const app = new App({ ...shared, agents: { agent }, 'workflows': { flow }, backgroundTasks: { enabled: true }, [key]: 1 })
export const config = agentConfig({ model: 'openai/gpt-5.5', evals: {} })
export const other = new Agent(made())
class Local {}
new Local({ voice: 1 })
`
  const [text, left] = await rewritten(source)
  expect(text.split('\n').slice(2, 6)).toEqual([
    "export const agent = new Agent({ id: 'a',   model: 'openai/gpt-5.5' })",
    'export const app = new App({ ...shared, agents: { agent },  backgroundTasks: { enabled: true }, [key]: 1 })',
    "export const config = agentConfig({ model: 'openai/gpt-5.5',  })",
    'export const other = new Agent(made())',
  ])
  expect(left).toEqual([
    '3 the option "voice" of the agent',
    '3 the option "defaultGenerateOptions" of the agent',
    "4 what of the application can't be seen: ...shared",
    '4 the option "workflows" of the application',
    "4 what of the application can't be seen: [key]: 1",
    '5 the option "evals" of the agent',
    "6 what of the agent can't be seen: made()",
  ])
})

test('import: what stands in an option that is taken out goes with it, and comments stay', async () => {
  const source = `import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
export const mastra = new Mastra({
  agents: { writer },
  server: { middleware: [async () => { await import('@mastra/core/request-context') }] },
  mcpServers: { x: new Agent({ voice: v, model: m }) } /* off */, // none
  telemetry: {} // last
})
`
  const [text, left] = await rewritten(source)
  expect(text).toBe(`import { Retinue as Mastra } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
export const mastra = new Mastra({
  agents: { writer },
  
   /* off */ // none
   // last
})
`)
  expect(left).toEqual([
    '5 the option "server" of the application',
    '6 the option "mcpServers" of the application',
    '7 the option "telemetry" of the application',
  ])
})

test('import: what early versions of Mastra did otherwise is changed, or told with its line', async () => {
  const source = `import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { helper } from '@/lib/helper'
import { other } from '#lib/other'
export const look = createTool({ id: 'look', mastra, execute: async ({ context, runtimeContext }) => helper(context) })
export const agent = new Agent({ instructions: ({ runtimeContext }) => String(runtimeContext), model: 'a/b' })
export const said = agent.generateVNext('Go')
export const plain = createTool({ id: 'plain', execute: async ({ context: city }) => city })
export const right = createTool({ id: 'right', execute: async ({ city }, { context }) => [city, context] })
`
  const [text, left] = await rewritten(source)
  expect(text).toContain("agent.generate('Go')")
  expect(text).toContain("createTool({ id: 'look',  execute:")
  expect(left).toEqual([
    '3 "@/lib/helper" is an alias of tsconfig.json, to which Node pays no heed',
    '4 "#lib/other" is one of the "imports" of package.json',
    '5 the option "mastra" of the tool',
    '5 the input of a tool is not in "context"',
    '5 "runtimeContext" is not what a function is given here',
    '6 an agent without an id',
    '6 "runtimeContext" is not what a function is given here',
    '8 the input of a tool is not in "context"',
  ])
})

test('import: agents of .claude whose frontmatter people write, and not YAML alone', async () => {
  const root = cliProject({
    '.claude/agents/team/list.md':
      '--- \nname: list\n# what it is for\n\ndescription: Use this agent when: "x" is asked #now\ntools:\n  - Read\n  - Bash\nmodel: sonnet[1m]\n---\t\nList.\n',
  })
  const { files, left } = await importProject({ ...INTO, source: root, project: root })
  expect(files.get('src/retinue/agents/lead/subagents/list/agent.md')).toBe(
    '---\nmodel: anthropic/claude-sonnet-4-5\ndescription: \'Use this agent when: "x" is asked #now\'\n---\n\nList.\n',
  )
  expect(left.map(({ what }) => what)).toEqual(['"[1m]" of its model', 'its tools for files (Read)', 'its tools Bash'])
})

test('import: of two trees in a project neither is left out without a word', async () => {
  const both = { '.claude/agents/a.md': '---\nname: a\n---\nHelp.\n', 'src/mastra/index.ts': 'export {}\n' }
  const root = cliProject(both)
  await expect(importProject({ ...INTO, source: root, project: root })).rejects.toThrow('name the one to import')
  const { files } = await importProject({ ...INTO, source: join(root, '.claude/agents'), project: root })
  expect([...files.keys()]).toContain('src/retinue/agents/lead/subagents/a/agent.md')
})

test('import: nothing is written outside the project, and a model that is none is refused', async () => {
  const root = cliProject({ 'project/.claude/agents/a.md': '---\nname: a\n---\nHelp.\n' })
  const project = join(root, 'project')
  for (const app of ['../escaped', '..', join(root, 'elsewhere')])
    await expect(importProject({ ...INTO, app, source: project, project })).rejects.toThrow('no folder of this project')
  await expect(importProject({ ...INTO, model: 'nonsense', source: project, project })).rejects.toThrow(
    'provider/model',
  )
  expect(readdirSync(root)).toEqual(['node_modules', 'package.json', 'project'])
  const { files } = await importProject({ ...INTO, app: join(project, 'apps/one'), source: project, project })
  expect([...files.keys()]).toContain('apps/one/agents/lead/agent.md')
})

test('import: what leads out of the tree leads to the same place from the new one, and is told where there is none', async () => {
  const index = `import { a } from '../lib/a'\nimport { b } from './b'\nexport default [a, b]\n`
  const files = {
    'src/lib/a.ts': 'export const a = 1\n',
    'src/mastra/index.ts': index,
    'src/mastra/b.ts': 'export const b = 2\n',
  }
  const same = cliProject(files)
  const into = { ...INTO, app: 'apps/one/agents' }
  expect((await importProject({ ...into, source: same, project: same })).left).toEqual([])
  expect(readFileSync(join(same, 'apps/one/agents/index.ts'), 'utf8')).toContain(
    "import { a } from '../../../src/lib/a'\nimport { b } from './b'\n",
  )
  const other = cliProject({})
  const { left } = await importProject({ ...into, source: cliProject(files), project: other })
  expect(left).toMatchObject([{ file: 'index.ts', line: 1, what: '"../lib/a" leads out of the tree' }])
})

test('import: an agent of .claude without a name that can be one is called after its file, and told', async () => {
  const agent = (name: string): string => `---\nname: ${name}\ndescription: Helps.\ntools: []\n---\nHelp.\n`
  const root = cliProject({
    '.claude/agents/nameless.md': agent("''"),
    '.claude/agents/star.md': agent('"***"'),
    '.claude/agents/one.md': agent('Helper'),
    '.claude/agents/two.md': agent('helper'),
  })
  const { files, left } = await importProject({ ...INTO, source: root, project: root })
  expect([...files.keys()].map((path) => path.split('/').at(-2))).toEqual(['nameless', 'Helper', 'star', 'lead'])
  expect(left.map(({ file, what }) => `${file}: ${what}`)).toEqual([
    'nameless.md: "" can\'t be the name of an agent',
    'star.md: "***" can\'t be the name of an agent',
    'two.md: another agent is called "helper"',
  ])
})

test('import: where nothing could be brought in, the command fails', async () => {
  const root = cliProject({ '.claude/agents/notes.md': 'Only notes.\n' })
  const said: string[] = []
  vi.spyOn(console, 'log').mockImplementation((text: string) => void said.push(text))
  vi.spyOn(console, 'error').mockImplementation((text: string) => void said.push(text))
  vi.spyOn(process, 'cwd').mockReturnValue(root)
  expect(await main(['import'])).toBe(1)
  expect(said.join('\n')).toContain('Nothing was written.\nnot carried over: notes.md')
  expect(await main(['import', '--json'])).toBe(1)
})

test('import: where there is nothing to import, that is said', async () => {
  const root = cliProject({ 'agents/readme.txt': '' })
  await expect(importProject({ ...INTO, source: root, project: root })).rejects.toThrow('there is nothing to import')
})
