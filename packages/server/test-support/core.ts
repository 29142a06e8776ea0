// Properties are checked with the helpers of core, which are not published: this package's tests find them here.
export { deep } from '../../core/test-support/deep.ts'
export { assert, holds, type Property } from '../../core/test-support/property.ts'
export { Random } from '../../core/test-support/random.ts'
