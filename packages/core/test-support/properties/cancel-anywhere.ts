import { getEventListeners } from 'node:events'
import { Agent } from '../../src/agent/agent.ts'
import type { RunOptions } from '../../src/agent/run-options.ts'
import type { RunStream } from '../../src/agent/run-stream.ts'
import type { Chunk } from '../../src/events/chunk.ts'
import type { LanguageModel } from '../../src/model/language-model.ts'
import { createTool } from '../../src/tools/create-tool.ts'
import { type CountedTimers, countedTimers } from '../counted-timers.ts'
import { assert, type Property } from '../property.ts'
import type { Random } from '../random.ts'
import { assertOneStartAndFinish } from './run-shape.ts'

/** Limits are at least that long, and waits for a retry are shorter. */
const LIMIT_MS = 1_000_000

/** What an agent's model says in one step, and how many turns of the microtask queue it takes between two parts. */
interface PlannedStep {
  readonly parts: readonly object[]
  readonly ticks: number
  /** The first attempt at it fails, and passes on retry. */
  readonly busy: boolean
}

/** A run that can be made again and again: the same tree of agents, which say the same at the same pace. */
interface Plan {
  readonly key: string
  readonly steps: readonly PlannedStep[]
  readonly children: readonly Plan[]
  /** Whether the agent has a signal and a clock of its own. */
  readonly ownLimits: boolean
}

function planOf(random: Random, key: string, levels: number): Plan {
  const width = levels === 0 ? 0 : random.between(1, 2)
  const children = Array.from({ length: width }, (_none, n) => planOf(random, `${key}${n}`, levels - 1))
  const names = ['look', 'look', 'slow', 'boom', 'nope', ...children.map((child) => child.key)]
  const turns = random.between(1, levels === 0 ? 2 : 3)
  const steps = Array.from({ length: turns }, (_none, turn): PlannedStep => {
    const last = turn === turns - 1
    const calls = last ? [] : Array.from({ length: random.between(1, 3) }, () => random.pick(names))
    // Somebody must delegate, or only one level is tried.
    const [first] = children
    if (turn === 0 && !last && first) calls.push(first.key)
    return { parts: partsOf(random, `${key}-${turn}`, calls), ticks: random.below(4), busy: random.chance(0.2) }
  })
  return { key, steps, children, ownLimits: random.chance(0.4) }
}

function partsOf(random: Random, at: string, calls: readonly string[]): object[] {
  const parts: object[] = [{ type: 'stream-start', warnings: [] }]
  if (random.chance(0.3)) {
    parts.push({ type: 'reasoning-start', id: 'r' })
    parts.push({ type: 'reasoning-delta', id: 'r', delta: 'hm' }, { type: 'reasoning-end', id: 'r' })
  }
  const deltas = calls.length === 0 ? random.between(2, 12) : random.below(5)
  if (deltas > 0) parts.push({ type: 'text-start', id: 't' })
  for (let n = 0; n < deltas; n++) parts.push({ type: 'text-delta', id: 't', delta: `${n} ` })
  for (const [n, toolName] of calls.entries()) {
    const toolCallId = `${at}-${n}`
    const input = JSON.stringify({ prompt: toolCallId })
    if (random.chance(0.3)) {
      parts.push({ type: 'tool-input-start', id: toolCallId, toolName })
      parts.push({ type: 'tool-input-delta', id: toolCallId, delta: input })
    }
    parts.push({ type: 'tool-call', toolCallId, toolName, input: takesNothing(toolName) ? '{}' : input })
  }
  const unified = calls.length === 0 ? 'stop' : 'tool-calls'
  parts.push({ type: 'finish', finishReason: { unified, raw: unified }, usage: { inputTokens: 1, outputTokens: 1 } })
  return parts
}

const takesNothing = (toolName: string): boolean => ['look', 'slow', 'boom', 'nope'].includes(toolName)

/** What was asked of models and tools while a plan ran, and what of it is still at work. */
class Watch {
  begun = 0
  /** The signals of the calls that have neither ended nor been let go. */
  readonly atWork = new Map<object, { readonly signal: AbortSignal; readonly depth: number }>()

