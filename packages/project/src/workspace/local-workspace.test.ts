import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from '@retinue/core/agent'
import { scriptedModels } from '@retinue/core/testing'
import type { WorkspaceSettings } from '@retinue/core/workspace'
import { expect, test } from 'vitest'
import { callTool } from '../../test-support/guarded-workspace.ts'
import { tempProject } from '../../test-support/temp-project.ts'
import { createLocalWorkspace } from './local-workspace.ts'
import { READING_TOOLS, WORKSPACE_TOOLS, workspaceToolNames } from './tool-names.ts'

const READ_BYTES = 256 * 1024

type Call = (name: string, input?: Readonly<Record<string, unknown>>) => Promise<unknown>

/** Calls the tools of a workspace by the ends of their names. */
function toolsOf(root: string, settings: WorkspaceSettings = {}): Call {
  const workspace = createLocalWorkspace({ ...settings, id: 'w', root })
  return (name, input = {}) => callTool(workspace, `workspace_${name}`, input)
}

const refusal = (message: string): object => ({ code: 'workspace-file-refused', message })

test('B11.9 a workspace has file tools, described for a model, and no shell', () => {
  const { id, tools } = createLocalWorkspace({ id: 'w', root: '/nowhere' })
  expect([id, Object.keys(tools)]).toEqual(['w', WORKSPACE_TOOLS])
  for (const { description, inputSchema, requireApproval } of Object.values(tools)) {
    expect(description).toMatch(/workspace/)
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(requireApproval).toBe(undefined)
  }
  expect(() => new Agent({ id: 'a', model: 'openai/x', workspace: { id, tools } })).not.toThrow()
})

test('B11.9 settings choose the tools; a read-only workspace has none that change anything', () => {
  const names = (settings: WorkspaceSettings): string[] => {
    const { tools } = createLocalWorkspace({ ...settings, id: 'w', root: '/nowhere' })
    expect(workspaceToolNames(settings)).toEqual(Object.keys(tools))
    return Object.keys(tools)
  }
  expect(names({ readOnly: true })).toEqual(READING_TOOLS)
  expect(names({ tools: ['workspace_write_file', 'workspace_read_file'] })).toEqual([
    'workspace_read_file',
    'workspace_write_file',
  ])
  expect(names({ tools: [], shell: true })).toEqual(['workspace_run_command'])
  expect(names({ shell: false })).toEqual(WORKSPACE_TOOLS)
})

test('B11.9 settings that mean nothing are refused: a slip must not make a workspace writable', () => {
  const make = (settings: object) => () => createLocalWorkspace({ ...settings, id: 'w', root: '/nowhere' })
  for (const settings of [{ readonly: true }, { limits: { read: 1 } }, { shell: { requireApproval: null } }]) {
    expect(make(settings)).toThrow(expect.objectContaining({ code: 'workspace-invalid' }))
  }
})

test('B11.9 reading gives the text or some lines, listing the paths and sizes', async () => {
  const root = join(
    tempProject({ 'w/draft.md': '\uFEFFTitle: é\n', 'w/notes/a.md': '', 'w/l.md': 'a\nb\r\nc', 'w/one.md': 'a' }),
    'w',
  )
  const call = toolsOf(root)
  expect(await call('read_file', { path: 'draft.md' })).toEqual({ path: 'draft.md', text: 'Title: é\n' })
  const lines = { path: 'l.md', firstLine: 2, lastLine: 2 }
  expect(await call('read_file', lines)).toEqual({ ...lines, text: 'b\r\n', totalLines: 3 })
  expect(await call('read_file', { path: 'l.md', firstLine: 2 })).toMatchObject({ text: 'b\r\nc', lastLine: 3 })
  expect(await call('read_file', { path: 'l.md', lastLine: 1 })).toMatchObject({ text: 'a\n', firstLine: 1 })
  const outside = [
    [{ path: 'l.md', firstLine: 4, lastLine: 9 }, 'it has 3 lines, and reading was to begin at line 4', 'from 1 to 3.'],
    [{ path: 'l.md', firstLine: 5 }, 'it has 3 lines, and reading was to begin at line 5', 'from 1 to 3.'],
    [{ path: 'one.md', firstLine: 5 }, 'it has 1 line, and reading was to begin at line 5', 'Read it whole'],
    [{ path: 'l.md', firstLine: 3, lastLine: 1 }, 'firstLine 3 comes after lastLine 1', 'not greater than lastLine'],
  ] as const
  for (const [input, reason, hint] of outside) {
    await expect(call('read_file', input)).rejects.toMatchObject({
      ...refusal(`"${input.path}" can't be read: ${reason}.`),
      hint: expect.stringContaining(hint),
    })
  }
  const files = [
    { path: 'draft.md', size: 13 },
    { path: 'l.md', size: 6 },
    { path: 'notes/a.md', size: 0 },
    { path: 'one.md', size: 1 },
  ]
  expect(await call('list_files')).toEqual({ files })
  expect(await call('list_files', { path: 'notes' })).toEqual({ files: files.slice(2, 3) })
  const modified = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  expect(await call('stat_file', { path: 'l.md' })).toEqual({ path: 'l.md', kind: 'file', size: 6, modified })
  expect(await call('stat_file', { path: 'notes' })).toEqual({ path: 'notes', kind: 'folder', modified })
})

