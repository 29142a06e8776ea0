import { longRun } from '../test-support/long-run.ts'
import { manyWriters } from '../test-support/properties/many-writers.ts'

longRun(manyWriters({ processes: 4, writers: 50, messages: 1_000, p99: 250 }))