  enter(signal: AbortSignal | undefined, depth: number): () => void {
    assert(signal !== undefined, () => 'a call has no signal')
    const call = {}
    this.begun += 1
    this.atWork.set(call, { signal, depth })
    return () => void this.atWork.delete(call)
  }
}

async function ticks(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await Promise.resolve()
}

/** The model of an agent: it looks at the prompt to see which step it is in, since parallel calls of one child share it. */
function modelOf(plan: Plan, depth: number, watch: Watch): LanguageModel {
  const tried = new Set<string>()
  const doStream = async (options: { prompt: readonly { role: string }[]; abortSignal?: AbortSignal }) => {
    const { prompt, abortSignal } = options
    const asked = prompt.findLastIndex(({ role }) => role === 'user')
    const index = prompt.slice(asked).filter(({ role }) => role === 'assistant').length
    const step = plan.steps[index] as PlannedStep
    const leave = watch.enter(abortSignal, depth)
    await ticks(step.ticks)
    const question = JSON.stringify(prompt)
    if (step.busy && !tried.has(question)) {
      tried.add(question)
      leave()
      throw Object.assign(new Error('busy'), { statusCode: 429 })
    }
    let next = 0
    return {
      stream: new ReadableStream({
        async pull(controller) {
          await ticks(step.ticks)
          const part = step.parts[next++]
          if (part) return controller.enqueue(part)
          leave()
          controller.close()
        },
        cancel: leave,
      }),
    }
  }
  const model = { specificationVersion: 'v4', provider: 'plan', modelId: plan.key, supportedUrls: {}, doStream }
  return model as unknown as LanguageModel
}

/** The plan as agents. `own` are the signals that agents of it have of their own. */
function build(plan: Plan, depth: number, watch: Watch, own: AbortSignal[]): Agent {
  const tool = (id: string, body: () => unknown) =>
    createTool({
      id,
      execute: async (_input, { abortSignal }) => {
        const leave = watch.enter(abortSignal, depth)
        try {
          return await body()
        } finally {
          leave()
        }
      },
    })
  const tools = {
    look: tool('look', () => 'seen'),
    slow: tool('slow', () => ticks(12)),
    boom: tool('boom', () => Promise.reject(new Error('boom'))),
  }
  const agents = Object.fromEntries(plan.children.map((child) => [child.key, build(child, depth + 1, watch, own)]))
  const defaultOptions: RunOptions = {}
  if (plan.ownLimits) {
    const { signal } = new AbortController()
    own.push(signal)
    Object.assign(defaultOptions, { abortSignal: signal, timeout: { totalMs: LIMIT_MS, toolMs: LIMIT_MS } })
  }
  const model = modelOf(plan, depth, watch)
  return new Agent({ id: plan.key, description: plan.key, model, tools, agents, defaultOptions })
}

interface Opened {
  readonly stream: RunStream
  readonly watch: Watch
  readonly outer: AbortController
  /** Every signal that a run listens to. */
  readonly signals: readonly AbortSignal[]
}

async function open(plan: Plan): Promise<Opened> {
  const watch = new Watch()
  const own: AbortSignal[] = []
  const agent = build({ ...plan, ownLimits: false }, 0, watch, own)
  const outer = new AbortController()
  const limit = plan.ownLimits ? LIMIT_MS : undefined
  const timeout = limit ? { totalMs: limit, stepMs: limit, chunkMs: limit, toolMs: limit } : {}
  const stream = await agent.stream('go', { runId: 'r', abortSignal: outer.signal, timeout })
  return { stream, watch, outer, signals: [outer.signal, ...own] }
}

/** What a run gave, as far as nobody interfered. */
async function whole({ stream, watch }: Opened): Promise<string> {
  const { text, finishReason, totalUsage, toolResults } = await stream.result
  return JSON.stringify([text, finishReason, totalUsage, toolResults.length, watch.begun])
}

async function chunksOf(stream: RunStream): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream.events) chunks.push(chunk)
  return chunks
}

