import { expect, test } from 'vitest'
import { agent, config, type Files, findingsOf, MODEL, toldOf, tool } from '../../test-support/temp-project.ts'

test('B11.3 a model is required: no config, none in it, a blank one', async () => {
  const files: Files = {
    'bare/instructions.md': 'Work.',
    ...agent('none', { 'config.ts': config("name: 'None'") }),
    ...agent('blank', { 'config.ts': config("model: ' '") }),
    'coded/config.ts': `import { Agent } from '@retinue/core/agent'\nexport default new Agent({ id: 'x' })\n`,
  }
  const given =
    "import { Agent } from '@retinue/core/agent'\nexport default new Agent({ id: 'y', model: 'openai/b' })\n"
  expect(await findingsOf({ 'given/config.ts': given })).toEqual([])
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[model-missing] bare/instructions.md:1:1 (bare)
      agent "bare" has no model
      fix: add "bare/config.ts" with: export default agentConfig({ model: 'openai/gpt-5.5' })
    error[model-missing] blank/config.ts:2:37 (blank)
      agent "blank" has no model
      fix: write model: 'openai/gpt-5.5', or another 'provider/model', or an AI SDK model
    error[model-missing] coded/config.ts:2:20 (coded)
      agent "coded" has no model
      fix: write model: 'openai/gpt-5.5', or another 'provider/model', or an AI SDK model
    error[model-missing] none/config.ts:2:16 (none)
      agent "none" has no model
      fix: write model: 'openai/gpt-5.5', or another 'provider/model', or an AI SDK model"
  `)
})

test('B1.2 a model is a string, an AI SDK object, a list of those, or a function', async () => {
  const object = "{ specificationVersion: 'v3', provider: 'p', modelId: 'm', doStream() {} } as never"
  const good = ["'openai/b'", object, `['openai/b', ${object}]`, "() => 'openai/b'"]
  for (const model of good)
    expect(await findingsOf(agent('sup', { 'config.ts': config(`model: ${model}`) }))).toEqual([])
  expect(await toldOf(agent('sup', { 'config.ts': config('model: {} as never') }))).toMatchInlineSnapshot(`
    "error[config-invalid] sup/config.ts:2:37 (sup)
      config.model is an object
      fix: write 'provider/model', an AI SDK model, a list of those, or a function that gives one"
  `)
})

test('B11.3 instructions are required', async () => {
  expect(await toldOf({ 'sup/config.ts': config() })).toMatchInlineSnapshot(`
    "error[instructions-missing] sup/config.ts:2:16 (sup)
      agent "sup" has no instructions
      fix: write them into "sup/instructions.md""
  `)
  expect(await findingsOf({ 'sup/config.ts': config(`${MODEL}, instructions: 'Work.'`) })).toEqual([])
})

test('B11.3 instructions that are there but empty are a warning, not missing', async () => {
  const files = {
    'md/config.ts': config(),
    'md/instructions.md': '\uFEFF \r\n',
    'ts/config.ts': config(),
    'ts/instructions.ts': "export default ['  ', { role: 'system', content: '' }]\n",
    'own/config.ts': config(`${MODEL}, instructions: ''`),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[instructions-empty] md/instructions.md:1:1 (md)
      the instructions of "md" are empty
      fix: say what the agent is for and how it works
    warning[instructions-empty] own/config.ts:2:69 (own)
      the instructions of "own" are empty
      fix: say what the agent is for and how it works
    warning[instructions-empty] ts/instructions.ts:1:16 (ts)
      the instructions of "ts" are empty
      fix: say what the agent is for and how it works"
  `)
})

test('B11.3 instructions.ts may export text, a message, a list or a function', async () => {
  for (const value of ["'Work.'", "{ role: 'system', content: 'Work.' }", "['Work.']", "async () => 'Work.'"]) {
    const found = await findingsOf({ 'sup/config.ts': config(), 'sup/instructions.ts': `export default ${value}\n` })
    expect(found).toEqual([])
  }
})

const DEFAULTS: Record<string, string> = {
  none: 'export const a = 1, b = 2\n',
  number: 'export default 5\n',
  nothing: 'export default null\n',
  list: 'export default []\n',
  function: 'export default () => ({})\n',
  promise: 'export default Promise.resolve({})\n',
  rejected: "export default Promise.reject(new Error('later'))\n",
  thenable: 'export default { then() {} }\n',
  class: 'export default class Config {}\n',
  instance: 'export default new Map()\n',
  named: 'const five = 5\nexport { five as default }\n',
}

