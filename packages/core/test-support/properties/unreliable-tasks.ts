import { Agent } from '../../src/agent/agent.ts'
import { Retinue } from '../../src/retinue.ts'
import { InMemoryStorage } from '../../src/storage/in-memory-storage.ts'
import type { TaskFacts } from '../../src/storage/tasks.ts'
import { EventClock } from '../event-clock.ts'
import { MortalProcess } from '../mortal-process.ts'
import { assert, type Property, type Tally } from '../property.ts'
import type { Random } from '../random.ts'
import { type Said, toldModel } from '../told-models.ts'
import { troubledSignals } from '../unreliable-signals.ts'

/** How soon after its lease is over everybody knows what became of a task whose run died, in milliseconds. */
const HEARTBEAT_MS = 3_000

/** How many tasks a run begins. */
const TASKS = 5

/** A run, by its id, and what is known of it. */
interface Supervised {
  readonly durable: boolean
  /** What its model was asked last. */
  said: string
  /** Whether its process died before it had ended, and nobody can go on with it. */
  isLost: boolean
  isOver: boolean
}

/** R06: over signals that are lost, doubled, late and out of order, with processes that die, each task has one end, told once. */
export function unreliableTasks(runs: number): Property {
  return {
    name: 'R06 B9.3 B9.4 B9.6',
    unit: `stores with ${runs * TASKS} tasks of ${runs} runs, over several processes of which some die`,
    check: async (random, tally) => {
      const clock = new EventClock()
      const mend = troubledSignals(random, { lost: 0.1, doubled: 0.5, late: 0.05 })
      try {
        await new Cluster(clock, random, tally).check(runs)
      } finally {
        mend()
        clock.restore()
      }
    },
  }
}

interface Process {
  readonly life: MortalProcess
  readonly app: Retinue
  /** The runs that it began, and that have not ended. */
  readonly runs: Set<string>
}

class Cluster {
  readonly #clock: EventClock
  readonly #random: Random
  readonly #tally: Tally
  readonly #storage = new InMemoryStorage()
  readonly #processes: Process[] = []
  readonly #runs = new Map<string, Supervised>()
  /** Of each task that has ended, how. */
  readonly #ends = new Map<string, string>()
  /** When the leases of tasks were over whose run died with its process. */
  readonly #orphans = new Map<string, number>()
  /** What goes on that nobody waits for. */
  readonly #working: Promise<unknown>[] = []

  constructor(clock: EventClock, random: Random, tally: Tally) {
    this.#clock = clock
    this.#random = random
    this.#tally = tally
    for (let n = 0; n < 3; n++) this.#processes.push(this.#start())
    this.#watchChanges()
  }

