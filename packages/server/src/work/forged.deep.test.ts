import { deep } from '../../test-support/core.ts'
import { forgedRequests } from '../../test-support/properties/forged-requests.ts'

deep(forgedRequests, 5_000)
