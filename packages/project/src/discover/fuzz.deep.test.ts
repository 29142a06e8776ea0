import { fuzzedTrees } from '../../test-support/properties/fuzzed-trees.ts'
import { deep } from '../../test-support/property.ts'

deep(fuzzedTrees, 10_000)
