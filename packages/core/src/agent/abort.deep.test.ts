import { deep } from '../../test-support/deep.ts'
import { cancelAnywhere } from '../../test-support/properties/cancel-anywhere.ts'

deep(cancelAnywhere, 220)
