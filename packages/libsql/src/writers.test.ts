import { expect, test } from 'vitest'
import { holds } from '../test-support/core.ts'
import { manyWriters } from '../test-support/properties/many-writers.ts'

test('R23 processes that write to one file at once get no lock error, lose nothing and keep their order', async () => {
  const kinds = await holds(manyWriters({ processes: 2, writers: 10, messages: 20 }), { seed: 1, count: 1 })
  expect(kinds).toMatchObject({ messages: 400 })
})