test('B11.3 a config exports a plain object or an Agent', async () => {
  const configs = Object.entries(DEFAULTS).map(([name, text]): [string, string] => [`${name}/config.ts`, text])
  expect(await toldOf(Object.fromEntries([...configs, ['tool/config.ts', tool()]]))).toMatchInlineSnapshot(`
    "error[default-export-invalid] class/config.ts:1:16 (class)
      "config.ts" exports a class as its default
      fix: write: export default agentConfig({ model: 'openai/gpt-5.5' })
    error[default-export-invalid] function/config.ts:1:16 (function)
      "config.ts" exports a function as its default
      fix: write: export default agentConfig({ model: 'openai/gpt-5.5' })
    error[default-export-invalid] instance/config.ts:1:20 (instance)
      "config.ts" exports an object of class Map as its default
      fix: write: export default agentConfig({ model: 'openai/gpt-5.5' })
    error[default-export-invalid] list/config.ts:1:16 (list)
      "config.ts" exports a list as its default
      fix: write: export default agentConfig({ model: 'openai/gpt-5.5' })
    error[default-export-invalid] named/config.ts:1:14 (named)
      "config.ts" exports a number as its default
      fix: write: export default agentConfig({ model: 'openai/gpt-5.5' })
    error[default-export-invalid] none/config.ts:1:1 (none)
      "config.ts" has no default export; it exports only "a" and "b"
      fix: write: export default agentConfig({ model: 'openai/gpt-5.5' })
    error[default-export-invalid] nothing/config.ts:1:16 (nothing)
      "config.ts" exports null as its default
      fix: write: export default agentConfig({ model: 'openai/gpt-5.5' })
    error[default-export-invalid] number/config.ts:1:16 (number)
      "config.ts" exports a number as its default
      fix: write: export default agentConfig({ model: 'openai/gpt-5.5' })
    error[default-export-invalid] promise/config.ts:1:16 (promise)
      "config.ts" exports a promise as its default
      fix: await it: export default await …
    error[default-export-invalid] rejected/config.ts:1:16 (rejected)
      "config.ts" exports a promise as its default
      fix: await it: export default await …
    error[default-export-invalid] thenable/config.ts:1:16 (thenable)
      "config.ts" exports a promise as its default
      fix: await it: export default await …
    error[default-export-invalid] tool/config.ts:2:16 (tool)
      "config.ts" exports a tool as its default
      fix: write: export default agentConfig({ model: 'openai/gpt-5.5' })"
  `)
})

test('B11.3 a tool file exports a tool, and instructions.ts instructions', async () => {
  const files = { 'tools/a.ts': 'export default 5\n', 'tools/b.ts': 'export const b = 1\n', 'tools/c.ts': tool() }
  const wrong = { ...files, 'instructions.ts': 'export default [5]\n' }
  expect(await toldOf({ 'sup/config.ts': config(), ...agent('other', wrong) })).toMatchInlineSnapshot(`
    "warning[source-overridden] other/instructions.md:1:1 (other)
      instructions: "other/instructions.ts" wins over "other/instructions.md"
      fix: remove one of the two (other/instructions.ts, other/instructions.md)
    error[default-export-invalid] other/instructions.ts:1:16 (other)
      "instructions.ts" exports a list as its default
      fix: write: export default 'You …'
    error[default-export-invalid] other/tools/a.ts:1:16 (other)
      "tools/a.ts" exports a number as its default
      fix: write: export default createTool({ id, description, inputSchema, execute })
    error[default-export-invalid] other/tools/b.ts:1:1 (other)
      "tools/b.ts" has no default export; it exports only "b"
      fix: write: export default createTool({ id, description, inputSchema, execute })
    error[instructions-missing] sup/config.ts:2:16 (sup)
      agent "sup" has no instructions
      fix: write them into "sup/instructions.md""
  `)
})

