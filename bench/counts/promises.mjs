// Promises that are made for a delegation, as JSON. An `await` counts as one more: Node tells of it as of a promise. Those that
// the models' web streams make are taken off: a bare reader of the same answers makes them too.
import { createHook } from 'node:async_hooks'
import { subject } from '../subjects.mjs'
import { bareReading } from './bare-reading.mjs'

let promises = 0
createHook({
  init(_id, type) {
    if (type === 'PROMISE') promises += 1
  },
}).enable()

const WARM_UP = 20
const RUNS = 10
const MORE_CHUNKS = 100

/** Promises of one run. It is a whole number, unless a run does something else each time. */
async function promisesOf(run) {
  for (let n = 0; n < WARM_UP; n++) await run()
  const before = promises
  for (let n = 0; n < RUNS; n++) await run()
  return (promises - before) / RUNS
}

async function added(side, mode, shape) {
  const agents = subject(side, shape)
  const run = mode === 'stream' ? () => agents.stream(() => {}) : agents.generate
  return (await promisesOf(run)) - (await promisesOf(bareReading(shape)))
}

async function perChunk(side, mode, depth) {
  const few = await added(side, mode, { depth, chunks: 10 })
  return ((await added(side, mode, { depth, chunks: 10 + MORE_CHUNKS })) - few) / MORE_CHUNKS
}

async function countSide(side) {
  const generate = await added(side, 'generate', { depth: 1, chunks: 10 })
  return {
    generate,
    stream: await added(side, 'stream', { depth: 1, chunks: 10 }),
    perLevel: (await added(side, 'generate', { depth: 2, chunks: 10 })) - generate,
    perChunkUnread: await perChunk(side, 'generate', 1),
    perChunkRead: await perChunk(side, 'stream', 1),
    perChunkReadDeep: await perChunk(side, 'stream', 3),
  }
}

console.log(JSON.stringify({ ours: await countSide('ours'), floor: await countSide('floor') }))
