import { expect, test } from 'vitest'
import {
  agent,
  below,
  config,
  findingsIn,
  findingsOf,
  tempProject,
  told,
  toldOf,
  tool,
} from '../../test-support/temp-project.ts'
import { findFiles, settleFiles } from '../discover/discover.ts'
import { MemoryTree } from '../tree/memory-tree.ts'
import { SourceError, type SourceTree } from '../tree/source-tree.ts'

test('B11.10 near misses in an agent, with what was meant', async () => {
  const files = {
    'instructions.MD': 'x',
    'Tools/x.ts': tool(),
    'proccessors/input/x.ts': '',
    'sub-agents/x/config.ts': '',
    'config.json': '{}',
    'notes.txt': '',
    'stuff/x.ts': '',
  }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[entry-ignored] sup/Tools:1:1 (sup)
      the folder "sup/Tools" is ignored: nothing is called that; did you mean "tools/"?
      fix: rename it to "tools/"
    warning[entry-ignored] sup/config.json:1:1 (sup)
      the file "sup/config.json" is ignored: nothing is called that; did you mean "config.ts"?
      fix: rename it to "config.ts"
    warning[entry-ignored] sup/instructions.MD:1:1 (sup)
      the file "sup/instructions.MD" is ignored: nothing is called that; did you mean "instructions.md"?
      fix: rename it to "instructions.md"
    warning[entry-ignored] sup/notes.txt:1:1 (sup)
      the file "sup/notes.txt" is ignored: of files, only "config.ts", "agent.md", "instructions.md", "instructions.ts", "hooks.ts", "workspace.ts", "memory.ts" are read here
      fix: move it elsewhere, or remove it; a file that an agent's own modules import may stay
    warning[entry-ignored] sup/proccessors:1:1 (sup)
      the folder "sup/proccessors" is ignored: nothing is called that; did you mean "processors/"?
      fix: rename it to "processors/"
    warning[entry-ignored] sup/stuff:1:1 (sup)
      the folder "sup/stuff" is ignored: of folders, only "tools/", "workspace/", "subagents/", "skills/", "processors/", "scorers/", "schedules/" are read here
      fix: move it elsewhere, or remove it; a folder that an agent's own modules import may stay
    warning[entry-ignored] sup/sub-agents:1:1 (sup)
      the folder "sup/sub-agents" is ignored: nothing is called that; did you mean "subagents/"?
      fix: rename it to "subagents/""
  `)
})

test('B11.10 what is no tool in tools/', async () => {
  const files = { 'tools/nested/deep.ts': tool(), 'tools/view.tsx': '1', 'tools/notes.md': '' }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[entry-ignored] sup/tools/nested:1:1 (sup)
      the folder "sup/tools/nested" is ignored: only files directly in "tools/" are read, each as a tool
      fix: move the files of "nested/" up into "tools/"; what only your own modules import may stay
    warning[entry-ignored] sup/tools/notes.md:1:1 (sup)
      the file "sup/tools/notes.md" is ignored: a tool is a .ts, .mts, .js, .mjs file
      fix: rename it to "notes.ts", or move it out of "tools/"
    warning[entry-ignored] sup/tools/view.tsx:1:1 (sup)
      the file "sup/tools/view.tsx" is ignored: a tool is a .ts, .mts, .js, .mjs file
      fix: rename it to "view.ts", or move it out of "tools/""
  `)
})

