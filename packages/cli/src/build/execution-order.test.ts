import { expect, test } from 'vitest'
import { waitingCircle } from './execution-order.ts'

/** Two modules that import each other, one of which begins with a text. */
function circle(text: string): readonly string[] {
  return waitingCircle(
    new Map([
      ['/one.ts', { code: `${text}\nimport './two.ts'\n`, importedIds: ['/two.ts'] }],
      ['/two.ts', { code: "import './one.ts'\n", importedIds: ['/one.ts'] }],
    ]),
  )
}

test.each([
  'await 0',
  'await using lock = { async [Symbol.asyncDispose]() {} }',
  '{ await using lock = null }',
  'for (await using lock of []) void lock',
  'for await (const each of []) void each',
  'class Made { [await 0] = 1 }',
])('B11.13 a module with %s at its top waits', (text) => {
  expect([...circle(text)].sort()).toEqual(['/one.ts', '/two.ts'])
})

test.each([
  'using lock = null // await',
  'export const later = async () => { await using lock = null }',
  'export async function later() { await 0; for await (const each of []) void each }',
  'class Made { async later() { await 0 } }',
])('B11.13 a module with %s does not wait', (text) => {
  expect(circle(text)).toEqual([])
})
