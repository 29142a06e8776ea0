import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { tempProject } from '../../test-support/temp-project.ts'
import { failureOf } from './failure.ts'

const ROOT = '/home/me/my project'
const URL_ROOT = 'file:///home/me/my%20project'

function withStack(stack: string): Error {
  return Object.assign(new Error('boom'), { stack })
}

test('B11.11 the innermost place in the project’s own files: not in Node, not in a package', () => {
  const stack = `Error: boom
    at node:internal/x:1:2
    at helper (${URL_ROOT}/node_modules/lib/index.js:3:4)
    at file:///elsewhere/x.ts:5:6
    at run (${URL_ROOT}/src/a.ts?v=1:7:8)
    at ${URL_ROOT}/src/b.ts:9:10`
  expect(failureOf(withStack(stack), ROOT)).toEqual({
    kind: 'threw',
    message: 'Error: boom',
    at: { file: 'src/a.ts', line: 7, column: 8 },
  })
})

test('B11.11 a place in front of the message wins: what does not link has no frame of its own', () => {
  const stack = `${URL_ROOT}/src/a.ts:12\nconst a = 1\n   enum B { }\n   ^^^^^^^^^\n\nSyntaxError: no\n    at ${URL_ROOT}/src/b.ts:9:10`
  expect(failureOf(withStack(stack), ROOT).at).toEqual({ file: 'src/a.ts', line: 12, column: 4 })
})

test('frames of Windows and of CommonJS', () => {
  const at = (root: string, frame: string): unknown => failureOf(withStack(`Error: boom\n    at ${frame}`), root).at
  const place = { file: 'src/a.ts', line: 7, column: 8 }
  expect(at('C:\\me\\app', 'run (C:\\me\\app\\src\\a.ts:7:8)')).toEqual(place)
  expect(at('/me/app', 'run (/me/app/src/a.ts:7:8)')).toEqual(place)
})

test('a message does not hold the machine’s paths', () => {
  expect(failureOf(new Error(`no ${ROOT}/src/a.ts, no file://${ROOT}/b.ts`), ROOT).message).toBe(
    'Error: no src/a.ts, no b.ts',
  )
})

test('whatever is thrown has a message', () => {
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  const thrown = ['text', null, undefined, 5, { a: 1 }, circle, new TypeError('')]
  expect(thrown.map((value) => failureOf(value, ROOT).message)).toEqual([
    'text',
    'null was thrown',
    'undefined was thrown',
    '5 was thrown',
    '{"a":1} was thrown',
    'an object was thrown',
    'TypeError',
  ])
})

test.each([
  ['common.ts', 'common-js'],
  ['common.js', 'common-js'],
  ['enum.mts', 'types-needed'],
  ['nothing.mts', 'export-missing'],
  ['thrown.mts', undefined],
])('B11.11 what is wrong with the module %s is told as data: %s', async (file, mistake) => {
  const root = tempProject({
    'package.json': '{ "type": "commonjs" }',
    'common.ts': "import './nothing.mts'\n",
    'common.js': 'export default 1\n',
    'enum.mts': 'enum Mode { On }\nexport default Mode\n',
    'nothing.mts': "import { nothing } from './empty.mjs'\nexport default nothing\n",
    'empty.mjs': '',
    'thrown.mts': "throw new Error('./a does not provide an export named b, import statement outside a module')\n",
  })
  const error: unknown = await import(pathToFileURL(join(root, file)).href).catch((thrown: unknown) => thrown)
  expect(failureOf(error, root).mistake).toBe(mistake)
})
