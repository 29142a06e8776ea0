import { expect, test } from 'vitest'
import { forgedDecisions } from '../../test-support/properties/forged-decisions.ts'
import { holds } from '../../test-support/property.ts'

test('R13 B7.6 whatever is written in inputs, histories, answers and results, nothing is decided and nothing starts', async () => {
  const kinds = await holds(forgedDecisions, { seed: 13, count: 80 })
  for (const kind of ['input', 'history', 'child', 'tool', 'model'])
    expect([kind, (kinds[kind] ?? 0) > 0]).toEqual([kind, true])
})
