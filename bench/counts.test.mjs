// What a delegation costs, in counts that are the same on every machine: promises, bytes, modules, packages. A bound may only
// shrink. Whoever wants to raise one says in the commit what is bought with it; whoever makes something cheaper lowers its bound.
import { expect, test, vi } from 'vitest'
import { installed } from './counts/installed.mjs'
import { ALLOCATION_FLAGS, runCount } from './counts/run-count.mjs'

// Each count is a process of its own or two, and machines can be busy.
vi.setConfig({ testTimeout: 60_000 })

// As measured and at most a twentieth above, so that an honest line more does not fail.
const BOUNDS = {
  // Each is a trip through the microtask queue; a call that waits in an async function holds some 450 bytes. By hand: 8.
  promises: {
    generate: 75,
    // With a reader of `fullStream`: two for each chunk that it reads, of which there are 36, its own `for await` included.
    stream: 160,
    // A level is a whole run and the way to it. By hand: 6.
    perLevel: 52,
    // A chunk that nobody reads must not make any: the model's own read is all that there is.
    perChunkUnread: 0,
    // `next()` has to return one, and the reader's `await` is the other. By hand, with an async generator: 4.
    perChunkRead: 2,
    // The nested form is built around a chunk; it must never be a chain of streams, one a level.
    perChunkReadDeep: 2,
  },
  // Young garbage is what the collector's time goes with. By hand: 7, 33, 5 and 0.8 KB.
  allocatedBytes: { generate: 60_500, stream: 93_000, perLevel: 41_000, perChunkRead: 850 },
  // While runs come one after the other (measured: 9.6, and 100 where something kept each run until the next full collection).
  heapPeak: { megabytes: 20 },
  // Each module is a file to find, read, compile and link: half a millisecond of every cold start (measured: 14 and 253,575).
  loaded: { modules: 14, bytes: 266_000 },
  // What everybody installs who has one agent (measured: 6 and 2.72). Providers, schema libraries and storage are the user's choice.
  installed: { packages: 6, megabytes: 2.85 },
  // A stream must grow with what was said (measured: 0.99). A stream that repeats earlier steps comes near 2.
  streamGrowth: 1.05,
  stream: {
    // The type, the run's id and the punctuation of an event, beside its path and payload (measured: 108 at most).
    envelopeBytes: 113,
    // The flat stream of 40 delegations with 500 characters each (measured: 296 590): what a payload says twice shows here.
    bytes: 311_000,
  },
}

test('a delegation makes few promises, and a chunk none that its reader did not ask for', () => {
  const { ours } = runCount('promises.mjs')
  expectWithin(ours, BOUNDS.promises)
})

test('a delegation allocates few bytes', () => {
  const { ours } = runCount('allocated.mjs', ALLOCATION_FLAGS)
  expectWithin(ours, BOUNDS.allocatedBytes)
})

test('a run that has ended is young garbage', () => {
  const { ours } = runCount('heap-peak.mjs', ['--expose-gc'])
  expectWithin(ours, BOUNDS.heapPeak)
})

test("import '@retinue/core/agent' loads little, and nothing that is only needed later", () => {
  const loaded = runCount('loaded.mjs')
  const urls = loaded.map(({ url }) => url)
  expect(urls.filter((url) => url.endsWith('/core/dist/agent/index.js'))).toHaveLength(1)
  expectWithin({ modules: loaded.length, bytes: loaded.reduce((sum, { bytes }) => sum + bytes, 0) }, BOUNDS.loaded)
  // The offline models are for who has no key; the validator waits for the first plain JSON Schema; `ai` and `zod` are the
  // application's; and core runs where there is no Node.
  const later =
    /chunks\/offline|json-schema-validator|node_modules\/(ai|zod|@ai-sdk|@cfworker|@standard-schema)\/|^node:/
  expect(urls.filter((url) => later.test(url))).toEqual([])
})

test('core installs as few packages', () => {
  const sizes = installed('@retinue/core')
  const bytes = Object.values(sizes).reduce((sum, size) => sum + size, 0)
  expectWithin({ packages: Object.keys(sizes).length, megabytes: bytes / 1e6 }, BOUNDS.installed)
})

test('the flat stream of a run grows with its delegations, and so does the nested one', () => {
  const [, twenty, forty] = runCount('stream-bytes.mjs')
  const growth = (key) => Math.log2(forty[key] / twenty[key])
  expect(growth('bytes')).toBeLessThanOrEqual(BOUNDS.streamGrowth)
  expect(growth('nestedBytes')).toBeLessThanOrEqual(BOUNDS.streamGrowth)
})

test('an event says little beside its payload, and a payload nothing twice', () => {
  const [, , { delegations, envelope, bytes }] = runCount('stream-bytes.mjs')
  expect(delegations).toBe(40)
  expectWithin({ envelopeBytes: envelope, bytes }, BOUNDS.stream)
})

/** Each count is within its bound, and none is without one; a failure shows all that are above. */
function expectWithin(counts, bounds) {
  expect(Object.keys(counts)).toEqual(Object.keys(bounds))
  const above = Object.entries(counts).filter(([name, count]) => count > bounds[name])
  expect(above.map(([name, count]) => `${name}: ${count}, at most ${bounds[name]} are allowed`)).toEqual([])
}
