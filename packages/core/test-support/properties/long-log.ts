import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent } from '../../src/agent/agent.ts'
import type { RunStream } from '../../src/agent/run-stream.ts'
import type { Chunk } from '../../src/events/chunk.ts'
import type { LanguageModel } from '../../src/model/language-model.ts'
import { assert, type Property, type Tally } from '../property.ts'
import type { Random } from '../random.ts'

/** R10's figure: what a run's heap may grow by, with a reader that lags. */
const MAX_GROWTH = 64 * 1024 * 1024

/** Bytes of live objects in this thread's heap. */
function heap(): number {
  collect()
  return process.memoryUsage().heapUsed
}

let gc: (() => void) | undefined

function collect(): void {
  if (!gc) {
    setFlagsFromString('--expose-gc')
    gc = runInNewContext('gc') as () => void
  }
  gc()
}

/** What a model says: the kind of each block, how many deltas it has, and how long these are. */
interface Block {
  readonly kind: 'text' | 'reasoning'
  readonly deltas: number
  readonly size: number
}

/** Blocks of so many deltas in all: one, or thousands. */
function blocksOf(random: Random, deltas: number): Block[] {
  const blocks: Block[] = []
  const longest = random.pick([deltas, deltas, 50_000, 3000])
  for (let left = deltas; left > 0; ) {
    const count = Math.min(left, random.between(1, longest))
    blocks.push({ kind: random.chance(0.7) ? 'text' : 'reasoning', deltas: count, size: random.between(1, 8) })
    left -= count
  }
  return blocks
}

/** The delta `n` of a block: a text that a reader can tell from all others near it. */
const deltaOf = ({ size }: Block, n: number): string => String(n).padStart(size, '.').slice(-size)

/** Plays one list of blocks a call, and calls back after each delta. All calls but the last end with a delegation. */
function modelOf(calls: readonly (readonly Block[])[], onDelta: () => void): LanguageModel {
  let made = 0
  const doStream = async () => {
    const blocks = calls[made++] ?? []
    return { stream: ReadableStream.from(partsOf(blocks, made < calls.length, onDelta)) }
  }
  const model = { specificationVersion: 'v4', provider: 'long', modelId: 'long', supportedUrls: {}, doStream }
  return model as unknown as LanguageModel
}

function* partsOf(blocks: readonly Block[], delegates: boolean, onDelta: () => void): Generator<object> {
  for (const [index, block] of blocks.entries()) {
    const id = `${index}`
    yield { type: `${block.kind}-start`, id }
    for (let n = 0; n < block.deltas; n++) {
      yield { type: `${block.kind}-delta`, id, delta: deltaOf(block, n) }
      onDelta()
    }
    yield { type: `${block.kind}-end`, id }
  }
  if (delegates) yield { type: 'tool-call', toolCallId: 'c', toolName: 'child', input: '{"prompt":"go on"}' }
  const finishReason = delegates ? 'tool-calls' : 'stop'
  yield { type: 'finish', finishReason, usage: { inputTokens: 1, outputTokens: 1 } }
}

function saidBy(blocks: readonly Block[]): string {
  const said: string[] = []
  for (const block of blocks) for (let n = 0; n < block.deltas; n++) said.push(deltaOf(block, n))
  return said.join('')
}

/** What a reader got: its texts in order, and its bytes as JSON. */
class Received {
  readonly #texts: string[] = []
  bytes = 0
  chunks = 0

  take(chunk: Chunk): void {
    this.chunks += 1
    this.bytes += Buffer.byteLength(JSON.stringify(chunk))
    let inner = chunk
    while (inner.type === 'tool-output') inner = inner.payload.output as Chunk
    if (inner.type === 'text-delta' || inner.type === 'reasoning-delta') this.#texts.push(inner.payload.text)
  }

  get text(): string {
    return this.#texts.join('')
  }
}

/** Reads one chunk for every `lag` that were made. */
class SlowReader {
  readonly received = new Received()
  readonly #reader: AsyncIterator<Chunk>
  readonly #lag: number
  #seen = 0

  constructor(stream: RunStream, lag: number) {
    this.#reader = stream.events[Symbol.asyncIterator]()
    this.#lag = lag
  }

  /** Its chunks are there already, so that it never waits. */
  onChunk(): void {
    if (++this.#seen % this.#lag === 0) void this.#next()
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#reader.next()
    if (!done) this.received.take(value)
    return !done
  }

  async rest(): Promise<void> {
    while (await this.#next());
  }
}

/** A run of two agents that stream so many chunks, with a reader that lags, one that never reads, and one that comes late. */
export function longLog(chunks: number): Property {
  return {
    name: 'R10',
    unit: `logs of ${chunks} chunks`,
    check: (random, tally) => check(random, tally, chunks),
  }
}

/** What is said by whom: all by one agent in one answer, or a part by its child. */
interface Script {
  readonly top: readonly (readonly Block[])[]
  readonly child: readonly Block[]
}

function scriptOf(random: Random, deltas: number): Script {
  if (random.chance(0.5)) return { top: [blocksOf(random, deltas)], child: [] }
  const part = Math.floor(deltas / 3)
  return {
    top: [blocksOf(random, part), blocksOf(random, part)],
    child: blocksOf(random, deltas - 2 * part),
  }
}

async function check(random: Random, tally: Tally, deltas: number): Promise<void> {
  const script = scriptOf(random, deltas)
  const every = Math.ceil(deltas / 8)
  let made = 0
  let slow: SlowReader | undefined
  let peak = 0
  const onDelta = (): void => {
    slow?.onChunk()
    if (++made % every === 0 || made === deltas) peak = Math.max(peak, heap())
  }
  const child = new Agent({ id: 'child', description: 'c', model: modelOf([script.child], onDelta) })
  const agent = new Agent({ id: 'top', model: modelOf(script.top, onDelta), agents: { child } })
  const before = heap()
  const stream = await agent.stream('go')
  const lag = random.pick([10, 100, 5000])
  slow = new SlowReader(stream, lag)
  const idle = stream.fullStream[Symbol.asyncIterator]()
  await stream.result
  assert(made === deltas, () => `${made} deltas were made, not ${deltas}`)
  const grown = peak - before
  const said = saidBy([script.top[0] ?? [], script.child, script.top[1] ?? []].flat())
  assert(grown < MAX_GROWTH, () => `the heap grew by ${mega(grown)} for ${mega(said.length)} that were said`)
  await slow.rest()
  const late = new Received()
  for await (const chunk of stream.fullStream) late.take(chunk)
  for (const [name, { text, bytes }] of Object.entries({ slow: slow.received, late })) {
    assert(
      text === said,
      () => `the ${name} reader got ${text.length} characters, not the ${said.length} that were said`,
    )
    // Who reads every tenth chunk as it comes is hardly slow, and pays for each what a chunk costs beside its content.
    if (name === 'late' || lag > 10)
      assert(bytes <= 3 * said.length, () => `the ${name} reader got ${bytes} bytes for ${said.length} that were said`)
  }
  tally(`heaps that grew by less than ${8 * Math.ceil(grown / (8 * 1024 * 1024))} MB`)
  await idle.return?.()
}

const mega = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`
