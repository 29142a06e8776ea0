import { existsSync } from 'node:fs'
import { join } from 'node:path'
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
  tool,
} from '../../test-support/temp-project.ts'

/** A module that would be a finding if it were loaded. */
const NOT_RUN = "throw new Error('run')\n"

function settings(fields: string): string {
  return `import { workspaceConfig } from '@retinue/core/workspace'\nexport default workspaceConfig({ ${fields} })\n`
}

const MADE = `import { createTool } from '@retinue/core/tools'
const look = createTool({ id: 'look', execute: () => 'seen' })
export default { id: 'own', tools: { look } }
`

test('B11.2 B11.9 workspace.ts is read at every level, in every extension, also beside seeds and an agent.md', async () => {
  for (const extension of ['ts', 'mts', 'js', 'mjs']) {
    const name = `workspace.${extension}`
    const all =
      settings(`tools: ['workspace_read_file'], root: undefined, limits: { readBytes: 9, writeBytes: 9, listedFiles: 9, searchResults: 9 },
      shell: { requireApproval: () => true, timeoutMs: 9, outputBytes: 9, env: { A: 'b' } }`)
    const files = {
      ...agent('sup', { [name]: all, 'workspace/a.md': 'x' }),
      ...agent('sup/subagents/kid', { [name]: settings("root: 'content', readOnly: true") }),
      ...agent('made', { [name]: MADE }),
      'md/agent.md': '---\nmodel: openai/gpt-5.5\n---\nWork.\n',
      [`md/${name}`]: 'export default {}\n',
    }
    expect(await findingsOf(files)).toEqual([])
  }
})

