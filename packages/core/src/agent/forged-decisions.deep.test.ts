import { deep } from '../../test-support/deep.ts'
import { forgedDecisions } from '../../test-support/properties/forged-decisions.ts'

deep(forgedDecisions, 5000)