test('B11.3 fields of a config that hold what they can not hold', async () => {
  const wrong = `id: 7, name: {}, description: [], model: 5, instructions: 8, tools: [], agents: 3`
  const inside = `${MODEL}, id: ' ', tools: { x: 5 }, agents: { y: {} }`
  const files = { 'a/config.ts': config(`...({ ${wrong} } as {})`), 'b/config.ts': `export default { ${inside} }\n` }
  expect(await toldOf({ ...files, 'b/instructions.md': 'Work.' })).toMatchInlineSnapshot(`
    "error[config-invalid] a/config.ts:2:16 (a)
      config.agents is a number
      fix: write an object of agents by their keys, or a function that gives one
    error[config-invalid] a/config.ts:2:16 (a)
      config.description is a list
      fix: write text, or leave description out
    error[config-invalid] a/config.ts:2:16 (a)
      config.id is a number
      fix: write text, or leave id out
    error[config-invalid] a/config.ts:2:16 (a)
      config.instructions is a number
      fix: write text, a system message, a list of those, or a function that gives one of them
    error[config-invalid] a/config.ts:2:16 (a)
      config.model is a number
      fix: write 'provider/model', an AI SDK model, a list of those, or a function that gives one
    error[config-invalid] a/config.ts:2:16 (a)
      config.name is an object
      fix: write text, or leave name out
    error[config-invalid] a/config.ts:2:16 (a)
      config.tools is a list
      fix: write an object of tools by their names, or a function that gives one
    error[config-invalid] b/config.ts:1:47 (b)
      config.id is blank
      fix: write text, or leave id out
    error[config-invalid] b/config.ts:1:64 (b)
      config.tools.x is a number, not a tool
      fix: write createTool({ id, description, inputSchema, execute })
    error[config-invalid] b/config.ts:1:82 (b)
      config.agents.y is an object, not an agent
      fix: write new Agent({ id, description, instructions, model })"
  `)
})

test('B11.8 instructions that lose are not checked', async () => {
  const files = agent('sup', { 'config.ts': config(`${MODEL}, instructions: 8 as never`) })
  expect((await findingsOf(files)).map(({ code }) => code)).toEqual(['source-overridden'])
})

test('B1.1 what core does not take is told before an agent is made', async () => {
  const files = agent('sup', { 'config.ts': `export default {\n  ${MODEL},\n  maxDepht: 3,\n}\n` })
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[config-invalid] sup/config.ts:3:13 (sup)
      The agent "sup" has options that are not known: maxDepht.
      fix: Known are id, name, description, instructions, model, tools, agents, memory, workspace, skills, inputProcessors, outputProcessors, defaultOptions, inputSchema, outputSchema, relay, delegation, budget, scorers, maxDepth, maxRetries, requireToolApproval, durable, backgroundTasks."
  `)
})

test('B1.9 a tool whose schema no model can be told', async () => {
  const dated = `import { createTool } from '@retinue/core/tools'
import { z } from 'zod'
export default createTool({ id: 'a', inputSchema: z.object({ day: z.date() }), execute: () => 1 })
`
  const own = `import dated from './dated'\nexport default { ${MODEL}, tools: { other: dated } }\n`
  const files = agent('sup', { 'tools/dated.ts': dated, 'dated.ts': dated, 'config.ts': own })
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[tool-invalid] sup/config.ts:2:59 (sup)
      The field "day" of the schema of tool "other" can't be told to a model: Date cannot be represented in JSON Schema.
      fix: A model sends JSON: ask for text or a number and convert it in \`execute\`.
    error[tool-invalid] sup/tools/dated.ts:3:16 (sup)
      The field "day" of the schema of tool "dated" can't be told to a model: Date cannot be represented in JSON Schema.
      fix: A model sends JSON: ask for text or a number and convert it in \`execute\`."
  `)
})

