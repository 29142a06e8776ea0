import { expect, test } from 'vitest'
import { approvalModel } from '../../test-support/properties/approval-model.ts'
import { holds } from '../../test-support/property.ts'

test('R05 B7.4 what is started and what waits is what a small reference says, whatever people and crashes do', async () => {
  const kinds = await holds(approvalModel, { seed: 5, count: 30 })
  // Nothing is proven of what did not happen.
  for (const kind of ['starts', 'ends', 'race', 'crash', 'deploy', 'abort', 'cancel', 'too late', 'refused'])
    expect([kind, (kinds[kind] ?? 0) > 0]).toEqual([kind, true])
})
