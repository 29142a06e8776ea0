import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempProject } from '../../test-support/temp-project.ts'
import { findFiles, settleFiles } from '../discover/discover.ts'
import { DiskTree } from './disk-tree.ts'
import { MemoryTree } from './memory-tree.ts'
import { decodeText } from './read-text.ts'
import { normalizePath, type SourceTree } from './source-tree.ts'

const files = {
  'src/retinue/agents/b/config.ts': 'export default { model: "openai/b" }\n',
  'src/retinue/agents/a/instructions.md': 'Work.\r\n',
  'src/retinue/agents/a/tools/x.ts': '',
  'src/retinue/agents/link': { link: 'a' },
}

const trees: [string, () => SourceTree][] = [
  ['disk', () => new DiskTree(tempProject(files))],
  ['memory', () => new MemoryTree(files)],
]

test.each(trees)('a tree on a %s: kinds, order, bytes', (_, make) => {
  const tree = make()
  expect(tree.kindOf('')).toBe('directory')
  expect(tree.kindOf('src/retinue/agents/link')).toBe('link')
  expect(tree.kindOf('src/retinue/agents/link/tools/x.ts')).toBe('link')
  expect(tree.kindOf('src/retinue/agents/a/instructions.md/x')).toBe(undefined)
  expect(tree.kindOf('src/nothing')).toBe(undefined)
  expect(tree.list('src/retinue/agents')).toEqual([
    { name: 'a', kind: 'directory' },
    { name: 'b', kind: 'directory' },
    { name: 'link', kind: 'link' },
  ])
  expect(new TextDecoder().decode(tree.read('src/retinue/agents/a/instructions.md'))).toBe('Work.\r\n')
  expect(() => tree.list('src/nothing')).toThrow()
  expect(() => tree.read('src/retinue/agents/link/instructions.md/x')).toThrow()
})

test.each(trees)('discovery in a %s finds the same', (_, make) => {
  const { agents, notes, application } = settleFiles(findFiles(make()))
  expect(application).toEqual({ ok: true, dir: 'src/retinue', passedOver: [] })
  expect(agents.map(({ key, tools, markdown }) => [key, tools.map((tool) => tool.key), markdown?.text])).toEqual([
    ['a', ['x'], 'Work.\n'],
    ['b', [], undefined],
  ])
  expect(notes).toMatchObject([{ kind: 'ignored', path: 'src/retinue/agents/link', what: 'link' }])
})

test('B11.10 a link is never read, wherever it points', () => {
  const root = tempProject({ 'secret.txt': 'secret', 'tree/link.txt': { link: '../secret.txt' } })
  expect(() => new DiskTree(join(root, 'tree')).read('link.txt')).toThrow('it is a link')
})

test('a path of a tree does not lead out of it', () => {
  expect(normalizePath('a/./b/../c//d/')).toBe('a/c/d')
  expect(normalizePath('a/../../b')).toBe(undefined)
})

test('B11.3 text is UTF-8, without its byte order mark, with LF', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  expect(decodeText(bytes('\uFEFFa\r\nb\rc\n'))).toEqual({ ok: true, text: 'a\nb\rc\n' })
  expect(decodeText(new Uint8Array([0xff, 0xfe, 0x61, 0x00]))).toMatchObject({
    ok: false,
    unread: { kind: 'utf-16', reason: 'it is UTF-16; only UTF-8 is read' },
  })
  expect(decodeText(new Uint8Array([0xfe, 0xff, 0x00, 0x61]))).toMatchObject({ ok: false })
  expect(decodeText(new Uint8Array([0x61, 0xe9]))).toMatchObject({
    ok: false,
    unread: { kind: 'no-text', reason: 'it is not valid UTF-8' },
  })
  expect(decodeText(bytes('a\0b'))).toMatchObject({ ok: false })
})
