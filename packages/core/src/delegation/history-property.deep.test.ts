import { deep } from '../../test-support/deep.ts'
import { histories } from '../../test-support/properties/histories.ts'

deep(histories, 10_000)
