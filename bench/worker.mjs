// One side of the bench in a process of its own: `fork(worker.mjs, [side])`. Orders come as messages, one at a time.
import { expectedCharacters, subject } from './subjects.mjs'

const side = process.argv[2]

const OPERATIONS = {
  /** Warms agents of a shape up, which the later `batch` orders of that shape use. */
  async warm({ shape, mode, runs }) {
    const run = runOf(shape, mode)
    for (let n = 0; n < runs; n++) await run()
  },

  /** The cost of a run in the mean of `runs`: CPU milliseconds, and milliseconds to the first text (the median). */
  async batch({ shape, mode, runs }) {
    const run = runOf(shape, mode)
    const first = []
    const before = process.cpuUsage()
    for (let n = 0; n < runs; n++) first.push(await run())
    const { user, system } = process.cpuUsage(before)
    return { cpu: (user + system) / 1000 / runs, first: first.toSorted((a, b) => a - b)[runs >> 1] }
  },

  /** By how many MB the process outgrew what it held before, while it ran `runs` runs of a shape. */
  async peak({ small, shape, mode, runs }) {
    const warmUp = runOf(small, mode)
    for (let n = 0; n < 5; n++) await warmUp()
    await collect()
    const before = process.memoryUsage.rss()
    const run = runOf(shape, mode)
    for (let n = 0; n < runs; n++) await run()
    return { peak: (process.resourceUsage().maxRSS * 1024 - before) / 1e6 }
  },

  /** KB of heap for each of `runs` runs, all of which wait for the model of their subagent. */
  async waiting({ shape, runs }) {
    const { gate, close, open, waiting } = makeGate()
    const agents = subject(side, { ...shape, gate })
    for (let n = 0; n < 50; n++) await agents.generate()
    close()
    await collect()
    const before = heldBytes()
    const results = Array.from({ length: runs }, () => agents.generate())
    while (waiting() < runs) await turn()
    await collect()
    const held = heldBytes() - before
    open()
    await Promise.all(results)
    return { held: held / runs / 1024 }
  },
}

const made = new Map()

/** One run of a shape, checked; it gives the milliseconds to the first text. */
function runOf(shape, mode) {
  const key = JSON.stringify([shape, mode])
  if (!made.has(key)) made.set(key, mode === 'stream' ? streamed(shape) : generated(shape))
  return made.get(key)
}

function generated(shape) {
  const agents = subject(side, shape)
  const characters = expectedCharacters({ depth: 0, chunks: undefined })
  return async () => {
    const text = await agents.generate()
    if (text.length !== characters) throw new Error(`${side} gave ${text.length} of ${characters} characters.`)
    return 0
  }
}

function streamed(shape) {
  const agents = subject(side, shape)
  const characters = expectedCharacters(shape)
  return async () => {
    const begun = performance.now()
    let first = 0
    const given = await agents.stream(() => {
      if (first === 0) first = performance.now()
    })
    if (given !== characters) throw new Error(`${side} gave ${given} of ${characters} characters.`)
    return first - begun
  }
}

/** What a model waits at; it lets everything through until it is closed, and again once it is opened. */
function makeGate() {
  let count = 0
  let closed = false
  const { promise, resolve } = Promise.withResolvers()
  const gate = async () => {
    if (!closed) return
    count += 1
    await promise
  }
  const close = () => {
    closed = true
  }
  return { gate, close, open: resolve, waiting: () => count }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function collect() {
  for (let n = 0; n < 4; n++) {
    globalThis.gc()
    await turn()
  }
}

function heldBytes() {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

process.on('message', async ({ operation, order }) => {
  try {
    process.send({ result: (await OPERATIONS[operation](order)) ?? {} })
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) })
  }
})
