import type { Agent } from '../src/agent/agent.ts'
import type { AgentOptions } from '../src/agent/agent-config.ts'
import type { ApproveOptions, ResumeOptions } from '../src/agent/resume-options.ts'
import type { RunOptions } from '../src/agent/run-options.ts'
import type { RunResult } from '../src/agent/run-result.ts'
import { isRetinueError } from '../src/errors/retinue-error.ts'
import { Retinue, type RetinueOptions } from '../src/retinue.ts'
import type { ApprovalStatus } from '../src/storage/approvals.ts'
import { InMemoryStorage } from '../src/storage/in-memory-storage.ts'
import type { TaskFacts } from '../src/storage/tasks.ts'
import type { EventClock } from './event-clock.ts'
import { callName, type Deployed, type PlannedAgent, plannedAgent, ROOT_TASK } from './gated-plan.ts'
import { MortalProcess } from './mortal-process.ts'

/** A process dies at a write of its storage, counted from 1; or where a model or a tool works, by the name of that. */
export type Crash =
  | { readonly write: number; readonly when: 'before' | 'after' }
  | { readonly model: string }
  | { readonly tool: string }

/** A run with background tasks, whose process dies; then others go on with it until nothing is left to do. */
export interface Crashing {
  readonly plan: PlannedAgent
  readonly call: RunOptions
  readonly application?: Partial<RetinueOptions>
  readonly more?: ((plan: PlannedAgent) => Partial<AgentOptions>) | undefined
  readonly crash?: Crash | undefined
  /** What the tools are in the processes that come after. */
  readonly later?: Partial<Deployed>
  /** The agents of the processes that come after, where they are others. */
  readonly laterPlan?: PlannedAgent
  /** What is given to the processes that come after, for the run to go on with. */
  readonly resumedWith?: Omit<ResumeOptions, 'runId'>
  readonly storage?: InMemoryStorage
}

/** What came of it. */
export interface CrashedEnd {
  /** The run as its last process had it; undefined where it could not be gone on with. */
  readonly result: RunResult | undefined
  readonly tasks: readonly TaskFacts[]
  readonly approvals: readonly ApprovalStatus[]
  /** The ids of the calls that were asked about. */
  readonly callIds: readonly string[]
  /** How often each call of a tool was started. */
  readonly starts: ReadonlyMap<string, number>
  /** What each model was asked at which step of which agent, first to last. */
  readonly asked: ReadonlyMap<string, readonly string[]>
  /** How often a model was asked for a step whose answer stood in the store when the process died. */
  readonly repeated: readonly string[]
  readonly writes: number
  readonly died: boolean
  /** The runs that are left in the store. */
  readonly left: readonly string[]
  readonly warnings: readonly string[]
}

const FIRST: Deployed = { version: '1', schema: 'first', removed: new Set() }

/** The id of the run. */
const RUN_ID = 'run'

/** How many times somebody looks after what is left. */
const MOST_LIVES = 12

export async function crashedRun(clock: EventClock, crashing: Crashing): Promise<CrashedEnd> {
  const { crash, call, later, application, storage = new InMemoryStorage() } = crashing
  const starts = new Map<string, number>()
  const asked = new Map<string, string[]>()
  const warnings: string[] = []
  let stored: string | undefined
  const repeated: string[] = []
  const process = (life: MortalProcess, plan: PlannedAgent, deployed: Deployed): { app: Retinue; agent: Agent } => {
    const root = plannedAgent(plan, {
      process: life,
      deployed,
      onStart: ({ at }) => {
        starts.set(at, (starts.get(at) ?? 0) + 1)
        if (crash && 'tool' in crash && crash.tool === at && life === dying) life.die()
      },
      onModelCall: (at, said) => {
        asked.set(at, [...(asked.get(at) ?? []), said])
        if (crash && 'model' in crash && crash.model === at && life === dying) life.die()
        if (life !== dying && answers(crashing.plan, at).some((answer) => stored?.includes(answer))) repeated.push(at)
      },
      ...(crashing.more ? { more: crashing.more } : {}),
    })
    const app = new Retinue({
      agents: { root },
      storage: life.storage(storage),
      logger: { warn: (message) => void warnings.push(message) },
      backgroundTasks: { enabled: true },
      ...application,
    })
    return { app, agent: app.getAgent('root') }
  }
  const dying = new MortalProcess()
  if (crash && 'write' in crash) dying.dieAt(crash.write, crash.when)
  const first = process(dying, crashing.plan, FIRST)
  const dead = Promise.withResolvers<undefined>()
  dying.onDeath = () => dead.resolve(undefined)
  let result = await clock.until(Promise.race([ended(first.agent, call, dying), dead.promise]))
  if (!dying.alive) {
    result = undefined
    stored = await everything(storage)
    await clock.advance(11_000)
    const next = process(new MortalProcess(), crashing.laterPlan ?? crashing.plan, { ...FIRST, ...later })
    // Of what was never written down nobody knows but who asked for it.
    const isLost = (await storage.runs.list({ limit: 1 })).total === 0 && call.durable
    result = isLost
      ? await clock.until(ended(next.agent, call, new MortalProcess()))
      : await recovered(clock, next, storage, crashing.resumedWith)
  } else if (crash) throw new Error(`it did not die at ${JSON.stringify(crash)}`)
  else await clock.until(first.app.tasks.settled())
  const { items } = await storage.tasks.list({ limit: 100 })
  const questions = await storage.approvals.list({ limit: 100 })
  const runs = await storage.runs.list({ limit: 100 })
  return {
    result,
    tasks: items,
    approvals: questions.items.map(({ status }) => status),
    callIds: questions.items.map(({ toolCallId }) => toolCallId),
    ...{ starts, asked, repeated, warnings, writes: dying.writes, died: !dying.alive },
    left: runs.items.map(({ runId, status }) => `${runId === RUN_ID ? runId : 'task'} ${status}`),
  }
}

