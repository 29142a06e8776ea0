import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  agent,
  agentsProject,
  below,
  config,
  type Files,
  findingsIn,
  findingsOf,
  MODEL,
  tempProject,
  told,
  toldOf,
} from '../../test-support/temp-project.ts'
import { checkProject } from '../check-project.ts'
import { plainFinding } from '../findings/finding.ts'

/** An application with one agent that is in order, and files in its own folder. */
function application(files: Files): string {
  return tempProject(below('src/retinue', { ...below('agents', agent('sup')), ...files }))
}

/** A module that would be a finding if it were loaded. */
const NOT_RUN = "throw new Error('run')\n"
const MEMORY = "import { Memory } from '@retinue/memory'\nexport default new Memory()\n"
const STORE = "import { LibSQLStore } from '@retinue/libsql'\n"
const OWN_CLASS = 'class Own { open() {} within() { return this } }\nexport default new Own()\n'

test('B11.2 memory.ts is read at every level, in every extension, also beside an agent.md: an instance or an object', async () => {
  for (const extension of ['ts', 'mts', 'js', 'mjs']) {
    const name = `memory.${extension}`
    const files = {
      ...agent('sup', { [name]: MEMORY }),
      ...agent('sup/subagents/kid', { [name]: OWN_CLASS }),
      'md/agent.md': '---\nmodel: openai/gpt-5.5\n---\nWork.\n',
      [`md/${name}`]: 'export default { open() {}, within() {} }\n',
    }
    expect(await findingsOf(files)).toEqual([])
    const wrong = await findingsOf(agent('sup', { [name]: 'export default {}\n' }))
    expect(wrong.map(({ code, file }) => [code, file])).toEqual([['memory-invalid', `sup/${name}`]])
  }
})

test('B11.3 memory.ts exports a memory as its default', async () => {
  const files = {
    ...agent('class', { 'memory.ts': "import { Memory } from '@retinue/memory'\nexport default Memory\n" }),
    ...agent('function', { 'memory.ts': 'export default () => undefined\n' }),
    ...agent('half', { 'memory.ts': 'class Half { within() {} }\nexport default new Half()\n' }),
    ...agent('named', { 'memory.mts': 'export const memory = 5\n' }),
    ...agent('none', { 'memory.ts': 'export default undefined\n' }),
    ...agent('options', {
      'memory.ts': '\nexport default {\n  options: { lastMessages: 5 },\n  open: true,\n  within: {},\n}\n',
    }),
    ...agent('promise', { 'memory.ts': 'export default Promise.resolve({ open() {}, within() {} })\n' }),
    ...agent('store', { 'memory.ts': `${STORE}export default new LibSQLStore({ id: 'a', url: 'file:a.db' })\n` }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[default-export-invalid] class/memory.ts:2:16 (class)
      "memory.ts" exports a class as its default
      fix: write: export default new Memory()
    error[default-export-invalid] function/memory.ts:1:16 (function)
      "memory.ts" exports a function as its default
      fix: write: export default new Memory()
    error[memory-invalid] half/memory.ts:2:20 (half)
      "memory.ts" exports an object that is no memory: it has no "open"
      fix: write: export default new Memory(), of @retinue/memory; options are its argument: new Memory({ options: { lastMessages: 20 } })
    error[default-export-invalid] named/memory.mts:1:1 (named)
      "memory.mts" has no default export; it exports only "memory"
      fix: write: export default new Memory()
    error[default-export-invalid] none/memory.ts:1:16 (none)
      "memory.ts" exports undefined as its default
      fix: write: export default new Memory()
    error[memory-invalid] options/memory.ts:2:16 (options)
      "memory.ts" exports an object that is no memory: it has no "open" and "within"
      fix: write: export default new Memory(), of @retinue/memory; options are its argument: new Memory({ options: { lastMessages: 20 } })
    error[default-export-invalid] promise/memory.ts:1:16 (promise)
      "memory.ts" exports a promise as its default
      fix: await it: export default await …
    error[memory-invalid] store/memory.ts:2:20 (store)
      "memory.ts" exports an object that is no memory: it has no "open" and "within"
      fix: write: export default new Memory(), of @retinue/memory; options are its argument: new Memory({ options: { lastMessages: 20 } })"
  `)
})

test('B11.4 memory: the config wins, as a memory, a function or nothing, and memory.ts is not run', async () => {
  const own = `import { Memory } from '@retinue/memory'\nexport default { ${MODEL}, memory: new Memory() }\n`
  const files = {
    ...agent('function', {
      'config.ts': config(`${MODEL}, memory: () => undefined as never`),
      'memory.ts': NOT_RUN,
    }),
    ...agent('given', { 'config.ts': own, 'memory.mjs': NOT_RUN }),
    ...agent('off', { 'config.ts': config(`${MODEL}, memory: undefined as never`), 'memory.ts': NOT_RUN }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[source-overridden] function/memory.ts:1:1 (function)
      memory: "memory in function/config.ts" wins over "function/memory.ts"
      fix: remove one of the two (memory in function/config.ts, function/memory.ts)
    warning[source-overridden] given/memory.mjs:1:1 (given)
      memory: "memory in given/config.ts" wins over "given/memory.mjs"
      fix: remove one of the two (memory in given/config.ts, given/memory.mjs)
    warning[source-overridden] off/memory.ts:1:1 (off)
      memory: "memory in off/config.ts" wins over "off/memory.ts"
      fix: remove one of the two (memory in off/config.ts, off/memory.ts)"
  `)
})

test('B11.1 two modules of one name: memory.ts and storage.ts win over others, and the rest is not run', async () => {
  const files = { 'memory.ts': MEMORY, 'memory.js': NOT_RUN }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/memory.js:1:1 (sup)
      memory: "sup/memory.ts" wins over "sup/memory.js"
      fix: remove one of the two (sup/memory.ts, sup/memory.js)"
  `)
  const both = {
    'storage.js': NOT_RUN,
    'storage.mts': `${STORE}export default new LibSQLStore({ id: 'a', url: 'file:a.db' })\n`,
  }
  expect(told(await findingsIn(application(both)))).toMatchInlineSnapshot(`
    "warning[source-overridden] src/retinue/storage.js:1:1 (the application)
      storage: "src/retinue/storage.mts" wins over "src/retinue/storage.js"
      fix: remove one of the two (src/retinue/storage.mts, src/retinue/storage.js)"
  `)
})

test('B11.10 near misses, and a folder with nothing but a memory', async () => {
  const files = { ...agent('sup', { 'Memory.ts': '', 'memory/a.ts': '' }), 'lone/memory.ts': NOT_RUN }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[entry-ignored] lone:1:1 (the application)
      the folder "lone" is ignored: it holds no config.ts, no instructions.md and no agent.md, so it is no agent
      fix: add "lone/config.ts" and "lone/instructions.md", or remove the folder
    warning[entry-ignored] sup/Memory.ts:1:1 (sup)
      the file "sup/Memory.ts" is ignored: nothing is called that; did you mean "memory.ts"?
      fix: rename it to "memory.ts"
    warning[entry-ignored] sup/memory:1:1 (sup)
      the folder "sup/memory" is ignored: "memory.ts" is a file here, and this is a folder
      fix: make it a file, or remove it"
  `)
})

