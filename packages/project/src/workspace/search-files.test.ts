import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempProject } from '../../test-support/temp-project.ts'
import { RootedFiles } from './rooted-files.ts'
import { type SearchBounds, type SearchResult, searchFiles } from './search-files.ts'

const BOUNDS: SearchBounds = { matches: 100, files: 100, fileBytes: 100_000, timeoutMs: 5_000 }

interface Options {
  readonly folder?: string
  readonly regex?: boolean
  readonly ignoreCase?: boolean
  readonly bounds?: Partial<SearchBounds>
  readonly signal?: AbortSignal
}

function search(
  files: Record<string, string | Uint8Array>,
  text: string,
  options: Options = {},
): Promise<SearchResult> {
  const root = tempProject(Object.fromEntries(Object.entries(files).map(([path, content]) => [`w/${path}`, content])))
  const { folder = '', regex = false, ignoreCase = false, bounds, signal } = options
  const query = { text, isRegex: regex, ignoreCase }
  return searchFiles(new RootedFiles(join(root, 'w')), folder, query, { ...BOUNDS, ...bounds }, signal)
}

const FILES = {
  'a.md': 'x.*y\r\nxy\nX.*Y',
  'b/c.md': 'say x.*y twice x.*y',
  bin: new Uint8Array([120, 46, 42, 121, 255]),
}

test('B11.9 a search finds a text as it stands, line by line, in every text file', async () => {
  expect(await search(FILES, 'x.*y')).toEqual({
    matches: [
      { path: 'a.md', line: 1, text: 'x.*y' },
      { path: 'b/c.md', line: 1, text: 'say x.*y twice x.*y' },
    ],
  })
  const found = await search(FILES, 'X.*y', { ignoreCase: true, folder: '' })
  expect(found.matches.map(({ path, line }) => [path, line])).toEqual([
    ['a.md', 1],
    ['a.md', 3],
    ['b/c.md', 1],
  ])
  expect((await search(FILES, 'x', { folder: 'b' })).matches.length).toBe(1)
  expect((await search(FILES, 'x.*y', { folder: 'a.md' })).matches).toEqual([{ path: 'a.md', line: 1, text: 'x.*y' }])
  expect(await search(FILES, 'z')).toEqual({ matches: [] })
  await expect(search(FILES, 'x', { folder: '../w' })).rejects.toMatchObject({ code: 'workspace-path-refused' })
})

test('B11.9 a regular expression is one only where it is asked for, and a wrong one is refused', async () => {
  const found = await search(FILES, '^x.*Y$', { regex: true, ignoreCase: true })
  expect(found.matches.map(({ line }) => line)).toEqual([1, 2, 3])
  for (const [text, regex] of [
    ['(', true],
    ['\\u{110000}', true],
    ['', false],
    ['x'.repeat(1001), false],
  ] as const) {
    await expect(search(FILES, text, { regex })).rejects.toMatchObject({ code: 'workspace-search-refused' })
  }
})

test('B11.9 a pattern that would need for ever is ended, and what was found is told', async () => {
  const files = { 'a.md': 'aab', 'b.md': `${'a'.repeat(60)}!` }
  const { matches, note } = await search(files, '^(a+)+b$', { regex: true, bounds: { timeoutMs: 300 } })
  expect(matches).toEqual([{ path: 'a.md', line: 1, text: 'aab' }])
  expect(note).toMatch(/^Stopped after 300 ms/)
})

test('B11.9 results are small: few, and of long lines the part around the match', async () => {
  const long = `${'a'.repeat(500)}NEEDLE${'b'.repeat(500)}`
  const [match] = (await search({ 'a.md': long }, 'NEEDLE')).matches
  expect(match?.text).toMatch(/^…a{60}NEEDLEb{134}…$/)
  const many = { 'a.md': 'x\n'.repeat(50), 'b.md': 'x\n' }
  expect(await search(many, 'x', { bounds: { matches: 50 } })).toMatchObject({
    note: 'There are more: only 50 are given.',
    matches: { length: 50 },
  })
  expect(await search(many, 'x', { bounds: { matches: 51 } })).not.toHaveProperty('note')
  expect(await search(many, 'x', { bounds: { files: 1 } })).toMatchObject({
    note: 'Only the first 1 files were searched: name a folder.',
  })
  expect((await search(many, 'x', { bounds: { fileBytes: 10 } })).matches.map(({ path }) => path)).toEqual(['b.md'])
})
