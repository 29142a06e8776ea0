import { expect, test } from 'vitest'
import { agent, config, findingsOf, MODEL, subagentConfig, toldOf, tool } from '../../test-support/temp-project.ts'

/** A config with one agent that code made, under the key `coded`. */
const withCoded = (description: string): string => `import { Agent, agentConfig } from '@retinue/core/agent'
export default agentConfig({
  model: 'openai/gpt-5.5',
  agents: {
    coded: new Agent({ id: 'c', ${description}model: 'openai/b', instructions: 'Work.' }),
  },
})
`

test('B11.5 a subagent without a description: at the call that makes its config', async () => {
  const found = await toldOf({ ...agent('sup'), ...agent('sup/subagents/r'), 'sup/subagents/r/config.ts': config() })
  expect(found).toMatchInlineSnapshot(`
    "error[subagent-description-missing] sup/subagents/r/config.ts:2:16 (sup > r)
      subagent "r" has no description
      fix: write description: 'Use it to …: what it does, and when to delegate to it.'"
  `)
})

test('B11.5 a blank description: at its value', async () => {
  const blank = config(`${MODEL}, description: ' \\n '`)
  const found = await toldOf({ ...agent('sup'), ...agent('sup/subagents/r'), 'sup/subagents/r/config.ts': blank })
  expect(found).toMatchInlineSnapshot(`
    "error[subagent-description-missing] sup/subagents/r/config.ts:2:68 (sup > r)
      subagent "r" has a blank description
      fix: write description: 'Use it to …: what it does, and when to delegate to it.'"
  `)
})

test('B11.5 a description that is no text', async () => {
  const wrong = config(`${MODEL}, description: 42 as never`)
  const found = await toldOf({ ...agent('sup'), ...agent('sup/subagents/r'), 'sup/subagents/r/config.ts': wrong })
  expect(found).toMatchInlineSnapshot(`
    "error[subagent-description-missing] sup/subagents/r/config.ts:2:68 (sup > r)
      subagent "r" has a description that is a number, not text
      fix: write description: 'Use it to …: what it does, and when to delegate to it.'"
  `)
})

test('B11.5 a subagent without a config: on its instructions', async () => {
  expect(await toldOf({ ...agent('sup'), 'sup/subagents/r/instructions.md': 'Work.' })).toMatchInlineSnapshot(`
    "error[model-missing] sup/subagents/r/instructions.md:1:1 (sup > r)
      agent "r" has no model
      fix: add "sup/subagents/r/config.ts" with: export default agentConfig({ model: 'openai/gpt-5.5' })
    error[subagent-description-missing] sup/subagents/r/instructions.md:1:1 (sup > r)
      subagent "r" has no description
      fix: add "sup/subagents/r/config.ts" with agentConfig({ model: 'provider/model', description: 'Use it to …: what it does, and when to delegate to it.' })"
  `)
})

test('B11.5 an Agent as a subagent needs a description too; a top-level agent needs none', async () => {
  const coded = `import { Agent } from '@retinue/core/agent'\nexport default new Agent({ id: 'x', model: 'openai/b', instructions: 'Work.' })\n`
  const found = await toldOf({ ...agent('sup'), 'sup/subagents/r/config.ts': coded })
  expect(found).toMatchInlineSnapshot(`
    "error[subagent-description-missing] sup/subagents/r/config.ts:2:20 (sup > r)
      subagent "r" has no description
      fix: write description: 'Use it to …: what it does, and when to delegate to it.'"
  `)
})

test('B1.1 a subagent in code without a description is a warning', async () => {
  expect(await findingsOf({ ...agent('sup'), 'sup/config.ts': withCoded("description: 'Helps out.', ") })).toEqual([])
  expect(await toldOf({ ...agent('sup'), 'sup/config.ts': withCoded('') })).toMatchInlineSnapshot(`
    "warning[coded-subagent-description-missing] sup/config.ts:5:5 (sup)
      subagent "coded" in config.agents has no description
      fix: give the agent "c" a description: what it does, and when to delegate to it"
  `)
})

