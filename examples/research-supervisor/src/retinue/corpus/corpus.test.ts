import { expect, test } from 'vitest'
import { codeOf, loadCorpus } from './load.ts'

const { passages, countries } = await loadCorpus()

test('every line is a complete passage of prose', () => {
  expect(passages).toHaveLength(4211)
  for (const passage of passages) {
    expect(Object.keys(passage)).toEqual(['id', 'title', 'section', 'field', 'text'])
    for (const value of Object.values(passage)) expect(value).toEqual(expect.stringMatching(/\S/))
    expect(passage.text.length).toBeGreaterThan(200)
  }
})

test('the text is plain: no markup, no entities, none of the marks of the package', () => {
  const marked = passages.filter(({ text }) => /<\/?[a-z][^<>]*>|&#?\w+;|\+\+| {2}|^\s|\s$/i.test(text))
  expect(marked.map(({ id }) => id)).toEqual([])
})

test('ids are unique, and in order', () => {
  const ids = passages.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort())
})

test('every passage belongs to a named entry, under the same name', () => {
  expect(countries.size).toBe(261)
  for (const { id, title } of passages) expect(countries.get(codeOf(id))?.title).toBe(title)
  for (const { title, region } of countries.values()) {
    expect(title).toMatch(/^\p{Lu}/u)
    expect(title).not.toMatch(/^none$|sometimes|;/i)
    expect(region).toMatch(/\S/)
  }
})

test.each([
  ['cc', 'Curacao'],
  ['sk', 'Sint Maarten'],
  ['cg', 'Democratic Republic of the Congo'],
  ['ct', 'Central African Republic'],
  ['dr', 'Dominican Republic'],
  ['ee', 'European Union'],
  ['um', 'United States Pacific Island Wildlife Refuges'],
  ['xx', 'World'],
])('%s is %s', (code, title) => {
  expect(countries.get(code)?.title).toBe(title)
})

test('a corpus that is not there is an error that names the file', async () => {
  await expect(loadCorpus(new URL('./nowhere/', import.meta.url))).rejects.toThrow(/corpus cannot be read: .*nowhere/)
})
