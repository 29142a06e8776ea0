import { deep } from '../../test-support/core.ts'
import { longRun } from '../../test-support/long-run.ts'
import { killedTasks, killedTasksAtEveryWrite, lostTasks } from '../../test-support/properties/killed-tasks.ts'

deep(killedTasks(3), 50)
deep(lostTasks(3), 15)

longRun(killedTasksAtEveryWrite)
