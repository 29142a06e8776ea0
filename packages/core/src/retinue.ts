import { type Agent, isAgent } from './agent/agent.ts'
import { BackgroundTasks } from './agent/background-tasks.ts'
import type { ResumeOptions } from './agent/resume-options.ts'
import type { RunStream } from './agent/run-stream.ts'
import { assertKnownKeys } from './errors/option-errors.ts'
import { RetinueError } from './errors/retinue-error.ts'
import { type AgentMemory, isAgentMemory } from './memory/agent-memory.ts'
import type { Application, BackgroundTaskOptions, Logger } from './memory/application.ts'
import { isObject } from './shared/records.ts'
import type { Storage } from './storage/storage.ts'

/** What `new Retinue` takes. */
export interface RetinueOptions<Agents extends Readonly<Record<string, Agent>> = Readonly<Record<string, Agent>>> {
  /** The agents, by the key that `getAgent` takes. */
  agents: Agents
  /** Where memories without a storage of their own keep conversations. */
  storage?: Storage
  /** What agents without a memory of their own remember with; subagents without one keep nothing. */
  memory?: AgentMemory
  /** Runs survive a crash, where neither the call nor the agent says otherwise; see `RunOptions.durable`. Default: false. */
  durable?: boolean
  /** Lets calls of tools and subagents go on in the background; which, say the agents. Default: every call is run in the foreground. */
  backgroundTasks?: BackgroundTaskOptions
  /** Where warnings of runs go, such as `console`; `false`: nowhere. Default: the process's warnings. */
  logger?: Logger | false
}

const BRAND: unique symbol = Symbol.for('retinue.application')

const OPTIONS: Readonly<Record<keyof RetinueOptions, true>> = {
  agents: true,
  storage: true,
  memory: true,
  durable: true,
  backgroundTasks: true,
  logger: true,
}

/**
 * An application: agents, and what they share. The agents that it hands out are the same agents with the application's storage behind
 * their memories, and so are the subagents that they delegate to; the agents that were put in stay as they are.
 */
export class Retinue<const Agents extends Readonly<Record<string, Agent>> = Readonly<Record<string, Agent>>> {
  readonly storage: Storage | undefined
  /** What goes on in the background: to be listed, watched, spoken to and cancelled. */
  readonly tasks: BackgroundTasks
  /** What it was made of: `new Retinue({ ...app.options, … })` is the same application with something changed. */
  readonly options: RetinueOptions<Agents>
  /** Where warnings go; see `RetinueOptions.logger`. */
  readonly logger: Logger | false | undefined
  readonly #agents: ReadonlyMap<string, Agent>

