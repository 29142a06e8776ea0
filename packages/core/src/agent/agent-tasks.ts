import { agentInvalid, assertKnownKeys } from '../errors/option-errors.ts'
import { LONGEST_TIMER_MS } from '../shared/longest-timer.ts'
import { isObject } from '../shared/records.ts'

/** Which of an agent's tools and subagents are run in the background, by their names. */
export interface AgentTasks {
  readonly tools?: Readonly<Record<string, boolean | AgentTask>>
}

/** How a tool, or a subagent, of an agent is run in the background. */
export interface AgentTask {
  /** False: it never is, whatever it says itself. Default: true. */
  readonly enabled?: boolean
  /** Milliseconds that one attempt may work, without the time that it waits for a person. Default: as long as it takes. */
  readonly timeoutMs?: number
  /** How often it is tried again after it failed, after 1, 2, 4 … 30 seconds. Default: 0. */
  readonly maxRetries?: number
  /** It goes on when the run that began it is aborted. Default: false. */
  readonly detached?: boolean
  /** The model says in each call, by `background: true` or `false`, where it is run; in the background if it does not. Default: false. */
  readonly modelMayChoose?: boolean
  /** The subagent gets a tool `ask`, and waits for the answer: of the agent that it works for, or of a person. Default: it can't ask. */
  readonly ask?: 'parent' | 'person'
}

const FIELDS: Readonly<Record<keyof AgentTask, true>> = {
  enabled: true,
  timeoutMs: true,
  maxRetries: true,
  detached: true,
  modelMayChoose: true,
  ask: true,
}

/** Throws `agent-invalid` or `option-unknown` for what does not say how tools are run. */
export function assertAgentTasks(tasks: unknown, agentId: string): void {
  if (tasks === undefined) return
  const what = `The backgroundTasks of the agent "${agentId}"`
  if (!isObject(tasks)) throw agentInvalid(`${what} are ${String(tasks)}.`, EXAMPLE)
  assertKnownKeys(tasks, { tools: true }, `${what} have options that are not known`)
  const { tools } = tasks
  if (tools === undefined) return
  if (!isObject(tools)) throw agentInvalid(`${what} name no tools.`, EXAMPLE)
  for (const [name, task] of Object.entries(tools)) assertAgentTask(task, `${what} say of "${name}"`)
}

const EXAMPLE = 'backgroundTasks: { tools: { researcher: { enabled: true, timeoutMs: 60_000 } } }'

/** What an agent, or a tool, says of how something is run in the background. */
function assertAgentTask(task: unknown, what: string): void {
  if (typeof task === 'boolean') return
  if (!isObject(task)) throw agentInvalid(`${what} what is no setting: ${String(task)}.`, EXAMPLE)
  assertKnownKeys(task, FIELDS, `${what} options that are not known`)
  const { timeoutMs, maxRetries, ask } = task
  for (const name of ['enabled', 'detached', 'modelMayChoose'] as const)
    if (task[name] !== undefined && typeof task[name] !== 'boolean')
      throw agentInvalid(`${what} that ${name} is ${String(task[name])}.`, 'It is true or false.')
  if (timeoutMs !== undefined && !isWhole(timeoutMs, 1, LONGEST_TIMER_MS))
    throw agentInvalid(`${what} that timeoutMs is ${String(timeoutMs)}.`, 'It is a whole number of milliseconds.')
  if (maxRetries !== undefined && !isWhole(maxRetries, 0, 100))
    throw agentInvalid(`${what} that maxRetries is ${String(maxRetries)}.`, 'It is a whole number from 0 to 100.')
  if (ask !== undefined && ask !== 'parent' && ask !== 'person')
    throw agentInvalid(`${what} that ask is ${JSON.stringify(ask)}.`, "It can be 'parent' or 'person', or be left out.")
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}