test('B11.6 a subagent with the key of a tool file', async () => {
  expect(
    await toldOf({ ...agent('sup', { 'tools/r.ts': tool() }), ...agent('sup/subagents/r') }),
  ).toMatchInlineSnapshot(`
    "error[subagent-tool-collision] sup/tools/r.ts:2:16 (sup)
      "sup" has a subagent and a tool that are both called "r": sup/subagents/r and sup/tools/r.ts
      fix: rename the tool, for example to "r_tool", or the subagent"
  `)
})

test('B11.6 a subagent with the key of a tool in the config', async () => {
  const shared = `import { agentConfig } from '@retinue/core/agent'\nimport shared from './shared'\nexport default agentConfig({ ${MODEL}, tools: { r: shared } })\n`
  const files = { ...agent('sup', { 'shared.ts': tool() }), 'sup/config.ts': shared, ...agent('sup/subagents/r') }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[subagent-tool-collision] sup/config.ts:3:64 (sup)
      "sup" has a subagent and a tool that are both called "r": sup/subagents/r and config.tools.r in sup/config.ts
      fix: rename the tool, for example to "r_tool", or the subagent"
  `)
})

test('B11.6 a subagent with the key of a built-in tool', async () => {
  const files = { ...agent('sup', { 'workspace/a.md': 'x' }), ...agent('sup/subagents/workspace_read_file') }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[subagent-tool-collision] sup/subagents/workspace_read_file/config.ts:1:1 (sup)
      "sup" has a subagent and a tool that are both called "workspace_read_file": sup/subagents/workspace_read_file and the built-in tool of "sup/workspace/"
      fix: rename the subagent "workspace_read_file""
  `)
  expect(await findingsOf({ ...agent('sup'), ...agent('sup/subagents/workspace_read_file') })).toEqual([])
})

test('B11.6 a key of config.agents that is a tool', async () => {
  const files = {
    ...agent('sup', { 'tools/coded.ts': tool() }),
    'sup/config.ts': withCoded("description: 'Helps out.', "),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[subagent-tool-collision] sup/tools/coded.ts:2:16 (sup)
      "sup" has a subagent and a tool that are both called "coded": config.agents in sup/config.ts and sup/tools/coded.ts
      fix: rename the tool, for example to "coded_tool", or the subagent"
  `)
})

test('B11.6 two subagents of one id, in a config or as a directory name', async () => {
  const same = (part: string): string => subagentConfig("id: 'same'", part)
  const files = { ...agent('sup/subagents/a'), ...agent('sup/subagents/b'), ...agent('sup/subagents/same') }
  const ids = { 'sup/subagents/a/config.ts': same('part a01'), 'sup/subagents/b/config.ts': same('part b01') }
  expect(await toldOf({ ...agent('sup'), ...files, ...ids })).toMatchInlineSnapshot(`
    "error[subagent-duplicate] sup/subagents/b/config.ts:2:102 (sup > b)
      two subagents of "sup" have the id "same": "a" (sup/subagents/a/config.ts) and "b" (sup/subagents/b/config.ts)
      fix: give "b" an id of its own
    error[subagent-duplicate] sup/subagents/same/config.ts:2:16 (sup > same)
      two subagents of "sup" have the id "same": "a" (sup/subagents/a/config.ts) and "same" (sup/subagents/same/config.ts)
      fix: give "same" an id of its own"
  `)
})

test('B11.6 two top-level agents of one id; under two parents it is no matter', async () => {
  const files = { ...agent('one'), ...agent('two'), ...agent('one/subagents/x'), ...agent('two/subagents/x') }
  expect(await findingsOf(files)).toEqual([])
  expect(await toldOf({ ...files, 'two/config.ts': config(`${MODEL}, id: 'one'`) })).toMatchInlineSnapshot(`
    "error[subagent-duplicate] two/config.ts:2:59 (two)
      two top-level agents have the id "one": "one" (one/config.ts) and "two" (two/config.ts)
      fix: give "two" an id of its own"
  `)
})

test('B11.6 keys that are equal but for case', async () => {
  const files = { ...agent('sup'), ...agent('sup/subagents/Writer'), ...agent('sup/subagents/writer') }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[subagent-duplicate] sup/subagents/writer/config.ts:2:16 (sup > writer)
      two subagents of "sup" have keys that differ only in case: "Writer" (sup/subagents/Writer/config.ts) and "writer" (sup/subagents/writer/config.ts)
      fix: rename "writer""
  `)
})

