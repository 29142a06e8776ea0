import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent } from '../../src/agent/agent.ts'
import type { LanguageModel } from '../../src/model/language-model.ts'
import { Retinue } from '../../src/retinue.ts'
import { InMemoryStorage } from '../../src/storage/in-memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createTool } from '../../src/tools/create-tool.ts'
import { assert } from '../property.ts'

/** What a run costs that begins so many tasks, for each of them, in bytes. */
export interface TaskCost {
  readonly written: number
  readonly events: number
  /** What is alive of the run and its stream when it has ended, without what a store in this process keeps. */
  readonly heap: number
}

/** How many tasks a step begins, where not all are begun in one. */
const IN_STEP = 10
const NO_USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

/** A model that says what a function of how often it was asked gives. */
function model(say: (n: number) => object[]): LanguageModel {
  let asked = 0
  const doStream = async () => {
    const parts = say(asked++)
    const reason = parts.some((part) => 'toolName' in part) ? 'tool-calls' : 'stop'
    const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage: NO_USAGE }
    return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...parts, finish]) }
  }
  return {
    specificationVersion: 'v4',
    provider: 'linear',
    modelId: 'm',
    supportedUrls: {},
    doStream,
  } as unknown as LanguageModel
}

function text(delta: string): object[] {
  return [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta },
    { type: 'text-end', id: 't' },
  ]
}

/** Counts the bytes of what is written through it. */
function counted(shared: Storage): { readonly storage: Storage; readonly written: () => number } {
  let bytes = 0
  const within = <Domain extends object>(domain: Domain): Domain =>
    new Proxy(domain, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key)
        if (typeof member !== 'function') return member
        return (...values: unknown[]) => {
          if (!/^(?:get|list|messages|shared|renew)/.test(String(key))) bytes += JSON.stringify(values).length
          return Reflect.apply(member, target, values)
        }
      },
    })
  const { id, threads, workingMemory, runs, approvals, tasks } = shared
  const storage: Storage = {
    ...{ id, threads: within(threads), workingMemory: within(workingMemory), runs: within(runs) },
    ...{ approvals: within(approvals), tasks: within(tasks), close: async () => {} },
  }
  return { storage, written: () => bytes }
}

/** Runs a supervisor that begins so many tasks, so many in a step, half of them delegations and half tools, and is told of all of them. */
async function taskCost(tasks: number, durable: boolean, inStep: number): Promise<TaskCost> {
  const calls = (step: number) =>
    Array.from({ length: inStep }, (_none, n) => ({
      type: 'tool-call',
      toolCallId: `c${step}-${n}`,
      toolName: n % 2 === 0 ? 'a' : 'slow',
      input: JSON.stringify({ prompt: `do ${step}-${n}` }),
    }))
  const sup = new Agent({
    id: 'sup',
    model: model((step) => (step < tasks / inStep ? calls(step) : text('fine'))),
    agents: { a: new Agent({ id: 'a', description: 'd', model: model(() => text('ZEBRA')) }) },
    tools: { slow: createTool({ id: 'slow', execute: () => 'ZEBRA' }) },
    backgroundTasks: { tools: { a: true, slow: true } },
  })
  let shared: InMemoryStorage | undefined = new InMemoryStorage()
  const { storage, written } = counted(shared)
  shared = undefined
  const app = new Retinue({ agents: { sup }, storage, backgroundTasks: { enabled: true }, logger: false })
  const stream = await app.getAgent('sup').streamUntilIdle('Go', { durable, maxSteps: 1_000 })
  const reason = await stream.finishReason
  if (reason !== 'stop') throw new Error(`it ended with ${reason}`)
  let events = 0
  for await (const chunk of stream.events) events += JSON.stringify(chunk).length
  for (const { taskId } of await allTasks(storage)) await storage.tasks.remove(taskId)
  const after = heap()
  // The stream is alive up to here, and what it holds is counted.
  if (stream.runId === '') throw new Error('it has no id')
  return { written: written() / tasks, events: events / tasks, heap: after }
}

async function allTasks({ tasks }: Storage) {
  const all = []
  let cursor: string | undefined
  do {
    const page = await tasks.list(cursor === undefined ? { limit: 1_000 } : { limit: 1_000, cursor })
    all.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return all
}

let gc: (() => void) | undefined

function heap(): number {
  if (!gc) {
    setFlagsFromString('--expose-gc')
    gc = runInNewContext('gc') as () => void
  }
  gc()
  return process.memoryUsage().heapUsed
}

/** How much more of something a task may cost with one size than with the size before. */
const MAX_GROWTH = 1.1

/** What a collection leaves differs by some pages from one to the next. */
const HEAP_SLACK = 1_000

/**
 * Measures runs of several sizes, each larger than the one before, and throws where a task costs more than ten percent more with one of
 * them. `judged`: of what. A heap that others use at the same time says nothing.
 */
export async function taskGrowth(
  sizes: readonly number[],
  durable: boolean,
  judged: readonly (keyof TaskCost)[],
  begun: 'ten in a step' | 'all in one step' = 'ten in a step',
): Promise<readonly TaskCost[]> {
  const costOf = (size: number): Promise<TaskCost> =>
    taskCost(size, durable, begun === 'all in one step' ? size : IN_STEP)
  // What is loaded with the first runs, and compiled, is no task's.
  for (let run = 0; run < 3; run++) await costOf(sizes[0] as number)
  const costs: TaskCost[] = []
  for (const size of sizes) {
    const before = heap()
    const cost = await costOf(size)
    costs.push({ ...cost, heap: (cost.heap - before) / size })
  }
  for (const [at, cost] of costs.entries()) {
    const before = costs[at - 1]
    if (!before) continue
    for (const what of judged) {
      const most = before[what] * MAX_GROWTH + (what === 'heap' ? HEAP_SLACK : 0)
      const told = () => `${sizes[at]} tasks: ${what} ${JSON.stringify(costs.map((each) => Math.round(each[what])))}`
      assert(cost[what] <= most, told)
    }
  }
  return costs
}
