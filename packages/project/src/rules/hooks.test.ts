import { expect, test } from 'vitest'
import {
  agent,
  agentsProject,
  codesOfBoth,
  config,
  type Files,
  findingsOf,
  MODEL,
  subagentConfig,
  toldOf,
} from '../../test-support/temp-project.ts'

/** A module that would be a finding if it were loaded. */
const NOT_RUN = "throw new Error('run')\n"

const HOOKS = 'export default { onDelegationStart() {}, messageFilter: ({ messages }) => messages }\n'

/** An agent with one subagent, so that its hooks have something to run on. */
function lead(dir: string, files: Files): Files {
  return { ...agent(dir, files), ...agent(`${dir}/subagents/kid`) }
}

test('B11.2 hooks.ts is read at every level, in every extension, also beside an agent.md', async () => {
  for (const extension of ['ts', 'mts', 'js', 'mjs']) {
    const name = `hooks.${extension}`
    const all = `export default {
      onDelegationStart: async () => {}, onDelegationComplete() {}, messageFilter: () => [], context: 'none',
      includeSubAgentToolResultsInModelContext: true, enableResultReferences: false, hookErrorStrategy: 'warn',
    }\n`
    const files = {
      ...lead('sup', { [name]: all }),
      ...lead('sup/subagents/kid', { [name]: 'export default { context: undefined }\n' }),
      'md/agent.md': '---\nmodel: openai/gpt-5.5\n---\nWork.\n',
      [`md/${name}`]: HOOKS,
      ...agent('md/subagents/kid'),
    }
    expect(await findingsOf(files)).toEqual([])
  }
})