  /** Throws `application-invalid` or `option-unknown` for options that make no application. */
  constructor(options: RetinueOptions<Agents>) {
    assertRetinueOptions(options)
    const { agents, storage, memory, durable, backgroundTasks, logger } = options
    this.storage = storage
    this.options = options
    Object.defineProperty(this, BRAND, { value: true })
    this.logger = logger
    const agentOf = (id: string): Agent | undefined => [...this.#agents.values()].find((agent) => agent.id === id)
    const background = { options: backgroundTasks ?? {}, agentOf, manager: undefined }
    const shared: Application = { storage, memory, durable, background, inProcess: { storage: undefined }, logger }
    this.#agents = new Map(Object.entries(agents).map(([key, agent]) => [key, agent.within(shared)]))
    this.tasks = new BackgroundTasks(shared, ({ agentId, taskId: runId }, data, toolCallId) =>
      this.getAgentById(agentId).resumeStream(data, { runId, toolCallId }),
    )
  }

  /** The agent under a key. Throws `agent-unknown`. */
  getAgent<K extends keyof Agents & string>(key: K): Agents[K] {
    const agent = this.#agents.get(key)
    if (!agent) throw unknownAgent(`under the key "${key}"`, [...this.#agents.keys()])
    return agent as Agents[K]
  }

  /** The agent of an id. Throws `agent-unknown`. */
  getAgentById(id: string): Agent {
    const agent = [...this.#agents.values()].find((each) => each.id === id)
    if (!agent)
      throw unknownAgent(
        `with the id "${id}"`,
        [...this.#agents.values()].map((each) => each.id),
      )
    return agent
  }

  /**
   * Goes on with every run of the application's agents that somebody died over, and with those of which a call was not decided in time:
   * to be called when a process starts, before it takes new work. One that can't go on is a warning, and stays. The stream of a background
   * task that goes on has the id of the run that began it.
   */
  async recover(options: Omit<ResumeOptions, 'runId'> = {}): Promise<readonly RunStream[]> {
    const streams: RunStream[] = []
    for (const agent of this.#agents.values()) streams.push(...(await agent.recover(options)))
    return streams
  }

  /** The agents, by key. The record has no prototype: `constructor` is a name like others. */
  listAgents(): Readonly<Record<string, Agent>> {
    return Object.assign(Object.create(null) as Record<string, Agent>, Object.fromEntries(this.#agents))
  }
}

/** Whether a value is an application, whichever copy of this package made it. */
export function isRetinue(value: unknown): value is Retinue {
  return isObject(value) && (value as { [BRAND]?: unknown })[BRAND] === true
}

function assertRetinueOptions(options: unknown): void {
  if (!isObject(options)) throw invalid('new Retinue takes an object.', 'new Retinue({ agents: { supervisor } })')
  assertKnownKeys(options, OPTIONS, 'The application has options that are not known')
  const { agents, storage, memory, durable, backgroundTasks, logger } = options
  if (!isObject(agents)) throw invalid('The application has no agents.', 'new Retinue({ agents: { supervisor } })')
  for (const [key, agent] of Object.entries(agents))
    if (!isAgent(agent)) throw invalid(`"${key}" in the agents of the application is no Agent.`, 'new Agent({ id, … })')
  assertIds(Object.entries(agents as Record<string, Agent>))
  if (storage !== undefined) assertStorage(storage)
  if (memory !== undefined && !isAgentMemory(memory))
    throw invalid('The memory of the application is none.', 'new Memory()')
  if (durable !== undefined && typeof durable !== 'boolean')
    throw invalid(`The option durable of the application is ${String(durable)}.`, 'durable: true')
  assertBackground(backgroundTasks)
  if (logger !== undefined && logger !== false && !(isObject(logger) && typeof logger['warn'] === 'function'))
    throw invalid('The logger of the application has no method warn.', 'logger: console, or logger: false')
}

const BACKGROUND: Readonly<Record<keyof BackgroundTaskOptions, true>> = {
  enabled: true,
  globalConcurrency: true,
  perAgentConcurrency: true,
  onLimit: true,
}

function assertBackground(background: unknown): void {
  if (background === undefined) return
  const what = 'The backgroundTasks of the application'
  if (!isObject(background)) throw invalid(`${what} are ${String(background)}.`, 'backgroundTasks: { enabled: true }')
  assertKnownKeys(background, BACKGROUND, `${what} have options that are not known`)
  const { enabled, onLimit } = background
  if (enabled !== undefined && typeof enabled !== 'boolean')
    throw invalid(`The enabled of the backgroundTasks is ${String(enabled)}.`, 'It is true or false.')
  for (const name of ['globalConcurrency', 'perAgentConcurrency']) {
    const limit = background[name]
    if (limit !== undefined && !(Number.isSafeInteger(limit) && (limit as number) > 0))
      throw invalid(`The ${name} of the backgroundTasks is ${String(limit)}.`, 'It is a whole number of 1 or more.')
  }
  if (onLimit !== undefined && onLimit !== 'queue' && onLimit !== 'reject' && onLimit !== 'run')
    throw invalid(
      `The onLimit of the backgroundTasks is ${JSON.stringify(onLimit)}.`,
      "It can be 'queue', 'reject' or 'run'.",
    )
}

const DOMAINS: readonly (keyof Storage)[] = ['threads', 'workingMemory', 'runs', 'approvals', 'tasks']

/** A store of an older version, or of somebody's own, may be without a domain: nobody is to learn it in the middle of a run. */
function assertStorage(storage: unknown): void {
  const missing = isObject(storage) ? DOMAINS.filter((domain) => !isObject(storage[domain])) : DOMAINS
  if (missing.length === 0) return
  const example = "new LibSQLStore({ id: 'store', url: 'file:app.db' })"
  if (missing.length === DOMAINS.length) throw invalid('The storage of the application is none.', example)
  const domains = missing.map((domain) => `"${domain}"`).join(' and ')
  throw invalid(`The storage of the application has no ${domains}.`, `Use a store of this version, such as ${example}.`)
}

/** Two agents of one id could not be told apart by it. */
function assertIds(agents: readonly (readonly [string, Agent])[]): void {
  const keys = new Map<string, string>()
  for (const [key, { id }] of agents) {
    const other = keys.get(id)
    if (other !== undefined)
      throw invalid(`The agents "${other}" and "${key}" of the application have the same id "${id}".`, 'Rename one.')
    keys.set(id, key)
  }
}

function unknownAgent(which: string, known: readonly string[]): RetinueError {
  return new RetinueError({
    code: 'agent-unknown',
    message: `The application has no agent ${which}.`,
    hint: `It has ${known.join(', ') || 'none'}.`,
  })
}

function invalid(message: string, hint: string): RetinueError {
  return new RetinueError({ code: 'application-invalid', message, hint })
}
