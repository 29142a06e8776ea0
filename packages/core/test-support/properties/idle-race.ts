import { Agent } from '../../src/agent/agent.ts'
import { Retinue } from '../../src/retinue.ts'
import { InMemoryStorage } from '../../src/storage/in-memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { EventClock } from '../event-clock.ts'
import { assert, type Property } from '../property.ts'
import type { Random } from '../random.ts'
import { type Said, toldModel } from '../told-models.ts'

/** How long something takes, in milliseconds: often as long as something else. */
const TIMES = [0, 0, 1, 1, 2, 5, 10, 10, 50, 3_000, 3_001]

/** After how long at most a run ends that has nothing left to wait for, in milliseconds. */
const CLOSES_MS = 100

/**
 * R07: whenever tasks complete against the turns of their parent, each result is told once, and the run ends when there is nothing to add.
 */
export const idleRace: Property = {
  name: 'R07 B9.2 B9.3',
  unit: 'timings of tasks against the turns of their run',
  check: async (random, tally) => {
    const clock = new EventClock()
    try {
      await raced(clock, random, tally)
    } finally {
      clock.restore()
    }
  },
}

async function raced(clock: EventClock, random: Random, tally: (kind: string, count?: number) => void): Promise<void> {
  const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))
  const begun: string[] = []
  const ended: string[] = []
  const prompts: string[] = []
  let lastAnswer = 0
  const more = random.below(4)
  const calls = (count: number): Said =>
    Array.from({ length: count }, () => {
      const name = `w${begun.length}`
      begun.push(name)
      return { name: 'w', args: { prompt: `do ${name}` } }
    })
  const worker = toldModel(async ({ task }) => {
    await pause(random.pick(TIMES))
    ended.push(task)
    return `RESULT-${task}.`
  })
  const supervisor = toldModel(async ({ said, answers }) => {
    prompts.push(said)
    await pause(random.pick(TIMES))
    lastAnswer = clock.now()
    if (answers === 0) return calls(random.between(1, 4))
    return begun.length < 8 && random.chance(0.15 * more) ? calls(random.between(1, 2)) : `heard ${answers}`
  })
  const a = new Agent({ id: 'w', description: 'd', model: worker })
  const sup = new Agent({ id: 'sup', model: supervisor, agents: { w: a }, backgroundTasks: { tools: { w: true } } })
  const isStored = random.chance(0.7)
  const backgroundTasks = { enabled: true, globalConcurrency: random.pick([1, 2, 10]) }
  const app = new Retinue({
    agents: { sup },
    ...(isStored ? { storage: slowly(random, new InMemoryStorage()) } : {}),
    ...{ backgroundTasks, logger: false },
  })
  const durable = isStored && random.chance(0.3)
  const { text, finishReason } = await clock.until(
    app.getAgent('sup').generate('do all', { durable, maxSteps: 50, untilIdle: true }),
  )
  const closedAfter = clock.now() - lastAnswer
  assert(finishReason === 'stop', () => `it ended with ${finishReason}`)
  assert(ended.length === begun.length, () => `it ended after ${ended.length} of ${begun.length} tasks`)
  const last = prompts.at(-1) ?? ''
  for (const name of begun) {
    const told = last.split(`RESULT-${name}.`).length - 1
    assert(told === 1, () => `${name} was told ${told} times`)
  }
  assert(text.endsWith(`heard ${last.split('\nassistant: ').length - 1}`), () => `the answer is ${text}`)
  assert(closedAfter <= CLOSES_MS, () => `it closed ${closedAfter} ms after its last answer`)
  assert(
    (await app.tasks.list({ status: ['pending', 'running', 'suspended'] })).items.length === 0,
    () => 'a task is left',
  )
  tally('tasks', begun.length)
  tally('turns', prompts.length)
  if (begun.length > prompts.length) tally('told together')
}

/** A store that takes a little longer now and then, so that what happens at one time happens in every order. */
function slowly(random: Random, shared: Storage): Storage {
  const within = <Domain extends object>(domain: Domain): Domain =>
    new Proxy(domain, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key)
        if (typeof member !== 'function') return member
        return async (...values: unknown[]) => {
          for (let ticks = random.below(12); ticks > 0; ticks--) await undefined
          const result: unknown = await Reflect.apply(member, target, values)
          for (let ticks = random.below(12); ticks > 0; ticks--) await undefined
          return result
        }
      },
    })
  const { id, threads, workingMemory, runs, approvals, tasks } = shared
  return {
    id,
    threads,
    workingMemory,
    runs: within(runs),
    approvals: within(approvals),
    tasks: within(tasks),
    close: async () => {},
  }
}
