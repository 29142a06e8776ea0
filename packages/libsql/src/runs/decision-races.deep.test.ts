import { longRun } from '../../test-support/long-run.ts'
import { decisionRaces } from '../../test-support/properties/decision-races.ts'

longRun(decisionRaces(1000))
