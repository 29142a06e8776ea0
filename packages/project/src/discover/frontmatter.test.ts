import { expect, test } from 'vitest'
import { parseFrontmatter, splitFrontmatter } from './frontmatter.ts'

test.each([
  ['no frontmatter', 'Work.\n---\nOn.\n', undefined, 'Work.\n---\nOn.\n', 1],
  ['nothing', '', undefined, '', 1],
  ['both', '---\nid: a\n---\n\n\nWork.\n---\n', 'id: a', 'Work.\n---\n', 6],
  ['blanks behind the lines', '--- \n---\t\nWork.', '', 'Work.', 3],
  ['four dashes', '----\nid: a\n---\n', undefined, '----\nid: a\n---\n', 1],
  ['blank lines first', ' \n\n---\nid: a\n---\nWork.\n', 'id: a', 'Work.\n', 6],
  ['no body', '---\nid: a\n---', 'id: a', '', 4],
])('splits %s', (_, text, yaml, body, bodyLine) => {
  const split = splitFrontmatter(text)
  expect([split.head?.yaml, split.body, split.bodyLine, split.unclosed]).toEqual([yaml, body, bodyLine, false])
})

test('data, and the places of keys and values', () => {
  const { values, shape } = parseFrontmatter(
    '---\n# why\nid: a\ndescription: >\n  one\n  two\nname:\nmodel: [x/y, "z/z"]\nat: 2026-01-01\n---\n',
  )
  expect(values).toEqual({ id: 'a', description: 'one two\n', model: ['x/y', 'z/z'], at: '2026-01-01' })
  expect(shape.errors).toEqual([])
  expect(shape.properties.get('id')).toMatchObject({
    key: { line: 3, column: 1, length: 2 },
    value: { line: 3, column: 5, length: 1 },
  })
  expect(shape.properties.get('model')?.value).toMatchObject({ line: 8, column: 8 })
  // What is not written has the place of its key.
  expect(shape.properties.get('name')?.value).toMatchObject({ line: 7, column: 1, length: 4 })
})

test.each([
  ['---\nid: a\n', 1, 'no second line of ---'],
  ['\n\n---\nid: a\n', 3, 'no second line of ---'],
  ['\n---\nid: a\nid: b\n---\n', 4, 'unique'],
  ['---\nid: a\ndescription: Use it: now\n---\n', 3, 'Nested mappings'],
  ['---\nid: a\nid: b\n---\n', 3, 'unique'],
  ['---\n- id\n---\n', 2, 'no list of keys'],
  ['---\njust words\n---\n', 2, 'no list of keys'],
  ['---\nid: !!js/function "a"\n---\n', 2, 'tag'],
  ['---\n? { a: b }\n: c\n---\n', 2, 'keys must be strings'],
  ['---\nid: "a\n---\n', 2, 'quote'],
  ['---\nid: *gone\n---\n', 2, 'alias'],
])('what is no mapping has an error: %j', (text, line, message) => {
  const { values, shape } = parseFrontmatter(text)
  expect(values).toEqual({})
  expect(shape.errors[0]?.message.toLowerCase()).toContain(message.toLowerCase())
  expect(shape.errors[0]?.at.line).toBe(line)
})

test('a key that JavaScript reserves is a key, and an alias bomb an error', () => {
  const { values } = parseFrontmatter('---\n__proto__: { a: b }\n---\n')
  expect(Object.keys(values)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(values)).toBe(Object.prototype)
  const level = (name: string, of: string): string => `${name}: [${Array<string>(20).fill(`*${of}`).join(', ')}]`
  const bomb = `---\na: &a [x, x]\nb: &b ${level('', 'a').slice(2)}\nc: &c ${level('', 'b').slice(2)}\nd: ${level('', 'c').slice(2)}\n---\n`
  expect(parseFrontmatter(bomb).shape.errors[0]?.message).toContain('alias')
})