test('B1.5 a tool with the name of a built-in one', async () => {
  const files = { 'workspace/a.md': 'x', 'tools/workspace_list_files.ts': tool() }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "error[tool-collision] sup/tools/workspace_list_files.ts:2:16 (sup)
      the tool "workspace_list_files" (sup/tools/workspace_list_files.ts) has the name of the built-in tool of "sup/workspace/"
      fix: rename it, for example to "my_workspace_list_files""
  `)
  expect(await findingsOf(agent('sup', { 'tools/workspace_list_files.ts': tool() }))).toEqual([])
  const own = `import t from './t'\nexport default { ${MODEL}, tools: { mine: t }, workspace: { id: 'w', tools: { mine: t } } }\n`
  expect(await toldOf(agent('sup', { 't.ts': tool(), 'config.ts': own }))).toMatchInlineSnapshot(`
    "error[tool-collision] sup/config.ts:2:52 (sup)
      the tool "mine" (config.tools.mine in sup/config.ts) has the name of config.workspace in sup/config.ts
      fix: rename it, for example to "my_mine""
  `)
})

test('B1.5 S20 a name made from a file and one that was written are under one rule; each error has its file', async () => {
  const long = 'x'.repeat(100)
  const written = `import ok from './tools/ok.ts'\nexport default { ${MODEL}, tools: { 'my tool!': ok, 'выборка': ok, ['${long}']: ok, '': ok } }\n`
  const derived = Object.fromEntries(['my tool!', 'выборка', long].map((name) => [`tools/${name}.ts`, tool()]))
  const found = await findingsOf({
    ...agent('sup', { 'config.ts': written, 'tools/ok.ts': tool() }),
    ...agent('files', derived),
  })
  expect(new Set(found.map(({ code, severity }) => `${severity} ${code}`))).toEqual(new Set(['error name-invalid']))
  const said = (file: string) => found.filter((finding) => finding.file === file).map(({ message }) => message)
  const why = [
    `a tool can't be called "my tool!": " " is not a letter, a digit, "_" or "-"`,
    `a tool can't be called "выборка": "в" is not a letter, a digit, "_" or "-"`,
    `a tool can't be called "${long}": it has 100 characters and may have 64`,
  ]
  expect(said('sup/config.ts')).toHaveLength(4)
  expect(said('sup/config.ts')).toEqual(expect.arrayContaining(why))
  expect(['my tool!', 'выборка', long].map((name) => said(`files/tools/${name}.ts`))).toEqual(why.map((one) => [one]))
})

test('B1.5 S20 names that no provider takes', async () => {
  const long = 'x'.repeat(65)
  const own = `import { Agent } from '@retinue/core/agent'
import ok from './tools/ok.ts'
const helper = new Agent({ id: 'h', description: 'Helps out.', model: 'openai/b', instructions: 'Work.' })
export default { ${MODEL}, tools: { 'my tool': ok, ['__proto__']: ok }, agents: { 'my helper': helper } }
`
  const sup = agent('sup', { 'config.ts': own, 'tools/ok.ts': tool(), 'tools/x.y.ts': tool() })
  const files = { ...agent('my agent'), ...agent('sup/subagents/été'), ...agent('sup/subagents/__proto__') }
  expect(await toldOf({ ...sup, ...files, ...agent(`sup/subagents/${long}`) })).toMatchInlineSnapshot(`
    "error[name-invalid] my agent:1:1 (my agent)
      an agent can't be called "my agent": " " is not a letter, a digit, "_" or "-"
      fix: rename it, for example to "my-agent"
    error[name-invalid] sup/config.ts:4:43 (sup)
      a tool can't be called "__proto__": "__proto__" is reserved by JavaScript
      fix: rename it, for example to "my-name"
    error[subagent-tool-collision] sup/config.ts:4:43 (sup)
      "sup" has a subagent and a tool that are both called "__proto__": sup/subagents/__proto__ and config.tools.__proto__ in sup/config.ts
      fix: rename the tool, for example to "__proto___tool", or the subagent
    error[name-invalid] sup/config.ts:4:52 (sup)
      a tool can't be called "my tool": " " is not a letter, a digit, "_" or "-"
      fix: rename it, for example to "my-tool"
    error[name-invalid] sup/config.ts:4:98 (sup)
      a subagent can't be called "my helper": " " is not a letter, a digit, "_" or "-"
      fix: rename it, for example to "my-helper"
    error[name-invalid] sup/subagents/__proto__:1:1 (sup > __proto__)
      a subagent can't be called "__proto__": "__proto__" is reserved by JavaScript
      fix: rename it, for example to "my-name"
    error[name-invalid] sup/subagents/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx:1:1 (sup > xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)
      a subagent can't be called "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": it has 65 characters and may have 64
      fix: rename it, for example to "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    error[name-invalid] sup/subagents/été:1:1 (sup > été)
      a subagent can't be called "été": "é" is not a letter, a digit, "_" or "-"
      fix: rename it, for example to "ete"
    error[name-invalid] sup/tools/x.y.ts:1:1 (sup)
      a tool can't be called "x.y": "." is not a letter, a digit, "_" or "-"
      fix: rename it, for example to "x-y""
  `)
})