/** A plan that is tried again and again, and the clocks that are set meanwhile. */
interface Trial {
  readonly plan: Plan
  readonly timers: CountedTimers
}

/**
 * Aborts a run a few turns of the microtask queue after its chunk `at` was read. Gives the depth of the deepest call that was under way
 * then; undefined if the run came to its end before.
 */
async function abortAt({ plan, timers }: Trial, at: number, by: 'signal' | 'stream', delay: number) {
  const opened = await open(plan)
  const { stream, watch, outer } = opened
  let begun = -1
  let depth = 0
  let read = 0
  for await (const _chunk of stream.events) {
    if (read++ !== at) continue
    await ticks(delay)
    begun = watch.begun
    const atWork = [...watch.atWork.values()]
    if (by === 'signal') outer.abort()
    else stream.abort()
    for (const call of atWork) {
      assert(call.signal.aborted, () => `a call at depth ${call.depth} does not see the abort`)
      depth = Math.max(depth, call.depth)
    }
  }
  const { finishReason } = await stream.result
  assertNoClock(timers)
  await assertAtRest(opened)
  assert(watch.begun === begun, () => `${watch.begun - begun} calls of models or tools began after the abort`)
  const chunks = await chunksOf(stream)
  assertOneStartAndFinish(chunks, plan.key)
  const ending = chunks.slice(-2).map(({ type }) => type)
  if (finishReason === 'aborted') {
    assert(ending.join() === 'abort,finish', () => `an aborted run ends with ${ending}`)
    return depth
  }
  // Between the last chunk that a reader has seen and the abort the run may have come to its end.
  assert(!chunks.some(({ type }) => type === 'abort'), () => `a run that ended with ${finishReason} tells of an abort`)
  return undefined
}

/** When a run is over none of its clocks runs on, not even until it would have run out. */
function assertNoClock(timers: CountedTimers): void {
  assert(timers.open === 0, () => `${timers.open} clocks run on`)
}

/** Nobody listens, and what still comes changes nothing. */
async function assertAtRest({ signals }: Opened): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  for (const signal of signals) {
    const left = getEventListeners(signal, 'abort').length
    assert(left === 0, () => `${left} listeners are left on a signal`)
  }
}

const READERS = ['events', 'fullStream', 'textStream', 'response'] as const

/** A reader leaves after `at` items: the run must not notice. */
async function leaveAt({ plan, timers }: Trial, at: number, kind: (typeof READERS)[number], expected: string) {
  const opened = await open(plan)
  const { stream } = opened
  const body = kind === 'response' ? stream.toUIMessageStreamResponse().body : stream[kind].toReadableStream()
  const reader = (body as ReadableStream<unknown>).getReader()
  for (let read = 0; read < at; read++) if ((await reader.read()).done) break
  await reader.cancel()
  const got = await whole(opened)
  assert(got === expected, () => `after a reader of ${kind} left, the run gave ${got}, not ${expected}`)
  assertNoClock(timers)
  await assertAtRest(opened)
}

export const cancelAnywhere: Property = {
  name: 'R09',
  unit: 'recorded streams',
  async check(random, tally) {
    const plan = planOf(random, 'a', 2)
    const timers = countedTimers(LIMIT_MS)
    try {
      const recorded = await open(plan)
      const { length } = await chunksOf(recorded.stream)
      const expected = await whole(recorded)
      for (let at = 0; at < length; at++) {
        for (const by of ['signal', 'stream'] as const) {
          const delay = random.pick([0, 0, 1, 3, 8, 20])
          const depth = await abortAt({ plan, timers }, at, by, delay).catch((error: unknown) => {
            throw new Error(`aborted by ${by} at chunk ${at} and ${delay} ticks: ${String(error)}`, { cause: error })
          })
          tally(depth === undefined ? 'ended before' : `aborted by ${by}`)
          if (depth !== undefined && depth > 0) tally(`seen at depth ${depth}`)
        }
        await leaveAt({ plan, timers }, at, READERS[at % READERS.length] as 'events', expected)
      }
      tally('points', length)
    } finally {
      timers.restore()
    }
  },
}
