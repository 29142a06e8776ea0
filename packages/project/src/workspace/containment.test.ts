import { expect, test } from 'vitest'
import { workspacePaths } from '../../test-support/properties/workspace-paths.ts'
import { workspaceSwaps } from '../../test-support/properties/workspace-swaps.ts'
import { holds } from '../../test-support/property.ts'

test('R14 S27 hostile paths: no operation reads, changes or tells anything outside', async () => {
  const kinds = await holds(workspacePaths, { seed: 1, count: 40 })
  // Refused by their text or for a link, not there, and also some that are good: else the property proves little.
  expect(Object.keys(kinds).sort()).toEqual(['done', 'workspace-file-refused', 'workspace-path-refused'])
})

test.skipIf(process.platform !== 'linux')('R14 S27 a link that is swapped in while a path is used', async () => {
  const kinds = await holds(workspaceSwaps, { seed: 1, count: 2 })
  expect(Object.keys(kinds).sort()).toEqual(['done', 'workspace-file-refused', 'workspace-path-refused'])
})