test('B1.5 names of prototypes are names like others', async () => {
  const tools = { 'tools/toString.ts': tool(), 'tools/valueOf.ts': tool() }
  const files = { ...agent('constructor', tools), ...agent('constructor/subagents/hasOwnProperty') }
  expect(await findingsOf({ ...files, ...agent('constructor/subagents/constructor') })).toEqual([])
})

test('B1.6 default options that no run takes are told, each at its place, in a config and in a frontmatter', async () => {
  const options = [
    'maxStep: 3',
    'timeout: { totalMs: -1 }',
    'isTaskComplete: { scorers: [] }',
    'delegation: { onDelegationStrt() {} }',
    'maxSteps: 3',
  ]
  const files = {
    ...agent('sup', {
      'config.ts': `export default {\n  ${MODEL},\n  defaultOptions: {\n${options.join(',\n')},\n  },\n}\n`,
    }),
    ...agent('list', { 'config.ts': config(`${MODEL}, defaultOptions: [] as never`) }),
    ...agent('dynamic', { 'config.ts': config(`${MODEL}, defaultOptions: () => ({ maxStep: 3 }) as never`) }),
    'md/agent.md':
      '---\nmodel: openai/gpt-5.5\ndefaultOptions:\n  maxSteps: 0\n  toolChoice: always\n  temperature: 1\n---\nWork.\n',
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[config-invalid] list/config.ts:2:71 (list)
      The defaultOptions of the agent "list" are no object.
      fix: defaultOptions: { maxSteps: 5 }
    error[config-invalid] md/agent.md:4:13 (md)
      The defaultOptions of the agent "md": The option maxSteps is 0.
      fix: It must be a whole number of 1 or more.
    error[config-invalid] md/agent.md:5:15 (md)
      The defaultOptions of the agent "md": The toolChoice "always" is none.
      fix: It can be 'auto', 'none', 'required' or { type: 'tool', toolName }.
    error[config-invalid] md/agent.md:6:16 (md)
      The defaultOptions of the agent "md": These options are not known: temperature.
      fix: Known are maxSteps, abortSignal, requestContext, toolCallConcurrency, toolChoice, modelSettings, providerOptions, headers, maxRetries, allowCycles, resolveModel, providers, timeout, onIterationComplete, isTaskComplete, scorers, onScore, stopWhen, prepareStep, activeTools, structuredOutput, toolsets, memory, context, system, onChunk, onStepFinish, onFinish, onError, onAbort, runId, owner, delegation, budget, requireToolApproval, approvalTimeoutMs, durable, untilIdle.
    error[config-invalid] sup/config.ts:4:10 (sup)
      The defaultOptions of the agent "sup": These options are not known: maxStep.
      fix: Known are maxSteps, abortSignal, requestContext, toolCallConcurrency, toolChoice, modelSettings, providerOptions, headers, maxRetries, allowCycles, resolveModel, providers, timeout, onIterationComplete, isTaskComplete, scorers, onScore, stopWhen, prepareStep, activeTools, structuredOutput, toolsets, memory, context, system, onChunk, onStepFinish, onFinish, onError, onAbort, runId, owner, delegation, budget, requireToolApproval, approvalTimeoutMs, durable, untilIdle.
    error[config-invalid] sup/config.ts:5:10 (sup)
      The defaultOptions of the agent "sup": The option timeout.totalMs is -1.
      fix: It must be a whole number of 1 or more.
    error[config-invalid] sup/config.ts:6:17 (sup)
      The defaultOptions of the agent "sup": isTaskComplete.scorers is not what it must be.
      fix: It must be a list of one scorer or more: createScorer({ … }), each with an id of its own.
    error[config-invalid] sup/config.ts:7:13 (sup)
      The defaultOptions of the agent "sup": These options are not known: delegation.onDelegationStrt.
      fix: Known are onDelegationStart, onDelegationComplete, messageFilter, hookErrorStrategy, context, includeSubAgentToolResultsInModelContext, enableResultReferences."
  `)
})