test('B11.3 hooks.ts exports a plain object of hooks as its default', async () => {
  const files = {
    ...lead('class', { 'hooks.ts': 'export default class Hooks {}\n' }),
    ...lead('function', { 'hooks.ts': 'export default function onDelegationStart() {}\n' }),
    ...lead('instance', { 'hooks.ts': 'export default new Map()\n' }),
    ...lead('list', { 'hooks.ts': 'export default []\n' }),
    ...lead('named', {
      'hooks.mts':
        'const help = () => []\nexport const messageFilter = help, onDelegationStart = () => {}\nexport { help }\n',
    }),
    ...lead('other', { 'hooks.ts': 'export const filter = () => []\n' }),
    ...lead('promise', { 'hooks.ts': 'export default Promise.resolve({})\n' }),
    ...lead('thenable', { 'hooks.ts': 'export default { then() {} }\n' }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[default-export-invalid] class/hooks.ts:1:16 (class)
      "hooks.ts" exports a class as its default
      fix: write: export default { onDelegationStart: (context) => { … } }
    error[default-export-invalid] function/hooks.ts:1:16 (function)
      "hooks.ts" exports a function as its default
      fix: write: export default { onDelegationStart: (context) => { … } }
    error[default-export-invalid] instance/hooks.ts:1:20 (instance)
      "hooks.ts" exports an object of class Map as its default
      fix: write: export default { onDelegationStart: (context) => { … } }
    error[default-export-invalid] list/hooks.ts:1:16 (list)
      "hooks.ts" exports a list as its default
      fix: write: export default { onDelegationStart: (context) => { … } }
    error[default-export-invalid] named/hooks.mts:1:1 (named)
      "hooks.mts" has no default export; it exports only "help", "messageFilter" and "onDelegationStart"
      fix: write: export default { messageFilter, onDelegationStart }
    error[default-export-invalid] other/hooks.ts:1:1 (other)
      "hooks.ts" has no default export; it exports only "filter"
      fix: write: export default { onDelegationStart: (context) => { … } }
    error[default-export-invalid] promise/hooks.ts:1:16 (promise)
      "hooks.ts" exports a promise as its default
      fix: await it: export default await …
    error[default-export-invalid] thenable/hooks.ts:1:16 (thenable)
      "hooks.ts" exports a promise as its default
      fix: await it: export default await …"
  `)
})

test('B11.10 a hook that is exported beside the default export is told; other exports are helpers', async () => {
  const hooks = `const start = () => {}
export const onDelegationStart = start
export const messageFilter = () => []
export const keep = 3
export default { onDelegationStart }
`
  expect(await toldOf(lead('sup', { 'hooks.ts': hooks }))).toMatchInlineSnapshot(`
    "warning[hook-export-ignored] sup/hooks.ts:5:16 (sup)
      the export "messageFilter" of "sup/hooks.ts" is ignored: it is no member of the default export
      fix: write: export default { …, messageFilter }"
  `)
})

test('B3 members that are no functions, unknown names with what was meant, and values that no option takes', async () => {
  const wrong = `const shared = { onDelegationComplete: null }
export default {
  ...shared,
  onDelegationStart: 5,
  messageFilter: class {},
  onDelegationStarted() {},
  onIterationComplete() {},
  context: 'all',
  hookErrorStrategy: true,
  enableResultReferences: 'yes',
  includeSubAgentToolResultsInModelContext: 1,
}
`
  expect(await toldOf(lead('sup', { 'hooks.ts': wrong }))).toMatchInlineSnapshot(`
    "error[hooks-invalid] sup/hooks.ts:2:16 (sup)
      onDelegationComplete is null
      fix: write onDelegationComplete: (context) => { … }, or leave onDelegationComplete out
    error[hooks-invalid] sup/hooks.ts:4:22 (sup)
      onDelegationStart is a number
      fix: write onDelegationStart: (context) => { … }, or leave onDelegationStart out
    error[hooks-invalid] sup/hooks.ts:5:18 (sup)
      messageFilter is a class
      fix: write messageFilter: (context) => { … }, or leave messageFilter out
    error[hooks-invalid] sup/hooks.ts:6:3 (sup)
      "onDelegationStarted" means nothing here
      fix: did you mean "onDelegationStart"? known are onDelegationStart, onDelegationComplete, messageFilter, context, includeSubAgentToolResultsInModelContext, enableResultReferences, hookErrorStrategy
    error[hooks-invalid] sup/hooks.ts:7:3 (sup)
      "onIterationComplete" means nothing here
      fix: known are onDelegationStart, onDelegationComplete, messageFilter, context, includeSubAgentToolResultsInModelContext, enableResultReferences, hookErrorStrategy
    error[hooks-invalid] sup/hooks.ts:8:12 (sup)
      context is "all"
      fix: write context: 'none', or leave context out
    error[hooks-invalid] sup/hooks.ts:9:22 (sup)
      hookErrorStrategy is a boolean
      fix: write hookErrorStrategy: 'throw' or 'warn', or leave hookErrorStrategy out
    error[hooks-invalid] sup/hooks.ts:10:27 (sup)
      enableResultReferences is "yes"
      fix: write enableResultReferences: true, or leave enableResultReferences out
    error[hooks-invalid] sup/hooks.ts:11:45 (sup)
      includeSubAgentToolResultsInModelContext is a number
      fix: write includeSubAgentToolResultsInModelContext: true, or leave includeSubAgentToolResultsInModelContext out"
  `)
})

test("B11.4 hooks: the config's win, hook by hook, at the line of each hook that loses", async () => {
  const own = `${MODEL}, defaultOptions: { delegation: { messageFilter: () => [], context: 'none', onDelegationStart: undefined, hookErrorStrategy: 'warn' } }`
  const hooks = `export default {
  onDelegationStart() {},
  messageFilter: ({ messages }) => messages,
  context: 'none',
  hookErrorStrategy: undefined,
}
`
  const files = {
    ...lead('sup', { 'config.ts': config(own), 'hooks.ts': hooks }),
    'md/agent.md': '---\nmodel: openai/gpt-5.5\ndefaultOptions: { delegation: { context: none } }\n---\nWork.\n',
    'md/hooks.ts': "const more = { context: 'none' }\nexport default { ...more }\n",
    ...agent('md/subagents/kid'),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[source-overridden] md/hooks.ts:2:16 (md)
      option "context": "defaultOptions.delegation.context in md/agent.md" wins over "context in md/hooks.ts"
      fix: remove one of the two (defaultOptions.delegation.context in md/agent.md, context in md/hooks.ts)
    warning[source-overridden] sup/hooks.ts:3:3 (sup)
      hook "messageFilter": "defaultOptions.delegation.messageFilter in sup/config.ts" wins over "messageFilter in sup/hooks.ts"
      fix: remove one of the two (defaultOptions.delegation.messageFilter in sup/config.ts, messageFilter in sup/hooks.ts)
    warning[source-overridden] sup/hooks.ts:4:3 (sup)
      option "context": "defaultOptions.delegation.context in sup/config.ts" wins over "context in sup/hooks.ts"
      fix: remove one of the two (defaultOptions.delegation.context in sup/config.ts, context in sup/hooks.ts)"
  `)
})

test("B11.8 a member that loses to the config's is not checked", async () => {
  const own = `${MODEL}, defaultOptions: { delegation: { messageFilter: () => [] } }`
  const files = lead('sup', { 'config.ts': config(own), 'hooks.ts': 'export default { messageFilter: 5 }\n' })
  expect((await findingsOf(files)).map(({ code }) => code)).toEqual(['source-overridden'])
})

test('B11.4 default options that are a function: what they win over is not known, and nothing is said', async () => {
  const own = `${MODEL}, defaultOptions: () => ({ delegation: { messageFilter: () => [] } })`
  expect(await findingsOf(lead('sup', { 'config.ts': config(own), 'hooks.ts': HOOKS }))).toEqual([])
})

test('B11.10 hooks of an agent that has nobody to delegate to', async () => {
  const coded = `import { Agent } from '@retinue/core/agent'
const kid = new Agent({ id: 'kid', description: 'Helps out.', model: 'openai/b', instructions: 'Work.' })
export default { ${MODEL}, agents: { kid } }
`
  const files = {
    ...agent('alone', { 'hooks.ts': HOOKS, 'subagents/notes/a.txt': '' }),
    ...agent('coded', { 'hooks.ts': HOOKS, 'config.ts': coded }),
    ...agent('dynamic', { 'hooks.ts': HOOKS, 'config.ts': config(`${MODEL}, agents: () => ({})`) }),
    ...lead('sup', { 'hooks.ts': HOOKS, 'subagents/kid/hooks.ts': HOOKS }),
    ...agent('unknown', { 'hooks.ts': HOOKS, 'config.ts': 'export default {' }),
    ...agent('wrong', { 'hooks.ts': HOOKS, 'config.ts': config(`${MODEL}, agents: 3 as never`) }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[hooks-unused] alone/hooks.ts:1:1 (alone)
      the hooks in "alone/hooks.ts" never run: agent "alone" has no subagents
      fix: put a subagent into "alone/subagents/", or remove the file
    warning[entry-ignored] alone/subagents/notes:1:1 (alone)
      the folder "alone/subagents/notes" is ignored: it holds no config.ts, no instructions.md and no agent.md, so it is no agent
      fix: add "notes/config.ts" and "notes/instructions.md", or remove the folder
    warning[hooks-unused] sup/subagents/kid/hooks.ts:1:1 (sup > kid)
      the hooks in "sup/subagents/kid/hooks.ts" never run: agent "kid" has no subagents
      fix: put a subagent into "sup/subagents/kid/subagents/", or remove the file
    error[syntax-error] unknown/config.ts:1:17 (unknown)
      Expected \`}\` but found \`EOF\`
      fix: correct the syntax at this place; what is missing may stand earlier
    error[config-invalid] wrong/config.ts:2:63 (wrong)
      config.agents is a number
      fix: write an object of agents by their keys, or a function that gives one"
  `)
})

test('B11.8 hooks of what is overridden, ignored or too deep are not run', async () => {
  const coded = `import { Agent } from '@retinue/core/agent'
const kid = new Agent({ id: 'kid', description: 'Helps out.', model: 'openai/b', instructions: 'Work.' })
export default { ${MODEL}, agents: { kid } }
`
  const deep = 'sup/subagents/a/subagents/b/subagents/c/subagents/d'
  const files = {
    ...agent('coded', { 'config.ts': coded }),
    ...agent('coded/subagents/kid', { 'hooks.ts': NOT_RUN }),
    ...agent('dynamic', { 'config.ts': config(`${MODEL}, agents: () => ({})`) }),
    ...agent('dynamic/subagents/kid', { 'hooks.ts': NOT_RUN }),
    ...agent('sup'),
    ...agent('sup/subagents/a'),
    ...agent('sup/subagents/a/subagents/b'),
    ...agent('sup/subagents/a/subagents/b/subagents/c'),
    ...agent(deep, { 'hooks.ts': NOT_RUN }),
  }
  const codes = (await findingsOf(files)).map(({ code }) => code)
  expect(codes.sort()).toEqual(['subagent-overridden', 'subagents-ignored', 'subagents-too-deep'])
})

test('B11.1 two modules of hooks: the better extension wins, and the other is not run', async () => {
  expect(await toldOf(lead('sup', { 'hooks.ts': HOOKS, 'hooks.js': NOT_RUN }))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/hooks.js:1:1 (sup)
      hooks: "sup/hooks.ts" wins over "sup/hooks.js"
      fix: remove one of the two (sup/hooks.ts, sup/hooks.js)"
  `)
})

test('B11.10 near misses of hooks.ts, and a folder that hooks.ts alone does not make an agent', async () => {
  const files = {
    ...agent('folder', { 'hooks/index.ts': '' }),
    ...agent('near', { 'Hooks.ts': '', 'hook.ts': '', 'hooks.tsx': '' }),
    'half/hooks.ts': HOOKS,
    'node_modules/hooks.ts': '',
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[entry-ignored] folder/hooks:1:1 (folder)
      the folder "folder/hooks" is ignored: "hooks.ts" is a file here, and this is a folder
      fix: make it a file, or remove it
    warning[entry-ignored] half:1:1 (the application)
      the folder "half" is ignored: it holds no config.ts, no instructions.md and no agent.md, so it is no agent
      fix: add "half/config.ts" and "half/instructions.md", or remove the folder
    warning[entry-ignored] near/Hooks.ts:1:1 (near)
      the file "near/Hooks.ts" is ignored: nothing is called that; did you mean "hooks.ts"?
      fix: rename it to "hooks.ts"
    warning[entry-ignored] near/hook.ts:1:1 (near)
      the file "near/hook.ts" is ignored: nothing is called that; did you mean "hooks.ts"?
      fix: rename it to "hooks.ts"
    warning[entry-ignored] near/hooks.tsx:1:1 (near)
      the file "near/hooks.tsx" is ignored: nothing is called that; did you mean "hooks.ts"?
      fix: rename it to "hooks.ts""
  `)
})

test('B11.10 what hooks.ts imports is passed over, and told where it does not load', async () => {
  const hooks = "import { filter } from './lib/filter'\nexport default { messageFilter: filter }\n"
  const files = { 'hooks.ts': hooks, 'lib/filter.ts': 'export const filter = () => []\n' }
  expect(await findingsOf(lead('sup', files))).toEqual([])
  expect(await toldOf(lead('sup', { ...files, 'lib/filter.ts': 'const a = 1\nconst a = 2\n' }))).toMatchInlineSnapshot(`
    "error[syntax-error] sup/lib/filter.ts:2:7 (sup)
      Identifier \`a\` has already been declared
      fix: correct the syntax at this place; what is missing may stand earlier"
  `)
  expect(await toldOf(lead('sup', { 'hooks.ts': "\nthrow new Error('boom')\n" }))).toMatchInlineSnapshot(`
    "error[module-failed] sup/hooks.ts:2:7 (sup)
      "sup/hooks.ts" could not be loaded: Error: boom
      fix: make the module load without an error; what needs a key or a service belongs into a tool"
  `)
})

test('B11.11 the same findings about hooks, whether modules load in this process or in another', async () => {
  const own = `${MODEL}, defaultOptions: { delegation: { messageFilter: () => [] } }`
  const wrong = `export const messageFilter = () => [], onDelegationStart = 1
export default { messageFilter, context: 'all', onDelegationComplete: {}, enableResultReferences() {}, odd: 1 }
`
  const root = agentsProject({
    ...lead('named', { 'hooks.ts': 'export const messageFilter = () => []\n' }),
    ...agent('sup', { 'config.ts': config(own), 'hooks.ts': wrong }),
    ...agent('sup/subagents/kid', { 'config.ts': subagentConfig(), 'hooks.ts': HOOKS }),
  })
  expect(await codesOfBoth(root)).toEqual([
    'default-export-invalid',
    'hook-export-ignored',
    'hooks-invalid',
    'hooks-invalid',
    'hooks-invalid',
    'hooks-invalid',
    'hooks-unused',
    'source-overridden',
  ])
})
