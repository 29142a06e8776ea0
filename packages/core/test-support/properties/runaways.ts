import { Agent } from '../../src/agent/agent.ts'
import type { RunOptions } from '../../src/agent/run-options.ts'
import type { Chunk } from '../../src/events/chunk.ts'
import type { BudgetOptions } from '../../src/loop/budget.ts'
import type { LanguageModel } from '../../src/model/language-model.ts'
import { promptProblems } from '../../src/testing/index.ts'
import { createTool } from '../../src/tools/create-tool.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { countedTimers } from '../counted-timers.ts'
import { assert, type Property } from '../property.ts'
import type { Random } from '../random.ts'
import { assertOneStartAndFinish } from './run-shape.ts'

/** What a model does in every step of every run, for ever. */
const HABITS = [
  'delegates',
  'calls unknown tools',
  'sends bad JSON',
  'calls what fails',
  'calls what works',
  'mixes',
] as const
type Habit = (typeof HABITS)[number]

/** Reasons for which such a run can end: each says what happened, and none says that all is well. */
const REASONS: ReadonlySet<string> = new Set(['max-steps', 'error', 'over-budget'])

/** As many delegations as a root run can make where nobody set a budget. */
const MOST_DELEGATIONS = 1000

const BAD = ['{"prompt":"fi', 'not json', '[1]', '"text"', 'null', '']

/** The calls of a step. Errors differ from step to step where `varies`, so that only the bounds end the run. */
function callsOf(random: Random, habit: Habit, width: number, keys: readonly string[], varies: boolean): object[] {
  const mark = varies ? random.below(1e9) : 'again'
  return Array.from({ length: width }, (_none, n) => {
    const chosen = habit === 'mixes' ? random.pick(HABITS.slice(0, -1)) : habit
    const call = (toolName: string, input: string) => ({ type: 'tool-call', toolCallId: 'same', toolName, input })
    switch (chosen) {
      case 'delegates':
        return call(random.pick(keys), JSON.stringify({ prompt: `${mark} ${n}` }))
      case 'calls unknown tools':
        return call(varies ? `nope-${mark}` : 'nope', '{}')
      case 'sends bad JSON':
        return call(random.pick([...keys, 'strict']), varies ? random.pick(BAD) : '{"prompt":"fi')
      case 'calls what fails':
        return call('boom', JSON.stringify({ mark }))
      default:
        return call('fine', '{}')
    }
  })
}

interface Counted {
  /** Calls of each of an agent's models, by its place in the list. */
  readonly calls: number[]
}

/** What a whole team did. */
class Work {
  /** What strict models said against prompts. */
  readonly problems: string[] = []
  toolCalls = 0
}

/** Tokens of each answer. */
const TOKENS = 2

/** An agent's models: some that fail in a way that passes, some that refuse, and the one that answers, which runs away. */
function modelsOf(
  random: Random,
  keys: readonly string[],
  work: Work,
): { models: LanguageModel[]; ways: Way[]; counted: Counted } {
  const ways = Array.from({ length: random.pick([0, 0, 1, 2]) }, () =>
    random.pick(['busy', 'refuses', 'broken'] as const),
  )
  const habit = random.pick([...HABITS, 'delegates', 'delegates', 'delegates', 'mixes'] as const)
  const width = random.between(1, 3)
  const varies = random.chance(0.5)
  const counted: Counted = { calls: [...ways.map(() => 0), 0] }
  const model = (index: number, way: Way | 'answers'): LanguageModel => {
    const doStream = async ({ prompt }: { prompt: never }) => {
      counted.calls[index] = (counted.calls[index] ?? 0) + 1
      work.problems.push(...promptProblems(prompt))
      if (way === 'busy') throw Object.assign(new Error('busy'), { statusCode: 503 })
      if (way === 'refuses') throw Object.assign(new Error('no'), { statusCode: 401 })
      if (way === 'broken') return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }]) }
      const finish = { type: 'finish', finishReason: 'tool-calls', usage: { inputTokens: TOKENS - 1, outputTokens: 1 } }
      return { stream: ReadableStream.from([...callsOf(random, habit, width, keys, varies), finish]) }
    }
    const given = {
      specificationVersion: 'v4',
      provider: 'runaway',
      modelId: `${way}-${index}`,
      supportedUrls: {},
      doStream,
    }
    return given as unknown as LanguageModel
  }
  return { models: [...ways.map((way, index) => model(index, way)), model(ways.length, 'answers')], ways, counted }
}

type Way = 'busy' | 'refuses' | 'broken'

/** An agent of a team, as far as its attempts are judged. */
interface Runaway {
  readonly id: string
  readonly ways: readonly Way[]
  readonly counted: Counted
  readonly maxRetries: number
}

/**
 * Attempts that each model gets for every answer: `maxRetries + 1` where the failure can pass, else one. A budget of tokens, which what
 * fails uses up too, leaves each model the first alone when it is spent.
 */
function assertAttempts({ id, ways, counted, maxRetries }: Runaway, metered: boolean): void {
  const { calls } = counted
  const answers = calls.at(-1) ?? 0
  for (const [index, way] of ways.entries()) {
    const expected = answers * (way === 'refuses' ? 1 : maxRetries + 1)
    const tried = calls[index] ?? 0
    assert(
      metered ? tried >= answers && tried <= expected : tried === expected,
      () => `${id}: a model that is ${way} was tried ${calls[index]} times for ${answers} answers`,
    )
  }
}

