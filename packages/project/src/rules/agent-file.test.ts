import { expect, test } from 'vitest'
import { agent, config, type Files, findingsOf, MODEL, toldOf } from '../../test-support/temp-project.ts'

const HEAD = '---\nmodel: openai/gpt-5.5\ndescription: Does its part.\n---\n'

test('B11.1 agent.md alone is an agent, at every level, also with a byte order mark and CRLF', async () => {
  const text = `\uFEFF${HEAD}\nWork.\n`.replaceAll('\n', '\r\n')
  const files = { 'sup/agent.md': text, 'sup/subagents/kid/agent.md': `${HEAD}Work.\n`, ...agent('other') }
  expect(await findingsOf(files)).toEqual([])
})

test('B11.3 B11.5 without a frontmatter it is all instructions, and what is missing is told of it', async () => {
  const files = { 'sup/agent.md': 'Work.\n', 'sup/subagents/kid/agent.md': '# Kid\n\nWork.\n' }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[model-missing] sup/agent.md:1:1 (sup)
      agent "sup" has no model
      fix: begin the file with a line of ---, a line with model: openai/gpt-5.5, and another line of ---
    error[model-missing] sup/subagents/kid/agent.md:1:1 (sup > kid)
      agent "kid" has no model
      fix: begin the file with a line of ---, a line with model: openai/gpt-5.5, and another line of ---
    error[subagent-description-missing] sup/subagents/kid/agent.md:1:1 (sup > kid)
      subagent "kid" has no description
      fix: begin the file with a line of ---, a line with description: 'Use it to …: what it does, and when to delegate to it.', and another line of ---"
  `)
})

test('B11.5 a description that is blank, empty or no text is told at its line', async () => {
  const kid = (name: string, description: string): Files => {
    return { [`sup/subagents/${name}/agent.md`]: `---\nmodel: openai/gpt-5.5\n${description}\n---\nWork.\n` }
  }
  const kids = { ...kid('blank', "description: ' '"), ...kid('list', 'description: [a]'), ...kid('none', '') }
  expect(await toldOf({ ...agent('sup'), ...kids, ...kid('empty', 'description:') })).toMatchInlineSnapshot(`
    "error[subagent-description-missing] sup/subagents/blank/agent.md:3:14 (sup > blank)
      subagent "blank" has a blank description
      fix: write description: 'Use it to …: what it does, and when to delegate to it.'
    error[subagent-description-missing] sup/subagents/empty/agent.md:3:1 (sup > empty)
      subagent "empty" has no description
      fix: write description: 'Use it to …: what it does, and when to delegate to it.'
    error[subagent-description-missing] sup/subagents/list/agent.md:3:14 (sup > list)
      subagent "list" has a description that is a list, not text
      fix: write description: 'Use it to …: what it does, and when to delegate to it.'
    error[subagent-description-missing] sup/subagents/none/agent.md:1:1 (sup > none)
      subagent "none" has no description
      fix: write description: 'Use it to …: what it does, and when to delegate to it.'"
  `)
})

test('B11.3 values of the wrong type, unknown keys, and what belongs to other places, each at its line', async () => {
  const head = `id: 7\nname: [a]\nmodel: { provider: openai }\nmaxDepth: deep\nmaxRetries: -1\ntemperature: 1\nmaxdepth: 2\ninstructions: Work.\ntools: [search]`
  expect(await toldOf({ 'sup/agent.md': `---\n${head}\n---\nWork.\n` })).toMatchInlineSnapshot(`
    "error[config-invalid] sup/agent.md:2:5 (sup)
      id is a number
      fix: write text, or leave id out
    error[config-invalid] sup/agent.md:3:7 (sup)
      name is a list
      fix: write text, or leave name out
    error[config-invalid] sup/agent.md:4:8 (sup)
      model is an object
      fix: write provider/model, or a list of those
    error[config-invalid] sup/agent.md:5:11 (sup)
      The maxDepth of the agent "sup" is deep.
      fix: It must be a whole number of 0 or more.
    error[config-invalid] sup/agent.md:6:13 (sup)
      The maxRetries of the agent "sup" is -1.
      fix: It must be a whole number of 0 or more.
    error[config-invalid] sup/agent.md:7:14 (sup)
      "temperature" means nothing here
      fix: known are id, name, description, model, maxDepth, maxRetries, delegation, relay, budget, requireToolApproval, durable, backgroundTasks, defaultOptions
    error[config-invalid] sup/agent.md:8:11 (sup)
      "maxdepth" means nothing here
      fix: did you mean "maxDepth"? known are id, name, description, model, maxDepth, maxRetries, delegation, relay, budget, requireToolApproval, durable, backgroundTasks, defaultOptions
    error[config-invalid] sup/agent.md:9:15 (sup)
      "instructions" can't stand in the frontmatter of an agent.md
      fix: write them below the frontmatter
    error[config-invalid] sup/agent.md:10:8 (sup)
      "tools" can't stand in the frontmatter of an agent.md
      fix: put each tool into a file of its own in "tools/""
  `)
})

test('B3.4 how an agent is delegated to may stand in the frontmatter, and core judges it', async () => {
  const kid = (name: string, option: string): Files => {
    const head = HEAD.replace('Does its part.', `Does part ${name}${name} of it.`)
    return { [`sup/subagents/${name}/agent.md`]: head.replace('\n---\n', `\n${option}\n---\nWork.\n`) }
  }
  const fine = { ...kid('a', 'delegation: { context: none }'), ...kid('b', 'relay: true'), ...kid('c', 'budget: {}') }
  expect(await findingsOf({ ...agent('sup'), ...fine })).toEqual([])
  expect(
    await toldOf({ ...agent('sup'), ...kid('a', 'delegation: all'), ...kid('b', 'relay: often') }),
  ).toMatchInlineSnapshot(`
    "error[config-invalid] sup/subagents/a/agent.md:4:13 (sup > a)
      The delegation of the agent "a" is not known.
      fix: It can be { context: 'none' }.
    error[config-invalid] sup/subagents/b/agent.md:4:8 (sup > b)
      The relay of the agent "b" is often.
      fix: It is true or false."
  `)
})

test('B11.11 a frontmatter that does not parse: its file and line, and nothing that follows from it', async () => {
  const files = {
    'colon/agent.md': '---\nmodel: openai/gpt-5.5\ndescription: Use it: now\n---\nWork.\n',
    'open/agent.md': '---\nmodel: openai/gpt-5.5\n\nWork.\n',
    'words/agent.md': '---\njust words\n---\nWork.\n',
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[frontmatter-invalid] colon/agent.md:3:14 (colon)
      the frontmatter of "agent.md" can't be read: Nested mappings are not allowed in compact mappings
      fix: write "key: value" lines between two lines of ---; put a value that holds ": " or "#" into quotes
    error[frontmatter-invalid] open/agent.md:1:1 (open)
      the frontmatter of "agent.md" can't be read: no second line of --- ends the frontmatter
      fix: write "key: value" lines between two lines of ---; put a value that holds ": " or "#" into quotes
    error[frontmatter-invalid] words/agent.md:2:1 (words)
      the frontmatter of "agent.md" can't be read: the frontmatter is no list of keys
      fix: write "key: value" lines between two lines of ---; put a value that holds ": " or "#" into quotes"
  `)
})

