import type { ToolContext } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import { tempProject } from '../../test-support/temp-project.ts'
import { createLocalWorkspace, MAX_FILE_BYTES } from './local-workspace.ts'
import { WORKSPACE_TOOLS } from './tool-names.ts'

/** Runs a tool of a workspace as a run would: with its input alone, since these tools need nothing of their context. */
async function call(root: string, name: string, input: Record<string, unknown>): Promise<unknown> {
  const { execute } = createLocalWorkspace({ id: 'w', root }).tools[name] ?? {}
  if (typeof execute !== 'function') throw new Error(`no tool ${name}`)
  return (execute as (input: unknown, context?: ToolContext) => unknown)(input)
}

const read = (root: string, path: string): Promise<unknown> => call(root, 'workspace_read_file', { path })

test('B11.9 a workspace has two tools, described for a model, and can not write', () => {
  const { id, tools } = createLocalWorkspace({ id: 'w', root: '/nowhere' })
  expect([id, Object.keys(tools)]).toEqual(['w', WORKSPACE_TOOLS])
  for (const { description, inputSchema } of Object.values(tools)) {
    expect(description).toMatch(/workspace/)
    expect(inputSchema).toMatchObject({ type: 'object' })
  }
})

test('B11.9 reading gives the text, listing the paths and sizes', async () => {
  const root = tempProject({ 'w/draft.md': '\uFEFFTitle: é\n', 'w/notes/a.md': '' })
  expect(await read(`${root}/w`, 'draft.md')).toEqual({ path: 'draft.md', text: 'Title: é\n' })
  const files = [
    { path: 'draft.md', size: 13 },
    { path: 'notes/a.md', size: 0 },
  ]
  expect(await call(`${root}/w`, 'workspace_list_files', {})).toEqual({ files })
  expect(await call(`${root}/w`, 'workspace_list_files', { path: 'notes' })).toEqual({ files: files.slice(1) })
})

test('B11.9 what is no text, or too large, is refused with the reason', async () => {
  const root = tempProject({
    'w/nul.bin': 'a\0b',
    'w/latin.txt': new Uint8Array([0x61, 0xe9, 0x62]),
    'w/large.txt': 'x'.repeat(MAX_FILE_BYTES + 1),
    'w/fits.txt': 'x'.repeat(MAX_FILE_BYTES),
  })
  const refused = { code: 'workspace-file-refused' }
  await expect(read(`${root}/w`, 'nul.bin')).rejects.toMatchObject({
    ...refused,
    message: '"nul.bin" can\'t be read: it is not a text file (UTF-8).',
  })
  await expect(read(`${root}/w`, 'latin.txt')).rejects.toMatchObject(refused)
  await expect(read(`${root}/w`, 'large.txt')).rejects.toMatchObject({
    ...refused,
    message: '"large.txt" can\'t be read: it has 262145 bytes, and 262144 may be read.',
  })
  await expect(read(`${root}/w`, 'gone.txt')).rejects.toMatchObject({
    ...refused,
    hint: 'workspace_list_files shows which files there are, and how large.',
  })
  expect(await read(`${root}/w`, 'fits.txt')).toMatchObject({ path: 'fits.txt' })
})

test('B11.9 a listing is bounded and says so', async () => {
  const root = tempProject(Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`w/${index}.md`, ''])))
  const listed = await call(`${root}/w`, 'workspace_list_files', {})
  expect(listed).toMatchObject({ note: 'There are more: only 1000 are listed.' })
})