test('B11.10 folders and files that are no agents', async () => {
  const files = {
    'near/Config.ts': config(),
    'group/inner/config.ts': config(),
    empty: null,
    'half/tools/a.ts': tool(),
    'flat.ts': '',
    'flat.md': '',
    'sup/subagents/kid.ts': '',
  }
  expect(await toldOf({ ...agent('sup'), ...files })).toMatchInlineSnapshot(`
    "warning[entry-ignored] empty:1:1 (the application)
      the folder "empty" is ignored: it holds no config.ts, no instructions.md and no agent.md, so it is no agent
      fix: add "empty/config.ts" and "empty/instructions.md", or remove the folder
    warning[entry-ignored] flat.md:1:1 (the application)
      the file "flat.md" is ignored: an agent is a folder, and this is a file
      fix: move it to "flat/instructions.md"
    warning[entry-ignored] flat.ts:1:1 (the application)
      the file "flat.ts" is ignored: an agent is a folder, and this is a file
      fix: move it to "flat/config.ts"
    warning[entry-ignored] group:1:1 (the application)
      the folder "group" is ignored: it holds no config.ts, no instructions.md and no agent.md, so it is no agent
      fix: move "inner/" up one level
    warning[entry-ignored] half:1:1 (the application)
      the folder "half" is ignored: it holds no config.ts, no instructions.md and no agent.md, so it is no agent
      fix: add "half/config.ts" and "half/instructions.md", or remove the folder
    warning[entry-ignored] near:1:1 (the application)
      the folder "near" is ignored: it holds no config.ts, no instructions.md and no agent.md, so it is no agent
      fix: correct what the other findings say of the files in it
    warning[entry-ignored] near/Config.ts:1:1 (the application)
      the file "near/Config.ts" is ignored: nothing is called that; did you mean "config.ts"?
      fix: rename it to "config.ts"
    warning[entry-ignored] sup/subagents/kid.ts:1:1 (sup)
      the file "sup/subagents/kid.ts" is ignored: an agent is a folder, and this is a file
      fix: move it to "kid/config.ts""
  `)
})

test('B11.10 a file where a folder belongs, and the other way round', async () => {
  const files = { ...agent('sup', { tools: 'x', subagents: 'x', workspace: 'x' }), 'dir/config.ts': config() }
  expect(await toldOf({ ...files, 'dir/instructions.md/x.md': 'x' })).toMatchInlineSnapshot(`
    "error[instructions-missing] dir/config.ts:2:16 (dir)
      agent "dir" has no instructions
      fix: write them into "dir/instructions.md"
    warning[entry-ignored] dir/instructions.md:1:1 (dir)
      the folder "dir/instructions.md" is ignored: "instructions.md" is a file here, and this is a folder
      fix: make it a file, or remove it
    warning[entry-ignored] sup/subagents:1:1 (sup)
      the file "sup/subagents" is ignored: "subagents/" is a folder here, and this is a file
      fix: make it a folder, or remove it
    warning[entry-ignored] sup/tools:1:1 (sup)
      the file "sup/tools" is ignored: "tools/" is a folder here, and this is a file
      fix: make it a folder, or remove it
    warning[entry-ignored] sup/workspace:1:1 (sup)
      the file "sup/workspace" is ignored: "workspace/" is a folder here, and this is a file
      fix: make it a folder, or remove it"
  `)
})

test('B11.10 links are told and not followed', async () => {
  const links = {
    'sup/subagents/linked': { link: '../../other' },
    'sup/subagents/loop': { link: '..' },
    'sup/tools/linked.ts': { link: '/nowhere.ts' },
    'sup/workspace/deep/passwd': { link: '/etc/passwd' },
    linked: { link: 'sup' },
    'half/config.ts': { link: '../sup/config.ts' },
  }
  expect(await toldOf({ ...agent('sup'), ...agent('other'), ...links })).toMatchInlineSnapshot(`
    "warning[entry-ignored] half:1:1 (the application)
      the folder "half" is ignored: it holds no config.ts, no instructions.md and no agent.md, so it is no agent
      fix: correct what the other findings say of the files in it
    warning[entry-ignored] half/config.ts:1:1 (the application)
      the link "half/config.ts" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] linked:1:1 (the application)
      the link "linked" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] sup/subagents/linked:1:1 (sup)
      the link "sup/subagents/linked" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] sup/subagents/loop:1:1 (sup)
      the link "sup/subagents/loop" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] sup/tools/linked.ts:1:1 (sup)
      the link "sup/tools/linked.ts" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] sup/workspace/deep/passwd:1:1 (sup)
      the link "sup/workspace/deep/passwd" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to"
  `)
})

