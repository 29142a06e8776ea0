import { expect, test } from 'vitest'
import {
  agent,
  below,
  codesOfBoth,
  config,
  type Files,
  findingsIn,
  MODEL,
  subagentConfig,
  tempProject,
  told,
  tool,
} from '../../test-support/temp-project.ts'

const ON = { 'backgroundTasks.ts': 'export default { enabled: true }\n' }

function project(agents: Files, shared: Files = ON): string {
  return tempProject(below('src/retinue', { ...shared, ...below('agents', agents) }))
}

async function toldOf(agents: Files, shared: Files = ON): Promise<string> {
  const found = await findingsIn(project(agents, shared))
  return told(found).replaceAll('src/retinue/agents/', '').replaceAll('src/retinue/', '')
}

/** An agent with a tool and a subagent. */
function sup(tasks: string, more: Files = {}): Files {
  return {
    ...agent('sup', { 'config.ts': config(`${MODEL}, backgroundTasks: ${tasks}`), 'tools/search.ts': tool() }),
    ...agent('sup/subagents/writer'),
    ...more,
  }
}

test('B9.1 what is named is a tool or a subagent of the agent: told at the name', async () => {
  const files = {
    ...sup('{ tools: { wirter: true, search: { timeoutMs: 9 }, writer: false, deep: { enabled: false } } }'),
    ...agent('sup/subagents/writer/subagents/deep'),
    'file/agent.md': '---\nmodel: openai/a\nbackgroundTasks:\n  tools:\n    nobody: true\n---\nWork.\n',
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[background-tool-unknown] file/agent.md:5:5 (file)
      the backgroundTasks of "file" name what is no tool and no subagent of it: "nobody"
      fix: remove "nobody": the agent has no tools and no subagents
    error[background-tool-unknown] sup/config.ts:2:83 (sup)
      the backgroundTasks of "sup" name what is no tool and no subagent of it: "wirter"
      fix: did you mean "writer"? known are writer, search
    error[background-tool-unknown] sup/config.ts:2:138 (sup)
      the backgroundTasks of "sup" name what is no tool and no subagent of it: "deep"
      fix: known are writer, search"
  `)
})

test('B9.1 names of every kind of tool are known', async () => {
  const coded = `import { Agent } from '@retinue/core/agent'
import { createTool } from '@retinue/core/tools'
const kid = new Agent({ id: 'kid', description: 'Helps out.', ${MODEL}, instructions: 'Work.' })
const own = createTool({ id: 'own', description: 'A tool.', execute: () => 1 })
const tools = { own: true, kid: true, seeded: true, workspace_read_file: true, skill: true, updateWorkingMemory: true }
export default { ${MODEL}, agents: { kid }, tools: { own }, backgroundTasks: { tools } }
`
  const files = {
    ...agent('sup', {
      'config.ts': coded,
      'workspace/a.md': 'a',
      'skills/x.md': '---\nname: x\ndescription: Y.\n---\nZ.\n',
    }),
    ...agent('sup/subagents/seeded'),
  }
  expect(await codesOfBoth(project(files))).toEqual([])
})

test.each([
  ['tools: () => ({})'],
  ['agents: () => ({})'],
  ['defaultOptions: () => ({})'],
  ['defaultOptions: { toolsets: { mine: {} } }'],
])('B9.1 where only running the agent tells its tools, nothing is said: %s', async (option) => {
  const text = config(`${MODEL}, ${option}, backgroundTasks: { tools: { later: true } }`)
  expect(await toldOf(agent('sup', { 'config.ts': text }))).toBe('')
})

test('B1.1 B9.1 what core does not take of it is told all at once, each at its place, in a config and in a frontmatter', async () => {
  const files = {
    ...sup("{ tols: {}, tools: { search: { timeoutMs: 0 }, writer: 'yes' as never } }"),
    'md/agent.md': '---\nmodel: openai/a\nbackgroundTasks:\n  tools:\n    kid:\n      retries: 1\n---\nWork.\n',
    ...agent('md/subagents/kid'),
    'flat/agent.md': '---\nmodel: openai/a\nbackgroundTasks: true\n---\nWork.\n',
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[config-invalid] flat/agent.md:3:18 (flat)
      The backgroundTasks of the agent "flat" are true.
      fix: backgroundTasks: { tools: { researcher: { enabled: true, timeoutMs: 60_000 } } }
    error[config-invalid] md/agent.md:6:7 (md)
      The backgroundTasks of the agent "md" say of "kid" options that are not known: retries.
      fix: Known are enabled, timeoutMs, maxRetries, detached, modelMayChoose, ask.
    error[config-invalid] sup/config.ts:2:72 (sup)
      The backgroundTasks of the agent "sup" have options that are not known: tols.
      fix: Known are tools.
    error[config-invalid] sup/config.ts:2:101 (sup)
      The backgroundTasks of the agent "sup" say of "search" that timeoutMs is 0.
      fix: It is a whole number of milliseconds.
    error[config-invalid] sup/config.ts:2:127 (sup)
      The backgroundTasks of the agent "sup" say of "writer" what is no setting: yes.
      fix: backgroundTasks: { tools: { researcher: { enabled: true, timeoutMs: 60_000 } } }"
  `)
})

