import { deep } from '../../test-support/deep.ts'
import { fuzzedStreams } from '../../test-support/properties/fuzzed-streams.ts'

deep(fuzzedStreams, 10_000)
