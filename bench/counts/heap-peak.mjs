// By how many MB the heap grows at most while runs come one after the other, as JSON. What a run leaves should be young garbage: where
// something keeps it until the next full collection, the heap grows to several times that, and each run gets dearer.
import { subject } from '../subjects.mjs'

const WARM_UP = 1000
const RUNS = 6000

const { generate } = subject('ours', { depth: 1, chunks: 10 })
for (let n = 0; n < WARM_UP; n++) await generate()
globalThis.gc()
const before = process.memoryUsage().heapUsed
let peak = before
for (let n = 0; n < RUNS; n++) {
  await generate()
  if (n % 20 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed)
}
console.log(JSON.stringify({ ours: { megabytes: (peak - before) / 1e6 } }))