test('B11.10 tests, declarations, dotfiles and README files are passed over', async () => {
  const quiet = [
    'README.md',
    'readme',
    '.env',
    '.DS_Store',
    'types.d.ts',
    'config.test.ts',
    'config.spec.mts',
    '__tests__/a.ts',
  ]
  const inTools = ['search.test.ts', 'search.spec.ts', 'search.test.mts', 'types.d.ts', 'README.md', '.hidden.ts']
  const files = [...quiet, ...inTools.map((name) => `tools/${name}`), ...quiet.map((name) => `subagents/${name}`)]
  const more = Object.fromEntries(files.map((name) => [name, 'not ( parsed']))
  expect(await findingsOf({ ...agent('sup', more), 'README.md': '', '.keep': '' })).toEqual([])
})

test("B11.10 what an agent's own modules import is passed over, directly or not, and files read beside a module", async () => {
  const own = `import './lib/one'\nimport '../shared.js'\nconst url = new URL('./data.bin', import.meta.url)\n${config()}`
  const files = {
    'config.ts': own,
    'lib/one.ts': "export * from './two.ts'\n",
    'lib/two.ts': "export const later = () => import('./three')\n",
    'lib/three/index.ts': '',
    'data.bin': 'x',
    'notes/daily.ts': '',
    'tools/a.ts': `import '../notes/daily.ts'\nimport './helpers/b.ts'\n${tool()}`,
    'tools/helpers/b.ts': '',
  }
  expect(await findingsOf({ ...agent('sup', files), 'shared.ts': '' })).toEqual([])
  // Of a folder that is imported in part, the rest is told file by file.
  expect(
    await toldOf({ ...agent('sup', { ...files, 'lib/four.ts': '', 'lib/README.md': '' }), 'shared.ts': '' }),
  ).toMatchInlineSnapshot(`
    "warning[entry-ignored] sup/lib/four.ts:1:1 (sup)
      the file "sup/lib/four.ts" is ignored: other files of this folder are imported, and nothing imports this one
      fix: import it, or remove it"
  `)
})

test('B11.10 what else is in a folder of which a part is imported: links as links, folders that can not be read', () => {
  const files = new MemoryTree({
    'src/retinue/agents/sup/config.ts': `import './lib/used.ts'\n${config()}`,
    'src/retinue/agents/sup/lib/used.ts': '',
    'src/retinue/agents/sup/lib/deep/unused.ts': '',
    'src/retinue/agents/sup/lib/deep/linked': { link: '../../../other' },
    'src/retinue/agents/sup/lib/locked/secret.ts': '',
  })
  const tree: SourceTree = {
    kindOf: (path) => files.kindOf(path),
    read: (path) => files.read(path),
    list(path) {
      if (path.endsWith('/locked')) throw new SourceError(path, 'there is no permission to read it')
      return files.list(path)
    },
  }
  const at = (path: string): string => `src/retinue/agents/sup/lib/${path}`
  expect(settleFiles(findFiles(tree)).agents.flatMap(({ notes }) => notes)).toEqual([
    expect.objectContaining({ kind: 'ignored', path: at('deep/linked'), what: 'link' }),
    expect.objectContaining({ kind: 'ignored', path: at('deep/unused.ts'), what: 'file' }),
    { kind: 'unreadable', path: at('locked'), reason: 'there is no permission to read it' },
  ])
})

