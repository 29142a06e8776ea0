import { expect, test } from 'vitest'
import { agent, agentsProject, config, findingsOf, MODEL, toldOf, tool } from '../../test-support/temp-project.ts'
import { examine } from '../examine.ts'
import { InProcessLoader } from '../load/in-process-loader.ts'
import { DiskTree } from '../tree/disk-tree.ts'
import { type Entry, SourceError } from '../tree/source-tree.ts'

/** A module that would be a finding if it were loaded. */
const NOT_RUN = "throw new Error('run')\n"

const AGENT = `import { Agent } from '@retinue/core/agent'\nexport default new Agent({ id: 'x', model: 'openai/b', description: 'Answers questions on law.', instructions: 'Work.' })\n`

test('B11.4 instructions: a function in the config wins over both files, which are not run', async () => {
  const files = { 'config.ts': config(`${MODEL}, instructions: () => 'Work.'`), 'instructions.ts': NOT_RUN }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/instructions.md:1:1 (sup)
      instructions: "instructions in sup/config.ts" wins over "sup/instructions.md"
      fix: remove one of the two (instructions in sup/config.ts, sup/instructions.md)
    warning[source-overridden] sup/instructions.ts:1:1 (sup)
      instructions: "instructions in sup/config.ts" wins over "sup/instructions.ts"
      fix: remove one of the two (instructions in sup/config.ts, sup/instructions.ts)"
  `)
})

test('B11.4 instructions: instructions.ts wins over instructions.md and a static config', async () => {
  const files = { 'config.ts': config(`${MODEL}, instructions: 'Own.'`), 'instructions.ts': "export default 'Code.'\n" }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/config.ts:2:55 (sup)
      instructions: "sup/instructions.ts" wins over "instructions in sup/config.ts"
      fix: remove one of the two (sup/instructions.ts, instructions in sup/config.ts)
    warning[source-overridden] sup/instructions.md:1:1 (sup)
      instructions: "sup/instructions.ts" wins over "sup/instructions.md"
      fix: remove one of the two (sup/instructions.ts, sup/instructions.md)"
  `)
})

test('B11.4 instructions: instructions.md wins over a static config', async () => {
  const files = { 'config.ts': config(`${MODEL}, instructions: 'Own.'`) }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/config.ts:2:55 (sup)
      instructions: "sup/instructions.md" wins over "instructions in sup/config.ts"
      fix: remove one of the two (sup/instructions.md, instructions in sup/config.ts)"
  `)
})

test('B11.4 tools: merged, and the config wins key by key', async () => {
  const own = `import shared from './shared.ts'\nexport default { ${MODEL}, tools: { a: shared } }\n`
  const files = { 'config.ts': own, 'shared.ts': tool(), 'tools/a.ts': NOT_RUN, 'tools/b.ts': tool() }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/tools/a.ts:1:1 (sup)
      tool "a": "tools.a in sup/config.ts" wins over "sup/tools/a.ts"
      fix: remove one of the two (tools.a in sup/config.ts, sup/tools/a.ts)"
  `)
})

test('B11.4 tools: a function in the config wins over all files', async () => {
  const files = { 'config.ts': config(`${MODEL}, tools: () => ({})`), 'tools/a.ts': NOT_RUN, 'tools/b.ts': NOT_RUN }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/tools/a.ts:1:1 (sup)
      tools: "tools in sup/config.ts" wins over "sup/tools/a.ts"
      fix: remove one of the two (tools in sup/config.ts, sup/tools/a.ts)
    warning[source-overridden] sup/tools/b.ts:1:1 (sup)
      tools: "tools in sup/config.ts" wins over "sup/tools/b.ts"
      fix: remove one of the two (tools in sup/config.ts, sup/tools/b.ts)"
  `)
})

test('B11.4 workspace: the config wins, also by turning it off', async () => {
  const files = { 'config.ts': config(`${MODEL}, workspace: undefined`), 'workspace/a.md': 'x' }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/workspace:1:1 (sup)
      workspace: "workspace in sup/config.ts" wins over "sup/workspace"
      fix: remove one of the two (workspace in sup/config.ts, sup/workspace)"
  `)
})

test('B11.1 two modules of one name: .ts, .mts, .js, .mjs, in that order', async () => {
  const files = {
    'config.mjs': NOT_RUN,
    'config.js': NOT_RUN,
    'instructions.js': NOT_RUN,
    'instructions.mts': 'export default "Work."\n',
  }
  const { 'sup/instructions.md': _, ...sup } = agent('sup', files)
  expect(await toldOf(sup)).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/config.js:1:1 (sup)
      config: "sup/config.ts" wins over "sup/config.js"
      fix: remove one of the two (sup/config.ts, sup/config.js)
    warning[source-overridden] sup/config.mjs:1:1 (sup)
      config: "sup/config.ts" wins over "sup/config.mjs"
      fix: remove one of the two (sup/config.ts, sup/config.mjs)
    warning[source-overridden] sup/instructions.js:1:1 (sup)
      instructions: "sup/instructions.mts" wins over "sup/instructions.js"
      fix: remove one of the two (sup/instructions.mts, sup/instructions.js)"
  `)
})

test('B11.1 every extension is read in every slot', async () => {
  for (const extension of ['ts', 'mts', 'js', 'mjs']) {
    const files = {
      [`sup/config.${extension}`]: config(),
      [`sup/instructions.${extension}`]: "export default 'Work.'\n",
      [`sup/tools/a.${extension}`]: 'export default 5\n',
    }
    const [found, ...more] = await findingsOf(files)
    expect([found?.code, found?.file, more]).toEqual(['default-export-invalid', `sup/tools/a.${extension}`, []])
  }
})

test('B11.1 two tool files of one key are an error', async () => {
  const files = { 'tools/a.js': NOT_RUN, 'tools/a.ts': tool(), 'tools/b.mts': tool() }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "error[tool-duplicate] sup/tools/a.js:1:1 (sup)
      two files make the tool "a": sup/tools/a.ts and sup/tools/a.js
      fix: rename or remove one of them"
  `)
})