/** A run with everything that it asks approved, as long as its process lives. */
async function ended(agent: Agent, call: RunOptions, life: MortalProcess): Promise<RunResult> {
  let result = await agent.generate(ROOT_TASK, { ...call, runId: RUN_ID })
  while (result.finishReason === 'suspended' && life.alive) result = await approved(agent, result)
  return result
}

async function approved(agent: Agent, { pendingCalls }: RunResult): Promise<RunResult> {
  const toolCallId = pendingCalls?.[0]?.toolCallId as string
  return agent.approveToolCallGenerate({ runId: RUN_ID, toolCallId })
}

/** Another process goes on with everything that is left, as applications do: it recovers, and people decide what waits. */
async function recovered(
  clock: EventClock,
  { app, agent }: { app: Retinue; agent: Agent },
  storage: InMemoryStorage,
  given: Crashing['resumedWith'],
): Promise<RunResult | undefined> {
  let result: RunResult | undefined
  for (let life = 0; life < MOST_LIVES; life++) {
    const streams = await clock.until(app.recover(given))
    for (const stream of streams) {
      const end = await clock.until(stream.result)
      if (stream.runId === RUN_ID) result = end
    }
    await clock.until(app.tasks.settled())
    await clock.advance(11_000)
    const { runs } = await agent.listSuspendedRuns()
    for (const { runId, toolCalls } of runs) {
      const [first] = toolCalls
      if (!first) continue
      const end = await clock.until(decided(agent, { ...given, runId, toolCallId: first.toolCallId }))
      if (end && runId === RUN_ID && end.runId === RUN_ID) result = end
    }
    await clock.until(app.tasks.settled())
    if (runs.length > 0 || (await isAnythingLeft(storage))) continue
    // It may have gone on by itself since.
    const isKept = (await storage.runs.list({ limit: 1 })).total > 0
    return isKept ? await clock.until(agent.resumeRunGenerate({ ...given, runId: RUN_ID })) : result
  }
  throw new Error(`it does not come to an end: ${await standing(storage)}`)
}

/** How everything stands, for who has to find out why. */
async function standing(storage: InMemoryStorage): Promise<string> {
  const { items } = await storage.tasks.list({ limit: 100 })
  const runs = await storage.runs.list({ limit: 100 })
  const asked = await storage.approvals.list({ limit: 100 })
  const key = new Map(items.map(({ taskId, toolName }) => [taskId, toolName]))
  return JSON.stringify([
    items.map(({ toolName, status }) => `${toolName} ${status}`),
    runs.items.map(({ runId, status, lease }) => `${key.get(runId) ?? runId} ${status} ${lease ? 'leased' : 'free'}`),
    asked.items.map(({ runId, status }) => `${key.get(runId) ?? runId} asks: ${status}`),
  ])
}

/** Somebody may have decided it who died over it: then it is gone on with. */
async function decided(agent: Agent, options: ApproveOptions): Promise<RunResult | undefined> {
  try {
    return await agent.approveToolCallGenerate(options)
  } catch (thrown) {
    if (isRetinueError(thrown, 'approval-decided')) return undefined
    throw thrown
  }
}

async function isAnythingLeft(storage: InMemoryStorage): Promise<boolean> {
  const open = await storage.tasks.list({ status: ['pending', 'running', 'suspended'], limit: 1 })
  const runs = await storage.runs.list({ limit: 100 })
  return open.items.length > 0 || runs.items.some(({ status }) => status !== 'ended')
}

/**
 * What an answer leaves in the store: the name of its first call, or its text. Those of an agent that answers again with each
 * of its tasks can't be told apart.
 */
function answers(plan: PlannedAgent, at: string): string[] {
  const [agent = '', step] = at.split(' ')
  const { steps, tasks } = agentOf(plan, agent)
  if (Number(step) < steps.length) return [callName(agent, Number(step), 0)]
  return tasks ? [] : [`done ${agent}:`]
}

/** The agent that works on a task, by the name of that: `r.0-1` is what the second call of the root's first step asks for. */
function agentOf(plan: PlannedAgent, name: string): PlannedAgent {
  let agent = plan
  for (const call of name.split('.').slice(1)) {
    const [step, n] = call.split('-').map(Number)
    const below = agent.steps[step as number]?.[n as number]
    if (typeof below !== 'object') throw new Error(`there is no agent ${name}`)
    agent = below
  }
  return agent
}

async function everything(storage: InMemoryStorage): Promise<string> {
  const { items } = await storage.runs.list({ limit: 100 })
  const bodies = await Promise.all(items.map(async ({ runId }) => (await storage.runs.get(runId)).body))
  const { items: tasks } = await storage.tasks.list({ limit: 100 })
  const outcomes = await Promise.all(tasks.map(async ({ taskId }) => (await storage.tasks.get(taskId)).outcome))
  return JSON.stringify([bodies, outcomes])
}

/** Of which tasks a conversation tells, and how they ended, in order. */
export function toldIn(said: string | undefined): string[] {
  const told = (said ?? '').matchAll(/^(?:user: \[retinue\] )?The background task \S+ \("(\w+)"\) (.*)\.$/gm)
  return [...told].map(([, toolName, how]) => `${toolName} ${how}`)
}
