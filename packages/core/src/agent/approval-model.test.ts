import { expect, test } from 'vitest'
import { approvalModel } from '../../test-support/properties/approval-model.ts'
import { holds } from '../../test-support/property.ts'

test('R05 B7.4 what is started and what waits is what a small reference model says, whatever people and crashes do', async () => {
  const kinds = await holds(approvalModel, { seed: 5, count: Number(process.env['N'] ?? 200) })
  if (process.env['N']) console.log(kinds)
  expect(kinds).toMatchObject({ starts: expect.any(Number) })
})
