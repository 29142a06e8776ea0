import { expect, test } from 'vitest'
import { holds } from '../../test-support/core.ts'
import { forgedRequests } from '../../test-support/properties/forged-requests.ts'

test('R13 B7.6 whatever is sent, no call starts that nobody allowed, and nothing breaks', async () => {
  const kinds = await holds(forgedRequests, { seed: 1, count: 60 })
  expect(kinds['owner 200']).toBeGreaterThan(5)
  expect(kinds['stranger 404']).toBeGreaterThan(5)
  expect(kinds['stranger 400']).toBeGreaterThan(2)
})