test('B11.3 workspace.ts exports a plain object of settings, or a workspace, as its default', async () => {
  const files = {
    ...agent('class', { 'workspace.ts': 'export default class Workspace {}\n' }),
    ...agent('instance', { 'workspace.ts': 'export default new Map()\n' }),
    ...agent('list', { 'workspace.ts': 'export default []\n' }),
    ...agent('named', { 'workspace.mts': 'export const readOnly = true\n' }),
    ...agent('promise', { 'workspace.ts': 'export default Promise.resolve({})\n' }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[default-export-invalid] class/workspace.ts:1:16 (class)
      "workspace.ts" exports a class as its default
      fix: write: export default workspaceConfig({ readOnly: true })
    error[default-export-invalid] instance/workspace.ts:1:20 (instance)
      "workspace.ts" exports an object of class Map as its default
      fix: write: export default workspaceConfig({ readOnly: true })
    error[default-export-invalid] list/workspace.ts:1:16 (list)
      "workspace.ts" exports a list as its default
      fix: write: export default workspaceConfig({ readOnly: true })
    error[default-export-invalid] named/workspace.mts:1:1 (named)
      "workspace.mts" has no default export; it exports only "readOnly"
      fix: write: export default workspaceConfig({ readOnly: true })
    error[default-export-invalid] promise/workspace.ts:1:16 (promise)
      "workspace.ts" exports a promise as its default
      fix: await it: export default await …"
  `)
})

test('B11.9 settings that mean nothing, with what was meant and their lines', async () => {
  const wrong = `import { workspaceConfig } from '@retinue/core/workspace'
export default workspaceConfig({
  readonly: true,
  readOnly: 'yes',
  root: '../outside',
  tools: ['workspace_read_files', 'workspace_write_file', 5],
  limits: { readBytes: 0, writeByte: 5, listedFiles: 1.5, searchResults: '9' },
  shell: { requireApprovals: false, requireApproval: null, timeoutMs: -1, env: { A: 1 } },
})
`
  const both = settings("readOnly: true, shell: true, tools: ['workspace_read_file', 'workspace_edit_file']")
  const files = {
    ...agent('both', { 'workspace.ts': both }),
    ...agent('kinds', { 'workspace.ts': "export default { root: ' ', tools: 'all', limits: [], shell: 'bash' }\n" }),
    ...agent('made', { 'workspace.ts': "export default { id: 'w', tools: { look: 5 } }\n" }),
    ...agent('wrong', { 'workspace.ts': wrong }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[workspace-invalid] both/workspace.ts:2:57 (both)
      shell is on, and readOnly is true: a command can write
      fix: remove one of the two
    error[workspace-invalid] both/workspace.ts:2:70 (both)
      tools names "workspace_edit_file", and readOnly is true
      fix: remove one of the two
    error[workspace-invalid] kinds/workspace.ts:1:24 (kinds)
      root is not the path of a folder
      fix: write the path of a folder, or leave it out
    error[workspace-invalid] kinds/workspace.ts:1:36 (kinds)
      tools is not a list of names, such as ['workspace_read_file']
      fix: write a list of names, such as ['workspace_read_file'], or leave it out
    error[workspace-invalid] kinds/workspace.ts:1:51 (kinds)
      limits is not an object of numbers
      fix: write an object of numbers, or leave it out
    error[workspace-invalid] kinds/workspace.ts:1:62 (kinds)
      shell is not true, or an object of options
      fix: write true, or an object of options, or leave it out
    error[workspace-invalid] made/workspace.ts:1:16 (made)
      "look" in the tools of the agent "made" is no tool.
      fix: Make it with createTool({ id, description, inputSchema, execute }).
    error[workspace-invalid] wrong/workspace.ts:3:3 (wrong)
      "readonly" means nothing here
      fix: did you mean "readOnly"? known are readOnly, tools, root, limits, shell
    error[workspace-invalid] wrong/workspace.ts:4:13 (wrong)
      readOnly is not true or false
      fix: write true or false, or leave it out
    error[workspace-invalid] wrong/workspace.ts:5:9 (wrong)
      root leads out of the project: "../outside"
      fix: write a path below the project, or an absolute one
    error[workspace-invalid] wrong/workspace.ts:6:10 (wrong)
      tools names "workspace_read_files", which is no tool of a workspace
      fix: did you mean "workspace_read_file"? known are workspace_read_file, workspace_list_files, workspace_search_files, workspace_stat_file, workspace_write_file, workspace_edit_file, workspace_delete_file
    error[workspace-invalid] wrong/workspace.ts:6:10 (wrong)
      tools names something that is no text, which is no tool of a workspace
      fix: known are workspace_read_file, workspace_list_files, workspace_search_files, workspace_stat_file, workspace_write_file, workspace_edit_file, workspace_delete_file
    error[workspace-invalid] wrong/workspace.ts:7:24 (wrong)
      limits.readBytes is not a whole number above 0
      fix: write a whole number above 0, or leave it out
    error[workspace-invalid] wrong/workspace.ts:7:27 (wrong)
      "limits.writeByte" means nothing here
      fix: did you mean "writeBytes"? known are readBytes, writeBytes, listedFiles, searchResults
    error[workspace-invalid] wrong/workspace.ts:7:54 (wrong)
      limits.listedFiles is not a whole number above 0
      fix: write a whole number above 0, or leave it out
    error[workspace-invalid] wrong/workspace.ts:7:74 (wrong)
      limits.searchResults is not a whole number above 0
      fix: write a whole number above 0, or leave it out
    error[workspace-invalid] wrong/workspace.ts:8:12 (wrong)
      "shell.requireApprovals" means nothing here
      fix: did you mean "requireApproval"? known are requireApproval, timeoutMs, outputBytes, env
    error[workspace-invalid] wrong/workspace.ts:8:54 (wrong)
      shell.requireApproval is not true, false, or a function that decides
      fix: write true, false, or a function that decides, or leave it out
    error[workspace-invalid] wrong/workspace.ts:8:71 (wrong)
      shell.timeoutMs is not a whole number above 0
      fix: write a whole number above 0, or leave it out
    error[workspace-invalid] wrong/workspace.ts:8:80 (wrong)
      shell.env is not an object of texts
      fix: write an object of texts, or leave it out"
  `)
})

test('B11.9 what an agent writes is never among the sources', async () => {
  const root = "root: './src/retinue/agents/sup/workspace/'"
  expect(await toldOf(agent('sup', { 'workspace.ts': settings(root) }))).toMatchInlineSnapshot(`
    "error[workspace-invalid] sup/workspace.ts:2:40 (sup)
      root is a folder of the application's sources: what the agent writes would be among them
      fix: write another folder, add readOnly: true, or leave root out and put the files into "sup/workspace/""
  `)
  expect(await findingsOf(agent('sup', { 'workspace.ts': settings(`${root}, readOnly: true`) }))).toEqual([])
  expect(await findingsOf(agent('sup', { 'workspace.ts': settings("root: 'src/retinue-notes'") }))).toEqual([])
})

test('B11.9 a workspace belongs to one agent: neither the same folder nor one inside another’s', async () => {
  const kid = (part: string, root: string, more = ''): Files => ({
    ...agent(`sup/subagents/${part}`, { 'workspace.ts': settings(`root: '${root}'${more}`) }),
    [`sup/subagents/${part}/config.ts`]: subagentConfig('', part),
  })
  const files = {
    ...agent('sup', { 'workspace/a.md': '' }),
    ...kid('inner', '.retinue/data/workspaces/sup/files/inner'),
    ...kid('one', 'content', ', readOnly: true'),
    ...kid('two', 'content/.', ', readOnly: true'),
    ...kid('writes', './content/drafts'),
    ...kid('elsewhere', '/srv/content'),
    ...kid('other', 'content-2'),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[workspace-shared] sup/subagents/inner/workspace.ts:2:40 (sup > inner)
      the workspaces of "inner" and "sup" are in one folder: ".retinue/data/workspaces/sup/files/inner" and ".retinue/data/workspaces/sup/files"
      fix: give each a folder of its own, neither inside the other, or add readOnly: true to both
    error[workspace-shared] sup/subagents/writes/workspace.ts:2:40 (sup > writes)
      the workspaces of "writes" and "one" are in one folder: "content/drafts" and "content"
      fix: give each a folder of its own, neither inside the other, or add readOnly: true to both"
  `)
})

test('B11.4 the config wins over workspace.ts and the seeds, which are not run; a made workspace wins over the seeds', async () => {
  const off = config(`${MODEL}, workspace: undefined`)
  const files = {
    ...agent('made', { 'workspace.ts': MADE, 'workspace/a.md': '' }),
    ...agent('off', { 'config.ts': off, 'workspace.ts': NOT_RUN, 'workspace/a.md': '' }),
    ...agent('twice', { 'workspace.ts': settings(''), 'workspace.js': NOT_RUN }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[source-overridden] made/workspace:1:1 (made)
      workspace: "made/workspace.ts" wins over "made/workspace"
      fix: remove one of the two (made/workspace.ts, made/workspace)
    warning[source-overridden] off/workspace:1:1 (off)
      workspace: "workspace in off/config.ts" wins over "off/workspace"
      fix: remove one of the two (workspace in off/config.ts, off/workspace)
    warning[source-overridden] off/workspace.ts:1:1 (off)
      workspace: "workspace in off/config.ts" wins over "off/workspace.ts"
      fix: remove one of the two (workspace in off/config.ts, off/workspace.ts)
    warning[source-overridden] twice/workspace.js:1:1 (twice)
      workspace: "twice/workspace.ts" wins over "twice/workspace.js"
      fix: remove one of the two (twice/workspace.ts, twice/workspace.js)"
  `)
})

test('B1.5 B11.6 the names of a workspace’s tools are taken, for tools and for subagents, wherever it comes from', async () => {
  const coded = config(`${MODEL}, workspace: { id: 'w', tools: { look: t } }`)
  const files = {
    ...agent('config', { 'config.ts': `import t from './t'\n${coded}`, 't.ts': tool() }),
    ...agent('config/subagents/look'),
    ...agent('made', { 'workspace.ts': MADE, 'tools/look.ts': tool() }),
    ...agent('off', {
      'workspace.ts': settings("tools: ['workspace_read_file']"),
      'tools/workspace_edit_file.ts': tool(),
    }),
    ...agent('shell', { 'workspace.ts': settings('shell: true') }),
    ...agent('shell/subagents/workspace_run_command'),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[subagent-tool-collision] config/subagents/look/config.ts:1:1 (config)
      "config" has a subagent and a tool that are both called "look": config/subagents/look and config.workspace in config/config.ts
      fix: rename the subagent "look"
    error[tool-collision] made/tools/look.ts:2:16 (made)
      the tool "look" (made/tools/look.ts) has the name of the tool of "made/workspace.ts"
      fix: rename it, for example to "my_look"
    error[subagent-tool-collision] shell/subagents/workspace_run_command/config.ts:1:1 (shell)
      "shell" has a subagent and a tool that are both called "workspace_run_command": shell/subagents/workspace_run_command and the tool of "shell/workspace.ts"
      fix: rename the subagent "workspace_run_command""
  `)
})

test('B11.10 near misses of workspace.ts, and seeds that no tool could ask for', async () => {
  const files = {
    ...agent('near', { 'Workspace.ts': '', 'workspace.json': '', 'work-space/a.md': '' }),
    ...agent('seeds', { 'workspace/a\\b.md': '', 'workspace/c\nd/e.md': '', 'workspace/ok é.md': '' }),
    ...agent('secrets', { 'workspace/tls.key': '', 'workspace/.env.sample': '' }),
    ...agent('swapped', { workspace: 'a file', 'workspace.ts/a.md': '' }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[entry-ignored] near/Workspace.ts:1:1 (near)
      the file "near/Workspace.ts" is ignored: nothing is called that; did you mean "workspace.ts"?
      fix: rename it to "workspace.ts"
    warning[entry-ignored] near/work-space:1:1 (near)
      the folder "near/work-space" is ignored: nothing is called that; did you mean "workspace/"?
      fix: rename it to "workspace/"
    warning[entry-ignored] near/workspace.json:1:1 (near)
      the file "near/workspace.json" is ignored: nothing is called that; did you mean "workspace.ts"?
      fix: rename it to "workspace.ts"
    warning[entry-ignored] secrets/workspace/tls.key:1:1 (secrets)
      the file "secrets/workspace/tls.key" is ignored: what is called so may hold secrets or was installed, and no agent gets it
      fix: move it out of the workspace, or rename it if agents may read it
    warning[entry-ignored] seeds/workspace/a\\b.md:1:1 (seeds)
      the file "seeds/workspace/a\\b.md" is ignored: its name is one by which no tool of a workspace may ask for it
      fix: rename it: letters, digits, blanks, ".", "_" and "-" are safe
    warning[entry-ignored] seeds/workspace/c
    d:1:1 (seeds)
      the folder "seeds/workspace/c
    d" is ignored: its name is one by which no tool of a workspace may ask for it
      fix: rename it: letters, digits, blanks, ".", "_" and "-" are safe
    warning[entry-ignored] swapped/workspace:1:1 (swapped)
      the file "swapped/workspace" is ignored: "workspace/" is a folder here, and this is a file
      fix: make it a folder, or remove it
    warning[entry-ignored] swapped/workspace.ts:1:1 (swapped)
      the folder "swapped/workspace.ts" is ignored: "workspace.ts" is a file here, and this is a folder
      fix: make it a file, or remove it"
  `)
})

test('B11.10 R17 seeds that no agent gets are told, also hidden ones, and those in folders below; hidden ones that it gets are not', async () => {
  const told = [
    '.env',
    '.git/HEAD',
    '.npmrc',
    'a/.env.local',
    'a/.hidden/.netrc',
    'a/__tests__/k.pem',
    'a/node_modules/n.js',
  ]
  const quiet = ['.env.example', '.gitignore', '.hidden/a.md', 'README.md', 'a/a.test.ts', 'a/__tests__/a.md']
  const seeds = Object.fromEntries([...told, ...quiet].map((name) => [`workspace/${name}`, '']))
  const findings = await findingsOf(agent('sup', seeds))
  const names = ['.env', '.git', '.npmrc', 'a/.env.local', 'a/.hidden/.netrc', 'a/__tests__/k.pem', 'a/node_modules']
  expect(findings.map(({ code, file }) => [code, file])).toEqual(
    names.map((name) => ['entry-ignored', `sup/workspace/${name}`]),
  )
  expect(findings[1]?.message).toBe(
    'the folder "sup/workspace/.git" is ignored: what is called so may hold secrets or was installed, and no agent gets it',
  )
})

test('instructions may name the tools that workspace.ts brings; where they are not known, nothing is said of names', async () => {
  const prompt = 'Call the `workspace_run_command` tool.\n'
  const sup = (code: string): Files => agent('sup', { 'instructions.md': prompt, 'workspace.ts': code })
  expect(await findingsOf(sup(settings('shell: true')))).toEqual([])
  const codes = async (code: string): Promise<string[]> => (await findingsOf(sup(code))).map((finding) => finding.code)
  expect(await codes(settings('shell: false'))).toEqual(['instructions-name-unknown'])
  expect(await codes(settings('shell: 5'))).toEqual(['workspace-invalid'])
  expect(await codes(NOT_RUN)).toEqual(['module-failed'])
})

test('B11.11 B11.9 the same findings in this process or another, and nothing is copied by check', async () => {
  const files = {
    ...agent('sup', { 'workspace.ts': settings('readonly: true, shell: { env: 5 }'), 'workspace/a.md': 'x' }),
    ...agent('other', { 'workspace.ts': 'export default Promise.resolve({})\n' }),
  }
  const root = agentsProject(files)
  expect(await codesOfBoth(root)).toEqual(['default-export-invalid', 'workspace-invalid', 'workspace-invalid'])
  expect(existsSync(join(root, '.retinue'))).toBe(false)
})