test('B6.1 a memory in the frontmatter of an agent.md is told where it belongs', async () => {
  const files = { 'sup/agent.md': '---\nmodel: openai/gpt-5.5\nmemory: true\n---\nWork.\n' }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[config-invalid] sup/agent.md:3:9 (sup)
      "memory" can't stand in the frontmatter of an agent.md
      fix: write a memory.ts: a memory is code"
  `)
})

test('instructions may name the tool that a memory brings, at every level, and no other', async () => {
  const text = (tool: string): Files => ({ 'instructions.md': `Call the tool \`${tool}\` when you learn a name.\n` })
  const own = `import { Memory } from '@retinue/memory'\nexport default { ${MODEL}, memory: new Memory() }\n`
  const all = (tool: string): Files => ({
    ...agent('file', { ...text(tool), 'memory.ts': MEMORY }),
    ...agent('file/subagents/kid', { ...text(tool), 'memory.ts': MEMORY }),
    ...agent('own', { ...text(tool), 'config.ts': own }),
  })
  expect(await findingsOf(all('updateWorkingMemory'))).toEqual([])
  const found = await findingsOf(all('update_notes'))
  expect(found.map(({ code, agentPath }) => [code, ...agentPath])).toEqual([
    ['instructions-name-unknown', 'file'],
    ['instructions-name-unknown', 'file', 'kid'],
    ['instructions-name-unknown', 'own'],
  ])
  const [none] = await findingsOf(agent('none', text('updateWorkingMemory')))
  expect(none?.code).toBe('instructions-name-unknown')
  // The application's memory is that of its top-level agents alone.
  const agents = {
    ...agent('sup', text('updateWorkingMemory')),
    ...agent('sup/subagents/kid', text('updateWorkingMemory')),
  }
  const shared = await findingsIn(application({ 'memory.ts': MEMORY, ...below('agents', agents) }))
  expect(shared.map(({ code, agentPath }) => [code, ...agentPath])).toEqual([
    ['instructions-name-unknown', 'sup', 'kid'],
  ])
})

