import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Agent, isAgent } from '@retinue/core/agent'
import type { AgentMemory } from '@retinue/core/memory'
import { InMemoryStorage, type Storage } from '@retinue/core/storage'
import { type ScriptedModels, scriptedModels } from '@retinue/core/testing'
import { expect, test } from 'vitest'
import { agent, below, config, type Files, MODEL, tempProject, tool } from '../test-support/temp-project.ts'
import { loadProject } from './load-project.ts'

const MEMORY = "import { Memory } from '@retinue/memory'\nexport default new Memory()\n"
/** A store in a file beside it. */
const STORE = `import { LibSQLStore } from '@retinue/libsql'
export default new LibSQLStore({ id: 'of-file', url: 'file:' + import.meta.dirname + '/app.db' })
`
const ON_THREAD = { memory: { thread: 't', resource: 'ada' } }

/** An application: files in its folder, and agents. */
function application(files: Files, agents: Files): string {
  return tempProject(below('src/retinue', { ...files, ...below('agents', agents) }))
}

/** What a module of the application exports, as the application itself has it. */
async function exportsOf(root: string, file: string): Promise<Record<string, unknown>> {
  return (await import(pathToFileURL(join(root, 'src/retinue', file)).href)) as Record<string, unknown>
}

async function say(sup: Agent | undefined, text: string, script: ScriptedModels): Promise<void> {
  await sup?.generate(text, { resolveModel: script.resolveModel, ...ON_THREAD })
}

/** What a thread holds, in words. */
async function heldBy(storage: Storage | undefined, resourceId: string): Promise<string[][]> {
  const { items } = (await storage?.threads.list({ resourceId, limit: 9 })) ?? { items: [] }
  const pages = items.map(({ id: threadId }) =>
    storage?.threads.listMessages({ threadId, resourceId, limit: 99, from: 'newest' }),
  )
  return (await Promise.all(pages)).map((page) => (page?.messages ?? []).map((row) => JSON.stringify(row)))
}

test('B1.11 B6.1 B11.2 memory.ts over storage.ts keeps a conversation in the file; close lets it go', async () => {
  const root = application({ 'storage.ts': STORE }, agent('sup', { 'memory.ts': MEMORY }))
  const { agents, app, close, findings } = await loadProject(root)
  const { sup } = agents
  expect([isAgent(sup), app.getAgent('sup') === sup, app.storage?.id, findings]).toEqual([true, true, 'of-file', []])
  const script = scriptedModels({ sup: [{ text: 'Hello Ada.' }, { text: 'Ada.' }] })
  await say(sup, 'I am Ada.', script)
  await say(sup, 'Who am I?', script)
  expect(script.calls('sup')[1]?.text).toContain('Hello Ada.')
  expect((await heldBy(app.storage, 'ada')).map((thread) => thread.length)).toEqual([4])
  expect(existsSync(join(root, 'src/retinue/app.db'))).toBe(true)
  await close()
  await close()
  await expect(app.storage?.threads.list({ resourceId: 'ada', limit: 1 })).rejects.toMatchObject({
    code: 'storage-closed',
  })
})

test("B11.4 the config's memory wins over memory.ts, as one, as a function, and by turning it off", async () => {
  const head = `import { InMemoryStorage } from '@retinue/core/storage'\nimport { Memory } from '@retinue/memory'\n`
  const own = "new Memory({ storage: new InMemoryStorage({ id: 'own' }) })"
  const withMemory = (value: string): string => `${head}export default { ${MODEL}, memory: ${value} }\n`
  const root = application(
    { 'storage.ts': STORE },
    {
      ...agent('file', { 'memory.ts': MEMORY }),
      ...agent('function', { 'config.ts': withMemory(`() => ${own}`), 'memory.ts': MEMORY }),
      ...agent('off', { 'config.ts': withMemory('undefined'), 'memory.ts': MEMORY }),
      ...agent('own', { 'config.ts': withMemory(own), 'memory.ts': MEMORY }),
    },
  )
  const { agents, findings, close } = await loadProject(root)
  const stores = Object.entries(agents).map(async ([key, each]) => [key, (await each.getMemory())?.storage.id])
  expect(await Promise.all(stores)).toEqual([
    ['file', 'of-file'],
    ['function', 'own'],
    ['off', undefined],
    ['own', 'own'],
  ])
  expect(findings.map(({ code, agentPath }) => [code, ...agentPath])).toEqual(
    ['function', 'off', 'own'].map((key) => ['source-overridden', key]),
  )
  await close()
})

test("B6.3 B6.4 a subagent's memory.ts keeps the prompt and its answer, and nothing else; one without keeps none", async () => {
  const search = { 'tools/search.ts': tool('search') }
  const root = application(
    { 'storage.ts': "import { InMemoryStorage } from '@retinue/core/storage'\nexport default new InMemoryStorage()\n" },
    {
      ...agent('sup', { 'memory.ts': MEMORY }),
      ...agent('sup/subagents/kid', { 'memory.ts': MEMORY, ...search }),
      ...agent('sup/subagents/other', search),
    },
  )
  const { agents, app } = await loadProject(root)
  const ask = (name: string): { name: string; args: { prompt: string } } => ({ name, args: { prompt: 'Count.' } })
  const answer = [{ calls: [{ name: 'search', args: {} }] }, { text: 'Three.' }]
  const script = scriptedModels({
    sup: [{ calls: [ask('kid'), ask('other')] }, { text: 'Done.' }],
    'sup/kid': answer,
    'sup/other': answer,
  })
  await say(agents['sup'], 'Secret plans.', script)
  script.assertDone()
  const [thread, ...more] = await heldBy(app.storage, 'retinue.delegation:3:kid:ada')
  expect([more, thread?.length]).toEqual([[], 2])
  expect([thread?.[0]?.includes('Count.'), thread?.[1]?.includes('Three.')]).toEqual([true, true])
  expect(thread?.join()).not.toMatch(/Secret|search/)
  expect(await heldBy(app.storage, 'ada-other')).toEqual([])
})

