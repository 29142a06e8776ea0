// Properties are written and checked as core's are: the helpers are core's own, and published with neither package.
export { deep } from '../../core/test-support/deep.ts'
export { assert, holds, type Property } from '../../core/test-support/property.ts'
export type { Random } from '../../core/test-support/random.ts'
