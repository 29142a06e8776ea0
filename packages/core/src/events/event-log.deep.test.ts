import { deep } from '../../test-support/deep.ts'
import { longLog } from '../../test-support/properties/long-log.ts'

deep(longLog(1_000_000), 5)
