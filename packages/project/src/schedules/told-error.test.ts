import { RetinueError } from '@retinue/core/errors'
import { expect, test } from 'vitest'
import { toldError } from './told-error.ts'

function unreadable(): Error {
  return Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('it has none')
    },
  })
}

test.each([
  [new Error('no news'), { message: 'no news' }],
  [
    new RetinueError({ code: 'run-aborted', message: 'it ended', hint: 'Go on.' }),
    { code: 'run-aborted', message: 'it ended' },
  ],
  ['a text', { message: 'a text' }],
  [undefined, { message: 'undefined' }],
  [7n, { message: '7' }],
  [Symbol('s'), { message: 'Symbol(s)' }],
  [Object.create(null), { message: 'something was thrown that has no text' }],
  [Object.assign(new Error('x'), { message: 5n }), { message: '5' }],
  [unreadable(), { message: 'something was thrown that has no text' }],
])('B11.13 what was thrown is told as short, plain JSON, whatever it is: %#', (thrown, told) => {
  const error = toldError(thrown)
  expect(error).toEqual(told)
  expect(JSON.parse(JSON.stringify(error))).toEqual(error)
})

test('B11.13 a message of any length is kept short', () => {
  expect(toldError(new Error('x'.repeat(5_000_000))).message).toBe(`${'x'.repeat(2_000)} …`)
  expect(toldError('x'.repeat(2_000)).message).toHaveLength(2_000)
})
