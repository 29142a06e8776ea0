// Bytes that are allocated for a delegation, as JSON, those for reading the models' answers taken off. To be run with
// `ALLOCATION_FLAGS` (run-count.mjs): no collection in between, and no optimizing compiler, which leaves out allocations from some moment
// on that is another in every process. What is counted is the code's own wish, the same each time.
import { subject } from '../subjects.mjs'
import { bareReading } from './bare-reading.mjs'

const WARM_UP = 100
const RUNS = 200

async function bytesOf(run) {
  for (let n = 0; n < WARM_UP; n++) await run()
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < RUNS; n++) await run()
  return Math.round((process.memoryUsage().heapUsed - before) / RUNS)
}

async function added(side, mode, shape) {
  const agents = subject(side, shape)
  const run = mode === 'stream' ? () => agents.stream(() => {}) : agents.generate
  return (await bytesOf(run)) - (await bytesOf(bareReading(shape)))
}

async function countSide(side) {
  const generate = await added(side, 'generate', { depth: 1, chunks: 10 })
  const stream = await added(side, 'stream', { depth: 1, chunks: 10 })
  const longer = await added(side, 'stream', { depth: 1, chunks: 110 })
  return {
    generate,
    stream,
    perLevel: (await added(side, 'generate', { depth: 2, chunks: 10 })) - generate,
    perChunkRead: Math.round((longer - stream) / 100),
  }
}

console.log(JSON.stringify({ ours: await countSide('ours'), floor: await countSide('floor') }))
