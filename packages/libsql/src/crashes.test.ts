import { expect, test } from 'vitest'
import { holds } from '../test-support/core.ts'
import { killedWriters } from '../test-support/properties/killed-writers.ts'
import { killedTurn } from '../test-support/properties/torn-by-kill.ts'

test('what was acknowledged is there after a kill -9, and the file is sound', async () => {
  const kinds = await holds(killedWriters(2), { seed: 9, count: 1 })
  expect(kinds).toMatchObject({ acknowledged: expect.any(Number) })
})

test('R02 a kill -9 in the middle of a transaction leaves none of it', () => killedTurn(2))
