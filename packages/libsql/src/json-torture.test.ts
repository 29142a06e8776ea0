import { InMemoryStorage } from '@retinue/core/storage'
import { expect, test } from 'vitest'
import { holds } from '../test-support/core.ts'
import { jsonTorture } from '../test-support/properties/json-torture.ts'
import { LibSQLStore } from './libsql-store.ts'

for (const [where, storage] of [
  ['in memory', new InMemoryStorage()],
  ['in LibSQL', new LibSQLStore({ id: 's', url: ':memory:' })],
] as const) {
  test(`R24 any value comes back equal from storage ${where}, or is refused when it is written`, async () => {
    const kinds = await holds(jsonTorture(storage), { seed: 24, count: 100 })
    expect(kinds).toMatchObject({ equal: expect.any(Number), refused: expect.any(Number) })
  })
}