test('B1.11 defaults stand in for what the folder does not say, and storage() is only asked then', async () => {
  let asked = 0
  const standIn = new InMemoryStorage({ id: 'stand-in' })
  const storage = async (): Promise<Storage> => {
    asked++
    return standIn
  }
  const bare = application({ 'default-memory.ts': MEMORY }, { ...agent('sup'), ...agent('sup/subagents/kid') })
  const memory = (await exportsOf(bare, 'default-memory.ts'))['default'] as AgentMemory
  const loaded = await loadProject(bare, { defaults: { storage, memory } })
  expect([asked, loaded.app.storage]).toEqual([1, standIn])
  expect((await loaded.agents['sup']?.getMemory())?.storage).toBe(standIn)
  await say(loaded.agents['sup'], 'Hi.', scriptedModels({ sup: [{ text: 'Hello.' }] }))
  await loaded.close()
  expect((await heldBy(standIn, 'ada')).map((thread) => thread.length)).toEqual([2])

  const full = application({ 'storage.ts': STORE }, agent('sup'))
  const { app, agents, close } = await loadProject(full, { defaults: { storage, memory } })
  expect([asked, app.storage?.id]).toEqual([1, 'of-file'])
  expect((await agents['sup']?.getMemory())?.storage.id).toBe('of-file')
  await close()
  const wrong = application({}, agent('sup', { 'config.ts': config('') }))
  await expect(loadProject(wrong, { defaults: { storage } })).rejects.toMatchObject({ code: 'project-invalid' })
  const nothing = await loadProject(application({}, agent('sup')))
  expect([asked, nothing.app.storage, await nothing.agents['sup']?.getMemory()]).toEqual([1, undefined, undefined])
  await nothing.close()
})

test('B1.11 memory.ts of the application is what top-level agents without their own remember with, before defaults', async () => {
  const named = (id: string): string => `import { InMemoryStorage } from '@retinue/core/storage'
import { Memory } from '@retinue/memory'
export default new Memory({ storage: new InMemoryStorage({ id: '${id}' }) })
`
  const root = application(
    { 'storage.ts': STORE, 'memory.ts': MEMORY, 'other.ts': named('default') },
    { ...agent('own', { 'memory.ts': named('own') }), ...agent('sup'), ...agent('sup/subagents/kid') },
  )
  const memory = (await exportsOf(root, 'other.ts'))['default'] as AgentMemory
  const { agents, app, findings, close } = await loadProject(root, { defaults: { memory } })
  expect(findings.filter(({ file }) => !file.endsWith('other.ts'))).toEqual([])
  const stores = ['own', 'sup'].map(async (key) => (await agents[key]?.getMemory())?.storage.id)
  expect(await Promise.all(stores)).toEqual(['own', 'of-file'])
  const ask = { calls: [{ name: 'kid', args: { prompt: 'Count.' } }] }
  const script = scriptedModels({ sup: [ask, { text: 'Three.' }], 'sup/kid': [{ text: 'Three.' }] })
  await say(agents['sup'], 'Count.', script)
  expect((await heldBy(app.storage, 'ada')).length).toBe(1)
  expect(await heldBy(app.storage, 'retinue.delegation:3:kid:ada')).toEqual([])
  await close()
})

test('B1.11 logger.ts gets the warnings of runs; false wins over that of defaults', async () => {
  // Recall without vectors is told.
  const recalling =
    "import { Memory } from '@retinue/memory'\nexport default new Memory({ options: { semanticRecall: true } })\n"
  const logger = 'export const heard = []\nexport default { warn: (message) => void heard.push(message) }\n'
  const heard: string[] = []
  const defaults = {
    storage: () => new InMemoryStorage({ id: 'app' }),
    logger: { warn: (message: string) => void heard.push(message) },
  }
  const run = async (files: Files): Promise<string> => {
    const root = application(files, agent('sup', { 'memory.ts': recalling }))
    const { agents } = await loadProject(root, { defaults })
    await say(agents['sup'], 'Hi.', scriptedModels({ sup: [{ text: 'Hello.' }] }))
    return root
  }
  const root = await run({ 'logger.js': logger })
  expect((await exportsOf(root, 'logger.js'))['heard']).toEqual([expect.stringContaining('memory-recall-lexical')])
  await run({ 'logger.js': 'export default false\n' })
  expect(heard).toEqual([])
  await run({})
  expect(heard).toEqual([expect.stringContaining('memory-recall-lexical')])
})

test('B11.12 close waits for what memories still do, at every level, and then closes the storage whatever became of it', async () => {
  const slow = (name: string, end: string): string => `import { log } from '${name}log.ts'
export default { open() {}, within() { return this }, settled: async () => { await null; log.push('settled'); ${end} } }
`
  const files = {
    'log.ts': 'export const log = []\n',
    'storage.ts': `import { log } from './log.ts'
export default { id: 's', threads: {}, workingMemory: {}, runs: {}, approvals: {}, tasks: {}, close: async () => void log.push('closed') }
`,
  }
  const shared = { ...files, 'memory.js': slow('./', '') }
  const root = application(shared, {
    ...agent('sup', { 'memory.js': slow('../../', '') }),
    ...agent('sup/subagents/kid', { 'memory.js': slow('../../../../', "throw new Error('late')") }),
  })
  const { close } = await loadProject(root)
  await close()
  expect((await exportsOf(root, 'log.ts'))['log']).toEqual(['settled', 'settled', 'settled', 'closed'])
})
