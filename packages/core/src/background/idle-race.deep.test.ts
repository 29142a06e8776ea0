import { deep } from '../../test-support/deep.ts'
import { idleRace } from '../../test-support/properties/idle-race.ts'

deep(idleRace, 10_000)
