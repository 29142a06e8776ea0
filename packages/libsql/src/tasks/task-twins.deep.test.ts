import { deep } from '../../test-support/core.ts'
import { taskTwins } from '../../test-support/properties/task-twins.ts'

deep(taskTwins(60), 1_000)
