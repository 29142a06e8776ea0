import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '@retinue/core/agent'
import { scriptedModels } from '@retinue/core/testing'
import { expect, test } from 'vitest'
import { callTool } from '../test-support/guarded-workspace.ts'
import { agent, agentsProject, config, MODEL } from '../test-support/temp-project.ts'
import { loadProject } from './load-project.ts'
import { READING_TOOLS, WORKSPACE_TOOLS } from './workspace/tool-names.ts'

function settings(fields: string): string {
  return `import { workspaceConfig } from '@retinue/core/workspace'\nexport default workspaceConfig({ ${fields} })\n`
}

const childOf = (agent: Agent | undefined, key: string): Agent => {
  const children = agent?.options.agents as Record<string, Agent> | undefined
  return children?.[key] as Agent
}

const namesOf = (agent: Agent | undefined): string[] => Object.keys(agent?.options.workspace?.tools ?? {})

/** Calls a workspace tool of an agent, by the end of its name. */
function use(agent: Agent | undefined, name: string, input: object = {}): Promise<unknown> {
  const { workspace } = agent?.options ?? {}
  if (workspace === undefined) throw new Error('no workspace')
  return callTool(workspace, `workspace_${name}`, { ...input })
}

test('B11.9 seeds are copied when a tool is first called, below .retinue/data; the sources stay as they are', async () => {
  const root = agentsProject(agent('sup', { 'workspace/notes/a.md': 'Seed.' }))
  const sources = join(root, 'src/retinue/agents/sup/workspace')
  const { agents } = await loadProject(root)
  expect(existsSync(join(root, '.retinue'))).toBe(false)
  expect(await use(agents['sup'], 'read_file', { path: 'notes/a.md' })).toMatchObject({ text: 'Seed.' })
  await use(agents['sup'], 'write_file', { path: 'notes/a.md', text: 'Written.' })
  await use(agents['sup'], 'write_file', { path: 'b.md', text: 'New.' })
  const home = join(root, '.retinue/data/workspaces/sup')
  expect(readdirSync(home).sort()).toEqual(['files', 'seeds.json'])
  expect(readdirSync(join(home, 'files'), { recursive: true }).sort()).toEqual(['b.md', 'notes', 'notes/a.md'])
  expect([readFileSync(join(sources, 'notes/a.md'), 'utf8'), readdirSync(sources)]).toEqual(['Seed.', ['notes']])
  // Another process, and a seed that changed meanwhile: what the agent wrote is there still.
  writeFileSync(join(sources, 'notes/a.md'), 'Changed.')
  writeFileSync(join(sources, 'c.md'), 'Later.')
  const again = (await loadProject(root)).agents['sup']
  expect(await use(again, 'read_file', { path: 'notes/a.md' })).toMatchObject({ text: 'Written.' })
  expect(await use(again, 'read_file', { path: 'c.md' })).toMatchObject({ text: 'Later.' })
})

test('B11.9 each agent has a workspace of its own, never inside its parent’s, and none without a file for one', async () => {
  const root = agentsProject({
    ...agent('sup', { 'workspace/a.md': 'sup' }),
    ...agent('sup/subagents/one', { 'workspace/a.md': 'one' }),
    ...agent('sup/subagents/two', { 'workspace.ts': settings('') }),
    ...agent('sup/subagents/none'),
    ...agent('files', { 'workspace/a.md': 'files' }),
  })
  const { agents } = await loadProject(root)
  const [one, two, none] = ['one', 'two', 'none'].map((key) => childOf(agents['sup'], key))
  expect([namesOf(one), namesOf(two), none?.options.workspace]).toEqual([WORKSPACE_TOOLS, WORKSPACE_TOOLS, undefined])
  for (const [name, each] of Object.entries({ sup: agents['sup'], one, two, files: agents['files'] })) {
    await use(each, 'write_file', { path: 'mine.md', text: name })
  }
  const listed = async (each: Agent | undefined): Promise<string> => JSON.stringify(await use(each, 'list_files'))
  for (const each of [agents['sup'], one, agents['files']]) expect(await listed(each)).toMatch(/a\.md.*mine\.md/)
  expect(await listed(agents['sup'])).not.toMatch(/subagents|one|two/)
  expect(await listed(two)).not.toContain('a.md')
  expect(await use(one, 'search_files', { query: '' }).catch(({ code }) => code)).toBe('workspace-search-refused')
  expect(await use(one, 'read_file', { path: 'mine.md' })).toMatchObject({ text: 'one' })
})

test('B11.9 workspace.ts sets what the agent may do, and where; seeds are copied there, too', async () => {
  const elsewhere = join(agentsProject({}), 'elsewhere')
  const coded = `import { createTool } from '@retinue/core/tools'
export default { id: 'own', tools: { look: createTool({ id: 'look', execute: () => 'seen' }) } }\n`
  const root = agentsProject({
    ...agent('reads', { 'workspace.ts': settings('readOnly: true'), 'workspace/a.md': 'Seed.' }),
    ...agent('inside', {
      'workspace.ts': settings("root: 'content/x', tools: ['workspace_list_files']"),
      'workspace/a.md': '',
    }),
    ...agent('outside', {
      'workspace.ts': settings(`root: ${JSON.stringify(elsewhere)}, shell: true`),
      'workspace/a.md': '',
    }),
    ...agent('made', { 'workspace.ts': coded, 'workspace/a.md': '' }),
    ...agent('off', { 'config.ts': config(`${MODEL}, workspace: undefined`), 'workspace.ts': settings('') }),
  })
  const { agents, findings } = await loadProject(root)
  expect(findings.map(({ code }) => code)).toEqual(['source-overridden', 'source-overridden'])
  expect([namesOf(agents['reads']), namesOf(agents['inside'])]).toEqual([READING_TOOLS, ['workspace_list_files']])
  expect(namesOf(agents['outside'])).toEqual([...WORKSPACE_TOOLS, 'workspace_run_command'])
  expect([namesOf(agents['made']), agents['off']?.options.workspace]).toEqual([['look'], undefined])
  const files = [{ path: 'a.md', size: 0 }]
  expect(await use(agents['inside'], 'list_files')).toEqual({ files })
  expect(await use(agents['outside'], 'list_files')).toEqual({ files })
  expect(await use(agents['reads'], 'list_files')).toEqual({ files: [{ path: 'a.md', size: 5 }] })
  expect([readdirSync(join(root, 'content/x')), readdirSync(elsewhere)]).toEqual([['a.md'], ['a.md']])
})

test('B11.9 a run writes and reads its files, and learns why a call was refused', async () => {
  const { agents } = await loadProject(agentsProject(agent('sup', { 'workspace/a.md': 'Seed.' })))
  const call = (name: string, args: object) => ({ name: `workspace_${name}`, args: { ...args } })
  const { resolveModel } = scriptedModels({
    sup: [
      { calls: [call('edit_file', { path: 'a.md', oldText: 'Seed', newText: 'Leaf' })] },
      { calls: [call('read_file', { path: 'a.md' }), call('read_file', { path: '../../seeds.json' })] },
      { text: 'Done.' },
    ],
  })
  const { steps } = (await agents['sup']?.generate('Go', { resolveModel })) ?? {}
  const said = JSON.stringify(steps)
  expect(said).toContain('Leaf.')
  expect(said).toContain('workspace-path-refused')
})
