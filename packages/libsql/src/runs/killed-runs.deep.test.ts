import { deep } from '../../test-support/core.ts'
import { longRun } from '../../test-support/long-run.ts'
import { killedAtEveryWrite, killedRuns } from '../../test-support/properties/killed-runs.ts'

deep(killedRuns(5), 50)

longRun(killedAtEveryWrite)