/** Steps of a run stay within its bound; where the budget is used up the root may answer once more. */
function assertSteps(chunks: readonly Chunk[], bounds: ReadonlyMap<string, number>): void {
  const steps = new Map<string, number>()
  const agents = new Map<string, string>()
  for (const { type, runId, payload } of chunks) {
    if (type === 'start') agents.set(runId, payload.id)
    if (type === 'step-start') steps.set(runId, (steps.get(runId) ?? 0) + 1)
  }
  for (const chunk of chunks) {
    if (chunk.type !== 'finish') continue
    const { reason } = chunk.payload.stepResult
    assert(REASONS.has(reason), () => `the run ${chunk.runId} ended with ${reason}`)
    const id = agents.get(chunk.runId) ?? ''
    const bound = (bounds.get(id) ?? 0) + Number(reason === 'over-budget')
    const made = steps.get(chunk.runId) ?? 0
    assert(made <= bound, () => `the run ${chunk.runId} made ${made} steps of ${bound}`)
  }
}

function toolsOf(work: Work): Record<string, Tool> {
  const tool = (id: string, body: (mark: unknown) => unknown, required: string[] = []) =>
    createTool({
      id,
      inputSchema: { type: 'object', required },
      execute: ({ mark }) => {
        work.toolCalls += 1
        return body(mark)
      },
    })
  return {
    boom: tool('boom', (mark) => Promise.reject(new Error(`boom ${String(mark)}`))),
    strict: tool('strict', () => 'ok', ['x']),
    fine: tool('fine', () => 'ok'),
  }
}

function budgetOf(random: Random): BudgetOptions {
  switch (random.below(3)) {
    case 0:
      return { delegations: random.below(30) }
    case 1:
      return { toolCalls: random.below(30) }
    default:
      return { tokens: random.between(1, 100) }
  }
}

/** What was begun stays within the budget of the root run; tokens may go over it by the answers under way, and the last one. */
function assertBudget(budget: BudgetOptions, work: Work, chunks: readonly Chunk[], tokens: number): void {
  const { delegations: most = MOST_DELEGATIONS, toolCalls = Infinity } = budget
  const delegations = chunks.filter(({ type }) => type === 'delegation-start').length
  assert(delegations <= most, () => `${delegations} delegations began, and ${most} are allowed`)
  const begun = work.toolCalls + delegations
  assert(begun <= toolCalls, () => `${begun} tool calls began, and ${toolCalls} are allowed`)
  const bound = (budget.tokens ?? Infinity) + TOKENS * (mostAtATime(chunks) + 1)
  assert(tokens <= bound, () => `${tokens} tokens were used of ${budget.tokens}, and no more than ${bound} are allowed`)
}

/** The most runs that were at work at a time. */
function mostAtATime(chunks: readonly Chunk[]): number {
  let most = 0
  let now = 0
  for (const { type } of chunks) {
    if (type === 'start') most = Math.max(most, ++now)
    if (type === 'finish') now -= 1
  }
  return most
}

/** Agents that all can delegate to each other, in circles. */
export const runaways: Property = {
  name: 'R12',
  unit: 'runaway teams',
  async check(random, tally) {
    const ids = ['a', 'b', 'c'].slice(0, random.between(1, 3))
    const work = new Work()
    const agents: Record<string, Agent> = {}
    const bounds = new Map<string, number>()
    const models = ids.map((id) => ({ id, maxRetries: random.below(3), ...modelsOf(random, ids, work) }))
    const maxDepth = random.pick([0, 1, 2, 3, 3, 4])
    const allowCycles = random.chance(0.7)
    const tools = toolsOf(work)
    const budget = random.chance(0.4) ? budgetOf(random) : {}
    for (const { id, maxRetries, models: model } of models) {
      const maxSteps = random.between(1, 5)
      bounds.set(id, maxSteps)
      const defaultOptions: RunOptions = { maxSteps }
      agents[id] = new Agent({
        id,
        description: id,
        model,
        tools,
        agents: () => agents,
        maxRetries,
        maxDepth,
        defaultOptions,
      })
    }
    const timers = countedTimers(1_000_000)
    try {
      const stream = await (agents['a'] as Agent).stream('go', { allowCycles, budget })
      const chunks: Chunk[] = []
      for await (const chunk of stream.events) chunks.push(chunk)
      assertOneStartAndFinish(chunks, 'a')
      assertSteps(chunks, bounds)
      const depth = chunks.reduce((most, { path }) => Math.max(most, path.length - 1), 0)
      const allowed = allowCycles ? maxDepth : Math.min(maxDepth, ids.length - 1)
      assert(depth <= allowed, () => `it delegated ${depth} levels deep, and ${allowed} are allowed`)
      const made = chunks.filter(({ type }) => type === 'delegation-start').length
      assertBudget(budget, work, chunks, (await stream.totalUsage).totalTokens)
      for (const each of models) assertAttempts(each, budget.tokens !== undefined)
      assert(work.problems.length === 0, () => `a strict model refuses the prompt: ${work.problems[0]}`)
      assert(timers.open === 0, () => `${timers.open} clocks run on`)
      tally(await stream.finishReason)
      tally('delegations', made)
      tally('as many delegations as there can be', Number(made === MOST_DELEGATIONS))
      tally(`depth ${depth}`)
    } finally {
      timers.restore()
    }
  },
}