test('B11.10 a folder that is passed over by its name, and is written as an agent', async () => {
  const files = {
    'node_modules/config.ts': config(),
    'node_modules/package/index.ts': '',
    ...agent('sup', {
      'subagents/node_modules/agent.md': 'Work.',
      'subagents/__tests__/a.test.ts': '',
      'subagents/.old/config.ts': '',
    }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[entry-ignored] node_modules:1:1 (the application)
      the folder "node_modules" is ignored: a folder called "node_modules" is passed over, and this one is written as an agent
      fix: rename the folder, or move it to another place
    warning[entry-ignored] sup/subagents/node_modules:1:1 (sup)
      the folder "sup/subagents/node_modules" is ignored: a folder called "node_modules" is passed over, and this one is written as an agent
      fix: rename the folder, or move it to another place"
  `)
})

test('B11.2 slots of the application that this version does not read are told', async () => {
  const names = ['observability.ts', 'Storage.ts', 'Observability.ts', 'workflows/a.ts', 'notes.txt']
  const files = Object.fromEntries(names.map((name) => [name, 'not ( parsed']))
  const root = tempProject(below('src/retinue', { ...below('agents', agent('sup')), ...files, 'lib.test.ts': '' }))
  expect(told(await findingsIn(root))).toMatchInlineSnapshot(`
    "warning[entry-ignored] src/retinue/Observability.ts:1:1 (the application)
      the file "src/retinue/Observability.ts" is ignored: nothing is called that; did you mean "observability.ts"?
      fix: rename it to "observability.ts" (which this version of Retinue does not read yet)
    warning[entry-ignored] src/retinue/Storage.ts:1:1 (the application)
      the file "src/retinue/Storage.ts" is ignored: nothing is called that; did you mean "storage.ts"?
      fix: rename it to "storage.ts"
    warning[entry-ignored] src/retinue/notes.txt:1:1 (the application)
      the file "src/retinue/notes.txt" is ignored: of files, only "storage.ts", "memory.ts", "logger.ts", "backgroundTasks.ts", "server.ts", "index.ts" are read here
      fix: move it elsewhere, or remove it; a file that an agent's own modules import may stay
    warning[slot-unsupported] src/retinue/observability.ts:1:1 (the application)
      this version of Retinue doesn't read "observability.ts" (src/retinue/observability.ts)
      fix: remove it, or keep it for a version that reads it
    warning[entry-ignored] src/retinue/workflows:1:1 (the application)
      the folder "src/retinue/workflows" is ignored: of folders, only "agents/" are read here
      fix: move it elsewhere, or remove it; a folder that an agent's own modules import may stay"
  `)
})

test('B11.10 what can not be read is an error with its path', async () => {
  const utf16 = new Uint8Array([0xff, 0xfe, 0x41, 0])
  const files = {
    ...agent('sup', { 'instructions.md': utf16, 'tools/a.ts': utf16 }),
    ...agent('other', { 'config.ts': new Uint8Array([0x41, 0xff]), 'instructions.md': 'a\0b' }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[file-unreadable] other/config.ts:1:1 (other)
      "other/config.ts" can't be read: it is not valid UTF-8
      fix: save it as UTF-8
    error[file-unreadable] other/instructions.md:1:1 (other)
      "other/instructions.md" can't be read: it holds NUL characters, so it is not UTF-8 text
      fix: save it as UTF-8
    error[file-unreadable] sup/instructions.md:1:1 (sup)
      "sup/instructions.md" can't be read: it is UTF-16; only UTF-8 is read
      fix: save it as UTF-8
    error[file-unreadable] sup/tools/a.ts:1:1 (sup)
      "sup/tools/a.ts" can't be read: it is UTF-16; only UTF-8 is read
      fix: save it as UTF-8"
  `)
})

test('B11.3 a byte order mark and CRLF change nothing', async () => {
  const files = agent('sup', {
    'instructions.md': '\uFEFFWork.\r\n',
    'config.ts': `\uFEFF${config('').replaceAll('\n', '\r\n')}`,
  })
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[model-missing] sup/config.ts:2:16 (sup)
      agent "sup" has no model
      fix: write model: 'openai/gpt-5.5', or another 'provider/model', or an AI SDK model"
  `)
})
