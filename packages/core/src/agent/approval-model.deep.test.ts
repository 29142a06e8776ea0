import { deep } from '../../test-support/deep.ts'
import { approvalModel } from '../../test-support/properties/approval-model.ts'

deep(approvalModel, 10_000)