test('B11.9 what is no text, or too large, is refused with the reason', async () => {
  const root = tempProject({
    'w/nul.bin': 'a\0b',
    'w/latin.txt': new Uint8Array([0x61, 0xe9, 0x62]),
    'w/large.txt': 'x\n'.repeat(READ_BYTES / 2 + 1),
    'w/fits.txt': 'x'.repeat(READ_BYTES),
  })
  const call = toolsOf(`${root}/w`)
  const read = (path: string): Promise<unknown> => call('read_file', { path })
  await expect(read('nul.bin')).rejects.toMatchObject(
    refusal('"nul.bin" can\'t be read: it is not a text file (UTF-8).'),
  )
  await expect(read('latin.txt')).rejects.toMatchObject({ code: 'workspace-file-refused' })
  await expect(read('large.txt')).rejects.toMatchObject(
    refusal('"large.txt" can\'t be read: it has 262146 bytes, and 262144 may be read.'),
  )
  await expect(read('gone.txt')).rejects.toMatchObject({
    ...refusal('"gone.txt" can\'t be read: it is not there.'),
    hint: 'workspace_list_files shows which files there are, and how large.',
  })
  expect(await read('fits.txt')).toMatchObject({ path: 'fits.txt' })
  // Of a large file some lines may be read, not all of them.
  expect(await call('read_file', { path: 'large.txt', firstLine: 9, lastLine: 10 })).toMatchObject({ text: 'x\nx\n' })
  await expect(call('read_file', { path: 'large.txt', firstLine: 1 })).rejects.toMatchObject(
    refusal('"large.txt" can\'t be read: these lines have 262146 bytes, and 262144 may be read.'),
  )
  const edit = { path: 'nul.bin', oldText: 'a', newText: 'b' }
  await expect(call('edit_file', edit)).rejects.toMatchObject(
    refusal('"nul.bin" can\'t be edited: it is not a text file (UTF-8).'),
  )
})

test('B11.9 the limits are those of the settings', async () => {
  const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [`w/${name}.md`, 'word\nword\n']))
  const limits = { readBytes: 9, writeBytes: 5, listedFiles: 2, searchResults: 4 }
  const call = toolsOf(join(tempProject(files), 'w'), { limits })
  await expect(call('read_file', { path: 'a.md' })).rejects.toThrow('it has 10 bytes, and 9 may be read')
  await expect(call('write_file', { path: 'n.md', text: 'ééé' })).rejects.toThrow('it would have 6 bytes')
  await expect(call('write_file', { path: 'n.md', text: '1234567' })).rejects.toThrow('more than the 5 bytes')
  expect(await call('write_file', { path: 'n.md', text: '12345' })).toMatchObject({ size: 5 })
  await expect(call('edit_file', { path: 'n.md', oldText: '1', newText: '11' })).rejects.toThrow(
    'more than the 5 bytes',
  )
  await expect(call('edit_file', { path: 'a.md', oldText: 'w', newText: '' })).rejects.toThrow('5 may be edited')
  expect(await call('list_files')).toMatchObject({ note: 'There are more: only 2 are listed.' })
  const found = await call('search_files', { query: 'word' })
  expect(found).toMatchObject({ note: 'There are more: only 4 are given.', matches: { length: 4 } })
})

test('B11.9 a listing is bounded and says so', async () => {
  const root = tempProject(Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`w/${index}.md`, ''])))
  expect(await toolsOf(`${root}/w`)('list_files')).toMatchObject({ note: 'There are more: only 500 are listed.' })
})