test('B11.6 the id of a directory that an agent in code has as well', async () => {
  const files = {
    ...agent('sup'),
    'sup/config.ts': withCoded("description: 'Helps out.', "),
    ...agent('sup/subagents/c'),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[subagent-duplicate] sup/config.ts:5:5 (sup)
      two subagents of "sup" have the id "c": "c" (sup/subagents/c/config.ts) and "coded" (config.agents in sup/config.ts)
      fix: give "coded" an id of its own"
  `)
})

test('B11.7 config.agents wins over a directory, which is not run and not checked', async () => {
  const broken = {
    'config.ts': 'throw new Error("run")',
    'Config.ts': '',
    'instructions.md': '',
    'tools/a.ts': 'syntax (',
  }
  const files = {
    ...agent('sup', { 'config.ts': withCoded("description: 'Helps out.', ") }),
    ...agent('sup/subagents/ok'),
  }
  const overridden = Object.fromEntries(
    Object.entries(broken).map(([name, text]) => [`sup/subagents/coded/${name}`, text]),
  )
  expect(await toldOf({ ...files, ...overridden })).toMatchInlineSnapshot(`
    "warning[subagent-overridden] sup/config.ts:5:5 (sup > coded)
      config.agents.coded in sup/config.ts stands in for the directory sup/subagents/coded
      fix: remove "coded" from config.agents to use the directory, or remove the directory"
  `)
})

test('B11.7 config.agents as a function: every directory is ignored, by name', async () => {
  const files = { 'sup/subagents/c/config.ts': 'throw new Error("run")', 'sup/subagents/d/instructions.md': '' }
  const dynamic = config(`${MODEL}, agents: () => ({})`)
  expect(await toldOf({ ...agent('sup'), 'sup/config.ts': dynamic, ...files })).toMatchInlineSnapshot(`
    "warning[subagents-ignored] sup/config.ts:2:55 (sup)
      config.agents is a function, so the subagents in sup/subagents are ignored: "c" and "d"
      fix: make config.agents an object, which is merged with the folder, or remove the folder"
  `)
  expect(await findingsOf({ ...agent('sup'), 'sup/config.ts': dynamic })).toEqual([])
})

test('B11.8 three levels are kept; a fourth that is not empty is a warning on its folder', async () => {
  const deepest = 'sup/subagents/a/subagents/b/subagents/c'
  const kept = {
    ...agent('sup'),
    ...agent('sup/subagents/a'),
    ...agent('sup/subagents/a/subagents/b'),
    ...agent(deepest),
  }
  expect(await findingsOf({ ...kept, [`${deepest}/subagents/.gitkeep`]: '' })).toEqual([])
  const deeper = {
    [`${deepest}/subagents/d/config.ts`]: 'syntax (',
    [`${deepest}/subagents/d/subagents/e/config.ts`]: 'throw 1',
  }
  expect(await toldOf({ ...kept, ...deeper })).toMatchInlineSnapshot(`
    "warning[subagents-too-deep] sup/subagents/a/subagents/b/subagents/c/subagents:1:1 (sup > a > b > c)
      subagents deeper than 3 levels are ignored: "d"
      fix: move them up into the "subagents/" of an agent above, or remove them"
  `)
  // The deepest that is kept is checked like the others.
  expect(await toldOf({ ...kept, [`${deepest}/config.ts`]: config() })).toMatchInlineSnapshot(`
    "error[subagent-description-missing] sup/subagents/a/subagents/b/subagents/c/config.ts:2:16 (sup > a > b > c)
      subagent "c" has no description
      fix: write description: 'Use it to …: what it does, and when to delegate to it.'"
  `)
})