test('B11.3 a frontmatter and no word below it', async () => {
  expect(await toldOf({ 'sup/agent.md': HEAD })).toMatchInlineSnapshot(`
    "error[instructions-missing] sup/agent.md:1:1 (sup)
      agent "sup" has no instructions
      fix: write them into "sup/agent.md", below the frontmatter"
  `)
  expect(await findingsOf({ 'sup/agent.md': HEAD, 'sup/instructions.md': 'Work.\n' })).toEqual([])
})

test('B11.1 a config and instructions of their own win over agent.md, with a warning for each part that loses', async () => {
  const files = {
    ...agent('both', { 'agent.md': `${HEAD}\nWork.\n` }),
    ...agent('broken', { 'agent.md': '---\n: [\n---\n' }),
    'config/config.ts': config(),
    'config/agent.md': `${HEAD}Work.\n`,
    'static/config.ts': config(`${MODEL}, instructions: 'Own work.'`),
    'static/agent.md': 'Work.\n',
    'function/config.ts': config(`${MODEL}, instructions: () => 'Own work.'`),
    'function/agent.md': 'Work.\n',
    'module/instructions.ts': "export default 'Own work.'\n",
    'module/agent.md': `${HEAD}Work.\n`,
    ...agent('nothing', { 'agent.md': '' }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[source-overridden] both/agent.md:1:1 (both)
      config: "both/config.ts" wins over "the frontmatter of both/agent.md"
      fix: remove one of the two (both/config.ts, the frontmatter of both/agent.md)
    warning[source-overridden] both/agent.md:6:1 (both)
      instructions: "both/instructions.md" wins over "the text of both/agent.md"
      fix: remove one of the two (both/instructions.md, the text of both/agent.md)
    warning[source-overridden] broken/agent.md:1:1 (broken)
      config: "broken/config.ts" wins over "the frontmatter of broken/agent.md"
      fix: remove one of the two (broken/config.ts, the frontmatter of broken/agent.md)
    warning[source-overridden] config/agent.md:1:1 (config)
      config: "config/config.ts" wins over "the frontmatter of config/agent.md"
      fix: remove one of the two (config/config.ts, the frontmatter of config/agent.md)
    warning[source-overridden] function/agent.md:1:1 (function)
      instructions: "instructions in function/config.ts" wins over "the text of function/agent.md"
      fix: remove one of the two (instructions in function/config.ts, the text of function/agent.md)
    warning[source-overridden] module/agent.md:5:1 (module)
      instructions: "module/instructions.ts" wins over "the text of module/agent.md"
      fix: remove one of the two (module/instructions.ts, the text of module/agent.md)
    warning[source-overridden] nothing/agent.md:1:1 (nothing)
      config: "nothing/config.ts" wins over "the empty text of nothing/agent.md"
      fix: remove one of the two (nothing/config.ts, the empty text of nothing/agent.md)
    warning[source-overridden] static/agent.md:1:1 (static)
      instructions: "static/config.ts" wins over "the text of static/agent.md"
      fix: remove one of the two (static/config.ts, the text of static/agent.md)"
  `)
})

test('B11.3 an Agent is taken as it is: agent.md beside it is told', async () => {
  const coded = `import { Agent } from '@retinue/core/agent'\nexport default new Agent({ id: 'x', ${MODEL}, instructions: 'Work.' })\n`
  expect(await toldOf({ 'sup/config.ts': coded, 'sup/agent.md': 'Work.\n' })).toMatchInlineSnapshot(`
    "warning[files-ignored-by-agent] sup/agent.md:1:1 (sup)
      "sup/agent.md" is ignored: sup/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it"
  `)
})

test('B11.10 an agent.md that can not be read, or is nearly one', async () => {
  const utf16 = new Uint8Array([0xff, 0xfe, 0x41, 0])
  const files = { 'a/agent.md': utf16, ...agent('b', { 'Agent.md': 'x' }), 'c/AGENT.md': 'x' }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[file-unreadable] a/agent.md:1:1 (a)
      "a/agent.md" can't be read: it is UTF-16; only UTF-8 is read
      fix: save it as UTF-8
    warning[entry-ignored] b/Agent.md:1:1 (b)
      the file "b/Agent.md" is ignored: nothing is called that; did you mean "agent.md"?
      fix: rename it to "agent.md"
    warning[entry-ignored] c:1:1 (the application)
      the folder "c" is ignored: it holds no config.ts, no instructions.md and no agent.md, so it is no agent
      fix: correct what the other findings say of the files in it
    warning[entry-ignored] c/AGENT.md:1:1 (the application)
      the file "c/AGENT.md" is ignored: nothing is called that; did you mean "agent.md"?
      fix: rename it to "agent.md""
  `)
})