test('B9.1 B11.10 what agents say is told where the application has no background tasks, and not where somebody turned them off', async () => {
  const files = {
    ...sup('{ tools: { search: true, writer: { enabled: false } } }'),
    ...agent('quiet', {
      'config.ts': config(`${MODEL}, backgroundTasks: { tools: { search: false } }`),
      'tools/search.ts': tool(),
    }),
    ...agent('sup/subagents/writer', {
      'config.ts': subagentConfig('backgroundTasks: { tools: { find: true } }'),
      'tools/find.ts': tool(),
    }),
  }
  expect(await toldOf(files, {})).toMatchInlineSnapshot(`
    "warning[background-tasks-off] sup/config.ts:2:55 (sup)
      "sup" runs "search" in the background, and the application has background tasks turned off
      fix: write backgroundTasks.ts: export default { enabled: true }
    warning[background-tasks-off] sup/subagents/writer/config.ts:2:98 (sup > writer)
      "writer" runs "find" in the background, and the application has background tasks turned off
      fix: write backgroundTasks.ts: export default { enabled: true }"
  `)
  const unsaid = { 'backgroundTasks.ts': 'export default { globalConcurrency: 2 }\n' }
  expect(await toldOf(files, unsaid)).toMatchInlineSnapshot(`
    "warning[background-tasks-off] sup/config.ts:2:55 (sup)
      "sup" runs "search" in the background, and the application has background tasks turned off
      fix: write enabled: true in "backgroundTasks.ts"
    warning[background-tasks-off] sup/subagents/writer/config.ts:2:98 (sup > writer)
      "writer" runs "find" in the background, and the application has background tasks turned off
      fix: write enabled: true in "backgroundTasks.ts""
  `)
  expect(await toldOf(files, { 'backgroundTasks.ts': 'export default { enabled: false }\n' })).toBe('')
  expect(await toldOf(files)).toBe('')
  const coded =
    "import { Retinue } from '@retinue/core'\nexport default new Retinue({ agents: {}, backgroundTasks: { enabled: true } })\n"
  expect(await toldOf(files, { 'index.ts': coded })).toBe('')
})

test('B11.2 backgroundTasks.ts: what is no settings, or wrong ones, is told at its place', async () => {
  const texts = {
    function: 'export default () => ({ enabled: true })\n',
    named: 'export const backgroundTasks = { enabled: true }\n',
    promise: 'export default Promise.resolve({})\n',
    typo: 'export default {\n  enabled: true,\n  globalConcurency: 2,\n}\n',
    zero: 'export default { enabled: true, perAgentConcurrency: 0 }\n',
    yes: "export default { enabled: 'yes' }\n",
  }
  const found = await Promise.all(
    Object.values(texts).map((text) => toldOf(agent('sup'), { 'backgroundTasks.ts': text })),
  )
  expect(found.join('\n')).toMatchInlineSnapshot(`
    "error[default-export-invalid] backgroundTasks.ts:1:16 (the application)
      "backgroundTasks.ts" exports a function as its default
      fix: write: export default { enabled: true }
    error[default-export-invalid] backgroundTasks.ts:1:1 (the application)
      "backgroundTasks.ts" has no default export; it exports only "backgroundTasks"
      fix: write: export default { enabled: true }
    error[default-export-invalid] backgroundTasks.ts:1:16 (the application)
      "backgroundTasks.ts" exports a promise as its default
      fix: await it: export default await …
    error[background-tasks-invalid] backgroundTasks.ts:3:21 (the application)
      The backgroundTasks of the application have options that are not known: globalConcurency.
      fix: Known are enabled, globalConcurrency, perAgentConcurrency, onLimit.
    error[background-tasks-invalid] backgroundTasks.ts:1:54 (the application)
      The perAgentConcurrency of the backgroundTasks is 0.
      fix: It is a whole number of 1 or more.
    error[background-tasks-invalid] backgroundTasks.ts:1:27 (the application)
      The enabled of the backgroundTasks is yes.
      fix: It is true or false."
  `)
  expect(await codesOfBoth(project(agent('sup'), { 'backgroundTasks.ts': texts.typo }))).toEqual([
    'background-tasks-invalid',
  ])
  expect(await toldOf(agent('sup'), { 'background-tasks.ts': 'export default {}\n' })).toContain(
    'did you mean "backgroundTasks.ts"?',
  )
})