test('B11.9 what is written can be read; what would be no text is not written', async () => {
  const call = toolsOf(join(tempProject({}), 'w'))
  expect(await call('write_file', { path: 'a/b.md', text: 'é\n' })).toEqual({ path: 'a/b.md', size: 3, created: true })
  expect(await call('write_file', { path: 'a/b.md', text: '' })).toEqual({ path: 'a/b.md', size: 0, created: false })
  expect(await call('read_file', { path: 'a/b.md' })).toEqual({ path: 'a/b.md', text: '' })
  for (const text of ['a\0b', 'half \ud83d']) {
    await expect(call('write_file', { path: 'a/b.md', text })).rejects.toMatchObject(
      refusal('"a/b.md" can\'t be written: the text holds a NUL or half a character.'),
    )
  }
  expect(await call('delete_file', { path: 'a/b.md' })).toEqual({ path: 'a/b.md', deletedFiles: 1 })
  expect(await call('delete_file', { path: 'a' })).toEqual({ path: 'a', deletedFiles: 0 })
  await expect(call('delete_file', { path: '', recursive: true })).rejects.toMatchObject(
    refusal("The workspace can't be deleted: it is the workspace itself."),
  )
})

test('B11.9 an edit replaces what stands exactly once, keeps the rest byte for byte, and says how often it stands', async () => {
  const before = '\uFEFFone\r\ntwo\r\ntwo\r\n'
  const root = join(tempProject({ 'w/a.md': before }), 'w')
  const call = toolsOf(root)
  const edit = (oldText: string, newText: string, more: object = {}): Promise<unknown> =>
    call('edit_file', { path: 'a.md', oldText, newText, ...more })
  await expect(edit('two', 'x')).rejects.toMatchObject(
    refusal('"a.md" can\'t be edited: oldText occurs 2 times in it, and must occur once.'),
  )
  await expect(edit('three', 'x')).rejects.toMatchObject(refusal('"a.md" can\'t be edited: oldText is not in it.'))
  expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe(before)
  // A model writes \n; the file keeps its CRLF and its byte order mark.
  expect(await edit('one\ntwo', '$& 1\n2')).toEqual({ path: 'a.md', replaced: 1 })
  expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('\uFEFF$& 1\r\n2\r\ntwo\r\n')
  expect(await edit('\r\n', '\n', { replaceAll: true })).toEqual({ path: 'a.md', replaced: 3 })
  expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('\uFEFF$& 1\n2\ntwo\n')
})

test('B11.9 a folder is made when a tool is first called; one that is read only is not', async () => {
  const top = tempProject({})
  const make = (root: string, settings: WorkspaceSettings = {}): Call => toolsOf(join(top, root), settings)
  const call = make('a/b')
  make('c')
  expect(existsSync(join(top, 'a'))).toBe(false)
  expect(await call('list_files')).toEqual({ files: [] })
  await expect(make('d', { readOnly: true })('list_files')).rejects.toThrow('it is not there')
  expect(['a/b', 'c', 'd'].map((name) => existsSync(join(top, name)))).toEqual([true, false, false])
})

test('B11.9 a relative root stands below what holds it, also if a link or dots lead elsewhere', async () => {
  const top = tempProject({ 'project/in/a.md': 'in', 'outside/a.md': 'SECRET' })
  const within = join(top, 'project')
  symlinkSync('../outside', join(within, 'link'))
  const read = (root: string): Promise<unknown> => {
    return callTool(createLocalWorkspace({ id: 'w', root, within }), 'workspace_read_file', { path: 'a.md' })
  }
  expect(await read('in')).toEqual({ path: 'a.md', text: 'in' })
  for (const root of ['link', 'link/new', '../outside', 'in/../../outside']) {
    await expect(read(root)).rejects.toMatchObject({ code: 'workspace-path-refused' })
  }
  expect(existsSync(join(top, 'outside/new'))).toBe(false)
})

test('B11.9 B7.1 a command waits for a person, and runs once it is approved', async () => {
  const root = join(tempProject({}), 'w')
  mkdirSync(root)
  const workspace = createLocalWorkspace({ id: 'w', root, shell: true })
  const { resolveModel } = scriptedModels({
    a: [{ calls: [{ name: 'workspace_run_command', args: { command: 'touch ran' } }] }, { text: 'Run.' }],
  })
  const agent = new Agent({ id: 'a', instructions: 'Work.', model: 'openai/x', workspace })
  const { runId, pendingCalls } = await agent.generate('Go', { resolveModel })
  expect(pendingCalls).toMatchObject([{ toolName: 'workspace_run_command', args: { command: 'touch ran' } }])
  expect(existsSync(join(root, 'ran'))).toBe(false)
  expect(await agent.approveToolCallGenerate({ runId })).toMatchObject({ text: 'Run.' })
  expect(existsSync(join(root, 'ran'))).toBe(true)
})