test('B1.11 memory.ts of the application: what is none is told, as is what is no export of one', async () => {
  expect(told(await findingsIn(application({ 'memory.ts': 'export default {}\n' })))).toMatchInlineSnapshot(`
    "error[memory-invalid] src/retinue/memory.ts:1:16 (the application)
      "memory.ts" exports an object that is no memory: it has no "open" and "within"
      fix: write: export default new Memory(), of @retinue/memory; options are its argument: new Memory({ options: { lastMessages: 20 } })"
  `)
  const codes = (await findingsIn(application({ 'memory.mjs': 'export default () => 5\n' }))).map(({ code }) => code)
  expect(codes).toEqual(['default-export-invalid'])
})

test('B11.2 storage.ts and logger.ts of the application, in every extension', async () => {
  for (const extension of ['ts', 'mts', 'js', 'mjs']) {
    const storage = `${STORE}export default new LibSQLStore({ id: 'app', url: 'file:app.db' })\n`
    const root = application({ [`storage.${extension}`]: storage, [`logger.${extension}`]: 'export default console\n' })
    expect(await findingsIn(root)).toEqual([])
  }
  const inProcess = "import { InMemoryStorage } from '@retinue/core/storage'\nexport default new InMemoryStorage()\n"
  const root = application({ 'storage.ts': inProcess, 'logger.ts': 'export default false\n' })
  expect(await findingsIn(root)).toEqual([])
})

test('B1.11 what is no storage and no logger', async () => {
  const stored = async (text: string): Promise<string> => told(await findingsIn(application({ 'storage.ts': text })))
  const logged = async (text: string): Promise<string> => told(await findingsIn(application({ 'logger.ts': text })))
  const vector =
    "import { LibSQLVector } from '@retinue/libsql'\n\nexport default new LibSQLVector({ id: 'v', url: 'file:a.db' })\n"
  expect(await stored(vector)).toMatchInlineSnapshot(`
    "error[storage-invalid] src/retinue/storage.ts:3:20 (the application)
      "storage.ts" exports an object that is no storage: it has no "threads", "workingMemory", "runs", "approvals" and "tasks"
      fix: write: export default new LibSQLStore({ id: 'app', url: 'file:app.db' }), of @retinue/libsql"
  `)
  expect(
    await stored(
      'export default { threads: {}, workingMemory: {}, runs: {}, approvals: {}, tasks: {}, close: true }\n',
    ),
  ).toMatchInlineSnapshot(`
    "error[storage-invalid] src/retinue/storage.ts:1:16 (the application)
      "storage.ts" exports an object that is no storage: it has no "close"
      fix: write: export default new LibSQLStore({ id: 'app', url: 'file:app.db' }), of @retinue/libsql"
  `)
  expect(await stored("export const storage = 'file:app.db'\n")).toMatchInlineSnapshot(`
    "error[default-export-invalid] src/retinue/storage.ts:1:1 (the application)
      "storage.ts" has no default export; it exports only "storage"
      fix: write: export default new LibSQLStore({ id: 'app', url: 'file:app.db' })"
  `)
  expect(await logged('export default { warn: true, error() {} }\n')).toMatchInlineSnapshot(`
    "error[logger-invalid] src/retinue/logger.ts:1:16 (the application)
      "logger.ts" exports an object that is no logger: it has no "warn"
      fix: write: export default console, or an object with a method warn(message), or false for no warnings at all"
  `)
  expect(await logged('export default true\n')).toMatchInlineSnapshot(`
    "error[default-export-invalid] src/retinue/logger.ts:1:16 (the application)
      "logger.ts" exports a boolean as its default
      fix: write: export default console"
  `)
})

test('B11.10 B11.11 what can not be read, parsed or loaded in the folder of the application', async () => {
  const files = {
    'storage.ts': "import './db.ts'\nexport default {}\n",
    'db.ts': 'not ( parsed\n',
    'logger.ts': NOT_RUN,
  }
  expect(told(await findingsIn(application(files)))).toMatchInlineSnapshot(`
    "error[syntax-error] src/retinue/db.ts:2:1 (the application)
      Expected \`)\` but found \`EOF\`
      fix: correct the syntax at this place; what is missing may stand earlier
    error[module-failed] src/retinue/logger.ts:1:7 (the application)
      "src/retinue/logger.ts" could not be loaded: Error: run
      fix: make the module load without an error; what needs a key or a service belongs into a tool"
  `)
  const utf16 = new Uint8Array([0xff, 0xfe, 0x41, 0])
  expect(told(await findingsIn(application({ 'storage.ts': utf16 })))).toMatchInlineSnapshot(`
    "error[file-unreadable] src/retinue/storage.ts:1:1 (the application)
      "src/retinue/storage.ts" can't be read: it is UTF-16; only UTF-8 is read
      fix: save it as UTF-8"
  `)
})

