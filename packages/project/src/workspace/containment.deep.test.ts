import { workspacePaths } from '../../test-support/properties/workspace-paths.ts'
import { workspaceSwaps } from '../../test-support/properties/workspace-swaps.ts'
import { deep } from '../../test-support/property.ts'

deep(workspacePaths, 2_000)
// 10,000 operations.
if (process.platform === 'linux') deep(workspaceSwaps, 100)
