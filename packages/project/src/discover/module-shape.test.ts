import { expect, test } from 'vitest'
import { parseModule } from './module-shape.ts'

const place = (text: string): [unknown, unknown] => {
  const { exportAt, properties } = parseModule('config.ts', text)
  const { line, column, length } = exportAt ?? { line: 0, column: 0, length: 0 }
  const value = properties.get('description')?.value
  return [`${line}:${column}+${length}`, value && `${value.line}:${value.column}+${value.length}`]
}

test('B11.11 where the default export is, in every form that people write', () => {
  expect(place("export default { description: '' }")).toEqual(['1:16+19', '1:31+2'])
  expect(place("export default agentConfig({ description: '' })")).toEqual(['1:16+11', '1:43+2'])
  expect(place("export default new Agent({ description: '' })")).toEqual(['1:20+5', '1:41+2'])
  expect(place("export default { description: '' } satisfies X")).toEqual(['1:16+19', '1:31+2'])
  expect(place("export default ({ 'description': '' } as X)")).toEqual(['1:17+21', '1:34+2'])
  expect(place("const c = agentConfig({\n  description: '',\n})\nexport default c")).toEqual(['1:11+11', '2:16+2'])
  expect(place("const o = { description: '' }\nconst c = agentConfig(o)\nexport { c as default }")).toEqual([
    '2:11+11',
    '1:26+2',
  ])
  expect(place('export default load()')).toEqual(['1:16+4', undefined])
  expect(place('export const a = 1')).toEqual(['0:0+0', undefined])
  expect(place("export default { ...base, ['description']: '' }")).toEqual(['1:16+32', undefined])
})

test('a chain of names that goes in circles ends', () => {
  expect(place('const a = b\nconst b = a\nexport default a')[1]).toBe(undefined)
})

test('B11.11 columns are UTF-16 units, after whatever stands before', () => {
  const { properties } = parseModule('config.ts', "// é😀\nexport default { a: 'é😀', description: '' }")
  expect(properties.get('description')).toMatchObject({ key: { line: 2, column: 28 }, value: { line: 2, column: 41 } })
})

test('properties of properties, two levels deep', () => {
  const { properties } = parseModule(
    'config.ts',
    'export default { tools: { search: a, "write": b }, agents: { constructor: c } }',
  )
  expect([...(properties.get('tools')?.properties.keys() ?? [])]).toEqual(['search', 'write'])
  expect(properties.get('agents')?.properties.get('constructor')?.key).toMatchObject({ line: 1, column: 62 })
  expect(properties.get('toString')).toBe(undefined)
})

test('B11.11 a syntax error has a message and a place', () => {
  const [error] = parseModule('config.ts', 'export default agentConfig({\n').errors
  expect(error).toMatchObject({ message: 'Expected `}` but found `EOF`', at: { line: 2, column: 1 } })
  expect(parseModule('config.ts', 'const a = 1\nconst a = 2').errors[0]?.at).toMatchObject({ line: 2, column: 7 })
})

test('B11.10 imports in every form', () => {
  const text = `import a from './a'
import type { B } from "./b"
export * from './c'
export { d } from './d'
const e = await import('./e')
const f = await import(\`./f\`)
const g = new URL('./g.txt', import.meta.url)
const none = [import(name), import(\`./\${name}\`), new URL('./x', base)]
`
  const { imports } = parseModule('config.ts', text)
  expect(imports.map(({ specifier }) => specifier)).toEqual(['./a', './b', './c', './d', './e', './f', './g.txt'])
  expect(imports[0]?.at).toEqual({ line: 1, column: 15, length: 5 })
})
