import type { RequestContextLike } from '../context/request-context.ts'
import type { DelegateTarget } from '../delegation/delegate-target.ts'
import { agentInvalid, assertKnownKeys } from '../errors/option-errors.ts'
import { isRetinueError, RetinueError } from '../errors/retinue-error.ts'
import type { BudgetOptions } from '../loop/budget.ts'
import type { DelegateNames } from '../loop/delegation-settings.ts'
import type { ApprovalGate } from '../loop/run.ts'
import { type AgentMemory, isAgentMemory } from '../memory/agent-memory.ts'
import type { Instructions } from '../messages/instructions.ts'
import type { ModelChoice } from '../model/language-model.ts'
import type { Processor } from '../processors/processor.ts'
import type { Scorers } from '../scorers/live-score.ts'
import { isObject } from '../shared/records.ts'
import { assertSkills, type Skills } from '../skills/skill.ts'
import type { Schema } from '../tools/schema.ts'
import type { Tool } from '../tools/tool.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type AgentTasks, assertAgentTasks } from './agent-tasks.ts'
import { assertBudget } from './assert-budget.ts'
import { assertProcessors } from './assert-processors.ts'
import { assertScorers } from './assert-scorers.ts'
import { assertGate, assertOptions, type RunOptions } from './run-options.ts'

/** A value, or a function that gives it for a request. */
export type Dynamic<T> = T | ((context: { requestContext: RequestContextLike }) => T | Promise<T>)

/** A model, or a list of models: the first that can answers, the others stand in for it. */
export type ModelSetting = ModelChoice | readonly ModelChoice[]

/** Subagents, by the name of the tool that the model delegates to them with. */
export type Subagents = Readonly<Record<string, DelegateTarget>>

/** What `new Agent` takes. */
export interface AgentOptions<Id extends string = string, A extends Subagents = Subagents> {
  id: Id
  /** For people. Default: the id. */
  name?: string
  /** Tells the model of a parent what this agent does and when to delegate to it. */
  description?: string
  instructions?: Dynamic<Instructions>
  /** An AI SDK language model object, a `'provider/model'` string, or a list of those with fallbacks. There is no default. */
  model?: Dynamic<ModelSetting>
  /** The tools, by the name that the model sees. */
  tools?: Dynamic<Readonly<Record<string, Tool>>>
  /** The subagents, by the name of the tool that the model delegates to them with. */
  agents?: Dynamic<A>
  /** What it remembers conversations with, where a call names one. Subagents have their own, or none. */
  memory?: Dynamic<AgentMemory>
  workspace?: Workspace
  /** Instructions for particular kinds of work, which the model loads when it needs them, with the tool `skill`. */
  skills?: Dynamic<Skills>
  /** See everything that goes into the model, before it does, and can change it or stop the run. */
  inputProcessors?: Dynamic<readonly Processor[]>
  /** See what comes out of the model, before anybody else does, and can change it or stop the run. */
  outputProcessors?: Dynamic<readonly Processor[]>
  /** Options of every call, where the call does not set them. */
  defaultOptions?: Dynamic<RunOptions<DelegateNames<A>>>
  /** The arguments of a delegation to this agent, in place of `{ prompt }`. */
  inputSchema?: Schema
  /** What this agent's answer must be: JSON that fits. One repair is asked for. */
  outputSchema?: Schema
  /**
   * Its answer is its parent's own: where the delegation is the only call of its step and completes, the parent's model is not asked
   * again. Default: false.
   */
  relay?: boolean
  /** How the agent is delegated to. `context: 'none'`: with the prompt alone, and nothing of the parent's conversation. */
  delegation?: { readonly context?: 'none' }
  /** Bounds on what every run of this agent, and everything that it delegates to, may use together. */
  budget?: BudgetOptions
  /** Grade every answer after it was given, by key. */
  scorers?: Scorers
  /** How deep delegations of a run of this agent may go. Default: 5. */
  maxDepth?: number
  /** Retries of a model call beside its first attempt. Default: 2. */
  maxRetries?: number
  /**
   * Which calls of this agent, and of those that it delegates to, wait for a person before they start. Default: those whose tools say so.
   */
  requireToolApproval?: ApprovalGate
  /** Which of its tools and subagents are run in the background, where its application has that turned on. */
  backgroundTasks?: AgentTasks
  /** Runs of this agent survive a crash; see the option of a call. Default: the application's. */
  durable?: boolean
}

/** An agent's config in a file: like `AgentOptions`, but the directory gives the id and its files the rest. */
export type AgentConfig<A extends Subagents = Subagents> = Partial<AgentOptions<string, A>>