  async check(runs: number): Promise<void> {
    const kills = Math.max(1, Math.round((runs * TASKS) / 100))
    const span = runs * 400
    const deaths = Array.from({ length: kills }, () => this.#random.below(span)).toSorted((one, other) => one - other)
    for (let n = 0, at = 0; n < runs || deaths.length > 0; ) {
      const next = n < runs ? Math.round((n * span) / runs) : span
      const [death = Infinity] = deaths
      const until = Math.min(next, death)
      await this.#clock.advance(until - at)
      at = until
      if (death <= next) {
        deaths.shift()
        await this.#die(this.#random.pick(this.#processes))
      } else this.#begin(`run${n++}`)
    }
    await this.#clock.until(this.#over())
    await this.#judge()
  }

  #start(): Process {
    const random = this.#random
    const life = new MortalProcess()
    const pause = (milliseconds: number) =>
      life.living(() => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)))
    const worker = toldModel(async ({ task }) => {
      await pause(random.pick([0, 10, 500, 3_000, 9_000, 20_000]))
      return `RESULT-${task}.`
    })
    const supervisor = toldModel(async ({ said, answers, task }): Promise<Said> => {
      const run = this.#runs.get(task) as Supervised
      await pause(random.pick([0, 10, 500, 3_000]))
      run.said = said
      if (answers > 0) return `heard ${answers}`
      return Array.from({ length: TASKS }, (_none, n) => ({ name: 'w', args: { prompt: `do ${task}.${n}.` } }))
    })
    const w = new Agent({ id: 'w', description: 'd', model: worker })
    const sup = new Agent({ id: 'sup', model: supervisor, agents: { w }, backgroundTasks: { tools: { w: true } } })
    const backgroundTasks = { enabled: true, globalConcurrency: 20, perAgentConcurrency: 20 }
    const app = new Retinue({ agents: { sup }, storage: life.storage(this.#storage), backgroundTasks, logger: false })
    return { life, app, runs: new Set() }
  }

  #begin(runId: string): void {
    const durable = this.#random.chance(0.8)
    const run: Supervised = { durable, said: '', isLost: false, isOver: false }
    this.#runs.set(runId, run)
    const process = this.#random.pick(this.#processes)
    process.runs.add(runId)
    const running = process.app
      .getAgent('sup')
      .generate(`do ${runId}`, { runId, durable, maxSteps: 50, untilIdle: true })
    this.#follow(process, runId, running)
  }

  #follow(process: Process, runId: string, running: Promise<{ readonly finishReason: string }>): void {
    this.#working.push(
      running.then(({ finishReason }) => {
        const run = this.#runs.get(runId) as Supervised
        process.runs.delete(runId)
        assert(!run.isOver, () => `${runId} ended twice`)
        assert(finishReason === 'stop', () => `${runId} ended with ${finishReason}`)
        run.isOver = true
      }),
    )
  }

  /** A process dies; two others begin at once, and both look for what is left, as each process does that starts. */
  async #die(process: Process): Promise<void> {
    process.life.die()
    this.#processes.splice(this.#processes.indexOf(process), 1)
    const open = await this.#open()
    for (const runId of process.runs) {
      const run = this.#runs.get(runId) as Supervised
      const isStored = await this.#storage.runs.get(runId).then(
        () => true,
        () => false,
      )
      if (isStored) continue
      // Of what was never written down nobody knows any more.
      run.isLost = true
      for (const task of open.filter(({ rootRunId }) => rootRunId === runId)) await this.#orphaned(task)
    }
    this.#tally('deaths')
    this.#tally('tasks under way at a death', open.filter(({ rootRunId }) => process.runs.has(rootRunId)).length)
    const next = [this.#start(), this.#start()]
    // There are not more of them each time.
    this.#processes.push(...next.slice(0, this.#processes.length < 4 ? 2 : 1))
    for (const each of next)
      this.#working.push(
        each.app.recover().then((streams) => {
          for (const { runId, result } of streams)
            if (this.#runs.has(runId)) {
              each.runs.add(runId)
              this.#follow(each, runId, result)
            }
        }),
      )
  }

  async #orphaned({ taskId }: TaskFacts): Promise<void> {
    const lease = await this.#storage.runs.get(taskId).then(
      (stored) => stored.lease?.until,
      () => undefined,
    )
    this.#orphans.set(taskId, lease ?? this.#clock.now())
    this.#tally('orphans')
  }

  async #open(): Promise<readonly TaskFacts[]> {
    const all: TaskFacts[] = []
    let cursor: string | undefined
    do {
      const query = {
        status: ['pending', 'running', 'suspended'] as const,
        limit: 1_000,
        ...(cursor ? { cursor } : {}),
      }
      const page = await this.#storage.tasks.list(query)
      all.push(...page.items)
      cursor = page.next
    } while (cursor !== undefined)
    return all
  }

  /** Settles when every run is over that can be, and no task is open. */
  async #over(): Promise<void> {
    for (;;) {
      const isOver = [...this.#runs.values()].every((run) => run.isOver || run.isLost || this.#isElsewhere(run))
      if (isOver && (await this.#open()).length === 0) return
      await new Promise<void>((resolve) => setTimeout(resolve, 1_000))
    }
  }

  /** A run that went on by itself in a process is known to nobody but the store. */
  #isElsewhere({ durable, said }: Supervised): boolean {
    return durable && said.split('RESULT-').length - 1 >= TASKS
  }

  #watchChanges(): void {
    const { tasks } = this.#storage
    const change = tasks.change.bind(tasks)
    tasks.change = async (asked) => {
      const changed = await change(asked)
      if (changed) {
        const before = this.#ends.get(changed.taskId)
        assert(before === undefined, () => `${changed.taskId} had ended as ${before}, and is ${changed.status}`)
        if (changed.endedAt !== undefined) this.#ends.set(changed.taskId, `${changed.status} ${changed.endedAt}`)
      }
      return changed
    }
  }

  async #judge(): Promise<void> {
    await this.#clock.advance(60_000)
    const all: TaskFacts[] = []
    for (const runId of this.#runs.keys()) all.push(...(await this.#storage.tasks.list({ rootRunId: runId })).items)
    for (const { taskId, status, endedAt, rootRunId } of all) {
      assert(
        this.#ends.get(taskId) === `${status} ${endedAt}`,
        () => `${taskId} is ${status}, and was ${this.#ends.get(taskId)}`,
      )
      const leaseOver = this.#orphans.get(taskId)
      const late = (endedAt ?? Infinity) - (leaseOver ?? Infinity)
      assert(
        leaseOver === undefined || late <= HEARTBEAT_MS,
        () => `${taskId} of ${rootRunId} ended ${late} ms after its lease`,
      )
      this.#tally(status)
    }
    for (const [runId, { isLost, said }] of this.#runs) {
      if (isLost) continue
      for (let n = 0; n < TASKS; n++) {
        const told = said.split(`RESULT-${runId}.${n}.`).length - 1
        assert(told === 1, () => `${runId}.${n} was told ${told} times: ${said}`)
      }
      const tasks = all.filter(({ rootRunId }) => rootRunId === runId)
      assert(tasks.length === TASKS, () => `${runId} has ${tasks.length} tasks`)
    }
    const left = (await this.#storage.runs.list({ limit: 1_000 })).items.filter(({ status }) => status !== 'ended')
    assert(left.length === 0, () => `left are ${left.map(({ runId, status }) => `${runId} ${status}`)}`)
    await this.#clock.until(Promise.all(this.#working.map((each) => Promise.race([each, undefined]))))
  }
}
