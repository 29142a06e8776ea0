import { deep } from '../../test-support/deep.ts'
import { unreliableTasks } from '../../test-support/properties/unreliable-tasks.ts'

deep(unreliableTasks(100), 10)