/** Types the config of a file-based agent. It returns its argument. */
export function agentConfig<const A extends Subagents, const C extends AgentConfig<A>>(config: C & AgentConfig<A>): C {
  return config
}

const OPTIONS: Readonly<Record<keyof AgentOptions, true>> = {
  id: true,
  name: true,
  description: true,
  instructions: true,
  model: true,
  tools: true,
  agents: true,
  memory: true,
  workspace: true,
  skills: true,
  inputProcessors: true,
  outputProcessors: true,
  defaultOptions: true,
  inputSchema: true,
  outputSchema: true,
  relay: true,
  delegation: true,
  budget: true,
  scorers: true,
  maxDepth: true,
  maxRetries: true,
  requireToolApproval: true,
  durable: true,
  backgroundTasks: true,
}

/** Throws `agent-invalid`, `option-unknown` or `option-invalid` for options that make no agent. */
export function assertAgentOptions(options: unknown): asserts options is AgentOptions {
  if (typeof options !== 'object' || options === null)
    throw agentInvalid('new Agent takes an object.', "new Agent({ id: 'researcher', … })")
  const given = options as Record<string, unknown>
  const { id } = given
  if (typeof id !== 'string' || id.trim() === '')
    throw agentInvalid('An agent needs an id.', "Give it one: new Agent({ id: 'researcher', … })")
  for (const key of ['name', 'description']) {
    if (given[key] !== undefined && typeof given[key] !== 'string')
      throw agentInvalid(`The ${key} of the agent "${id}" is no text.`, `Pass a string.`)
  }
  if (given['relay'] !== undefined && typeof given['relay'] !== 'boolean')
    throw agentInvalid(`The relay of the agent "${id}" is ${String(given['relay'])}.`, 'It is true or false.')
  if (given['durable'] !== undefined && typeof given['durable'] !== 'boolean')
    throw agentInvalid(
      `The option durable of the agent "${id}" is ${String(given['durable'])}.`,
      'It is true or false.',
    )
  assertGate(given['requireToolApproval'], `The requireToolApproval of the agent "${id}"`)
  assertDelegation(id, given['delegation'])
  assertAgentTasks(given['backgroundTasks'], id)
  assertMemory(id, given['memory'])
  assertProcessors(given['inputProcessors'], id, 'inputProcessors')
  assertProcessors(given['outputProcessors'], id, 'outputProcessors')
  assertSkills(given['skills'], id)
  assertScorers(given['scorers'], `The scorers of the agent "${id}"`)
  assertBudget(given['budget'], `The budget of the agent "${id}"`)
  assertWhole(id, 'maxDepth', given['maxDepth'])
  assertWhole(id, 'maxRetries', given['maxRetries'])
  assertDefaults(id, given['defaultOptions'])
  assertKnownKeys(given, OPTIONS, `The agent "${id}" has options that are not known`)
}

function assertMemory(id: string, memory: unknown): void {
  if (memory !== undefined && typeof memory !== 'function' && !isAgentMemory(memory))
    throw agentInvalid(`The memory of the agent "${id}" is none.`, 'Pass new Memory() of @retinue/memory.')
}

/** What a function gives is only known when the agent runs. */
function assertDefaults(id: string, defaults: unknown): void {
  if (defaults === undefined || defaults === null || typeof defaults === 'function') return
  if (!isObject(defaults))
    throw agentInvalid(`The defaultOptions of the agent "${id}" are no object.`, 'defaultOptions: { maxSteps: 5 }')
  try {
    assertOptions(defaults as RunOptions)
  } catch (error) {
    if (!isRetinueError(error)) throw error
    const { code, hint = 'Correct it.', data } = error
    const message = `The defaultOptions of the agent "${id}": ${error.message}`
    throw new RetinueError({ code, message, hint, data })
  }
}

/** How an agent is delegated to; how it delegates itself is in its `defaultOptions`. */
function assertDelegation(id: string, delegation: unknown): void {
  if (delegation === undefined) return
  const { context, ...rest } = isObject(delegation) ? delegation : { context: null }
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined)
    throw agentInvalid(
      `The delegation of the agent "${id}" has ${unknown}, which says how it delegates itself.`,
      `That belongs in its defaultOptions: { delegation: { ${unknown} } }.`,
    )
  if (context !== undefined && context !== 'none')
    throw agentInvalid(`The delegation of the agent "${id}" is not known.`, "It can be { context: 'none' }.")
}

function assertWhole(id: string, name: string, value: unknown): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= 0)) return
  throw agentInvalid(`The ${name} of the agent "${id}" is ${String(value)}.`, 'It must be a whole number of 0 or more.')
}
