// Core's own helper, which is published with neither package.
export { typedError } from '../../core/test-support/typed-error.ts'