test('B11.3 an Agent is taken as it is: every other file is a warning, and nothing of it is run or checked', async () => {
  const beside = { 'tools/a.ts': NOT_RUN, 'workspace/a.md': '', 'subagents/x/config.ts': NOT_RUN, 'memory.ts': NOT_RUN }
  const more = { 'hooks.ts': NOT_RUN }
  const others = { 'Config.ts': '', 'config.js': NOT_RUN, 'README.md': '', 'config.test.ts': '' }
  expect(await toldOf(agent('sup', { 'config.ts': AGENT, ...beside, ...more, ...others }))).toMatchInlineSnapshot(`
    "warning[files-ignored-by-agent] sup/Config.ts:1:1 (sup)
      "sup/Config.ts" is ignored: sup/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it
    warning[files-ignored-by-agent] sup/config.js:1:1 (sup)
      "sup/config.js" is ignored: sup/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it
    warning[files-ignored-by-agent] sup/hooks.ts:1:1 (sup)
      "sup/hooks.ts" is ignored: sup/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it
    warning[files-ignored-by-agent] sup/instructions.md:1:1 (sup)
      "sup/instructions.md" is ignored: sup/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it
    warning[files-ignored-by-agent] sup/memory.ts:1:1 (sup)
      "sup/memory.ts" is ignored: sup/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it
    warning[files-ignored-by-agent] sup/subagents:1:1 (sup)
      "sup/subagents" is ignored: sup/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it
    warning[files-ignored-by-agent] sup/tools:1:1 (sup)
      "sup/tools" is ignored: sup/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it
    warning[files-ignored-by-agent] sup/workspace:1:1 (sup)
      "sup/workspace" is ignored: sup/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it"
  `)
})

test('B11.3 B11.8 beside an Agent a file is told once: that it is ignored, and nothing of what is in it or would lose', async () => {
  const utf16 = new Uint8Array([0xff, 0xfe, 0x41, 0])
  // Each of them has a finding of its own beside a config.
  const deep = {
    'instructions.ts': NOT_RUN,
    'instructions.js': NOT_RUN,
    'agent.md': utf16,
    'tools/a.ts': NOT_RUN,
    'tools/a.js': NOT_RUN,
    'tools/b.txt': '',
    'skills/one.md': utf16,
    'skills/two.ts': NOT_RUN,
    'skills/two.js': NOT_RUN,
    'schedules/daily.ts': NOT_RUN,
    'subagents/d/agent.md': 'Work.',
    'notes.txt': '',
  }
  const dir = 'sup/subagents/a/subagents/b/subagents/c'
  const chain = { ...agent('sup'), ...agent('sup/subagents/a'), ...agent('sup/subagents/a/subagents/b') }
  const found = await findingsOf({ ...chain, ...agent(dir, { 'config.ts': AGENT, ...deep }) })
  const told = found.map(({ code, file }) => [code, file.slice(dir.length + 1)])
  const ignored = [
    'agent.md',
    'instructions.js',
    'instructions.md',
    'instructions.ts',
    'notes.txt',
    'schedules',
    'skills',
    'subagents',
    'tools',
  ]
  expect(told).toEqual(ignored.map((name) => ['files-ignored-by-agent', name]))
  // With a config in its place, it is all of them.
  const codes = (await findingsOf({ ...chain, ...agent(dir, deep) })).map(({ code }) => code)
  expect([...new Set(codes)].sort()).toEqual([
    'entry-ignored',
    'file-unreadable',
    'module-failed',
    'schedules-ignored',
    'source-overridden',
    'subagents-too-deep',
    'tool-duplicate',
  ])
})

test('B11.3 a folder beside an Agent that can not be read is ignored, and no error', async () => {
  const root = agentsProject(agent('sup', { 'config.ts': AGENT, 'tools/a.ts': NOT_RUN }))
  const tree = new (class extends DiskTree {
    override list(dir: string): readonly Entry[] {
      if (dir.endsWith('/tools')) throw new SourceError(dir, 'there is no permission to read it')
      return super.list(dir)
    }
  })(root)
  const { findings } = await examine(tree, new InProcessLoader(root))
  const tools = findings.filter(({ file }) => file.endsWith('/tools'))
  expect(tools.map(({ code }) => code)).toEqual(['files-ignored-by-agent'])
})
