import { deep } from '../../test-support/deep.ts'
import { runaways } from '../../test-support/properties/runaways.ts'

deep(runaways, 1000)