test('B11.10 what storage.ts imports is passed over, and what it needs of package.json is told', async () => {
  const files = {
    'storage.ts': `export { store as default } from './db/store.ts'\n`,
    'db/store.ts': `${STORE}export const store = new LibSQLStore({ id: 'a', url: 'file:a.db' })\n`,
  }
  expect(await findingsIn(application(files))).toEqual([])
  const root = tempProject({
    ...below('src/retinue', {
      'agents/sup/agent.md': '---\nmodel: openai/gpt-5.5\n---\nWork.\n',
      'logger.ts': 'export default console\n',
    }),
    'package.json': '{}',
  })
  expect((await findingsIn(root)).map(({ code }) => code)).toEqual(['module-type-missing'])
})

test('B11.2 slots of the application mean nothing in an agent, and those of an agent nothing in the application', async () => {
  expect(await toldOf(agent('sup', { 'storage.ts': NOT_RUN }))).toMatchInlineSnapshot(`
    "warning[entry-ignored] sup/storage.ts:1:1 (sup)
      the file "sup/storage.ts" is ignored: of files, only "config.ts", "agent.md", "instructions.md", "instructions.ts", "hooks.ts", "workspace.ts", "memory.ts" are read here
      fix: move it elsewhere, or remove it; a file that an agent's own modules import may stay"
  `)
  expect(told(await findingsIn(application({ 'hooks.ts': NOT_RUN })))).toMatchInlineSnapshot(`
    "warning[entry-ignored] src/retinue/hooks.ts:1:1 (the application)
      the file "src/retinue/hooks.ts" is ignored: of files, only "storage.ts", "memory.ts", "logger.ts", "backgroundTasks.ts", "server.ts", "index.ts" are read here
      fix: move it elsewhere, or remove it; a file that an agent's own modules import may stay"
  `)
})

test('B11.11 B11.12 check finds the same in a process of its own, and opens no storage', async () => {
  const root = application({
    'storage.ts': `${STORE}export default new LibSQLStore({ id: 'app', url: 'file:' + import.meta.dirname + '/app.db' })\n`,
    'logger.ts': 'export default { warning() {} }\n',
    'agents/sup/memory.ts': `${STORE}import { Memory } from '@retinue/memory'
export default new Memory({ storage: new LibSQLStore({ id: 'm', url: 'file:' + import.meta.dirname + '/own.db' }) })
`,
    'agents/bad/agent.md': '---\nmodel: openai/gpt-5.5\n---\nWork.\n',
    'agents/bad/memory.ts': 'export default {}\n',
  })
  const { findings } = await checkProject(root)
  expect(findings.map(({ code }) => code)).toEqual(['memory-invalid', 'logger-invalid'])
  expect(findings.map(plainFinding)).toEqual(await findingsIn(root))
  for (const file of ['app.db', 'agents/sup/own.db']) expect(existsSync(join(root, 'src/retinue', file))).toBe(false)
})

test('B11.11 a storage.ts that hangs is told as a module of the application', async () => {
  const root = application({ 'storage.ts': 'await new Promise(() => setInterval(() => {}, 1000))\n' })
  const { findings } = await checkProject(root, { timeoutMs: 2500 })
  expect(findings.map(({ code, file, agentPath }) => [code, file, agentPath])).toEqual([
    ['load-timeout', 'src/retinue/storage.ts', []],
  ])
})

test('B11.7 the memory of a subagent that is overridden is not run', async () => {
  const own = `import { Agent } from '@retinue/core/agent'
const kid = new Agent({ id: 'kid', description: 'Helps out.', model: 'openai/b', instructions: 'Work.' })
export default { ${MODEL}, agents: { kid } }
`
  const root = agentsProject({
    ...agent('sup', { 'config.ts': own }),
    ...agent('sup/subagents/kid', { 'memory.ts': NOT_RUN }),
  })
  expect((await findingsIn(root)).map(({ code }) => code)).toEqual(['subagent-overridden'])
})
