import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkProject, loadProject, plainFinding } from '@retinue/project'
import { expect, test, vi } from 'vitest'
import { cliProject, writeFiles } from '../../test-support/cli-project.ts'
import { importProject } from './import-project.ts'

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

test('import: where there is nothing to import, that is said', async () => {
  const root = cliProject({ 'agents/readme.txt': '' })
  await expect(importProject({ ...INTO, source: root, project: root })).rejects.toThrow('there is nothing to import')
})
