import type { RequestContextLike } from '../context/request-context.ts'
import { assertKnownKeys, optionInvalid } from '../errors/option-errors.ts'
import type { BudgetOptions } from '../loop/budget.ts'
import type { DelegateName, DelegationOptions } from '../loop/delegation-settings.ts'
import type { IterationHook } from '../loop/iteration-hook.ts'
import type { PrepareStep } from '../loop/prepare-step.ts'
import type { ApprovalGate, ChooseModel } from '../loop/run.ts'
import type { StopCondition } from '../loop/run-hooks.ts'
import type { UntilIdle } from '../loop/run-tasks.ts'
import type { TaskCompletion } from '../loop/task-completion.ts'
import type { Timeouts } from '../loop/time-limits.ts'
import type { MemoryOption } from '../memory/memory-option.ts'
import type { InputMessage } from '../messages/from-input.ts'
import type { Instructions } from '../messages/instructions.ts'
import type { Providers } from '../model/registered-providers.ts'
import type { OnScore, Scorers } from '../scorers/live-score.ts'
import { LONGEST_TIMER_MS } from '../shared/longest-timer.ts'
import { defined, isObject } from '../shared/records.ts'
import type { Schema } from '../tools/schema.ts'
import type { Tool } from '../tools/tool.ts'
import { assertBudget } from './assert-budget.ts'
import { assertCompletion } from './assert-completion.ts'
import { assertMemoryOption, assertOwner } from './assert-memory.ts'
import { assertScorers } from './assert-scorers.ts'
import type { Callbacks } from './callbacks.ts'

/** Options of one call of `generate` or `stream`, or of every call as an agent's `defaultOptions`. */
export interface RunOptions<N extends DelegateName = DelegateName> extends Callbacks {
  /** Bound on iterations, each one model call and the tool calls that it asked for. Default: 10. */
  maxSteps?: number
  /** Ends the run and everything that it delegated to. */
  abortSignal?: AbortSignal
  /** Values for tools and for dynamic instructions, models and tools. */
  requestContext?: RequestContextLike
  /** How many tool calls of a step run at the same time. Default: 10. */
  toolCallConcurrency?: number
  /** Which tools the model may or must call. Default: 'auto'. */
  toolChoice?: 'auto' | 'none' | 'required' | { type: 'tool'; toolName: string }
  /** Settings of the model call by their AI SDK names: temperature, maxOutputTokens, topP, seed … */
  modelSettings?: Readonly<Record<string, unknown>>
  providerOptions?: Readonly<Record<string, Record<string, unknown>>>
  headers?: Readonly<Record<string, string | undefined>>
  /** Retries of a model call beside its first attempt. Default: the agent's, else 2. */
  maxRetries?: number
  /** Lets an agent be delegated to that is already at work above. The root's holds for the whole tree. Default: false. */
  allowCycles?: boolean
  /** Decides which model each agent of the tree runs on, in place of what the configs declare. The root's comes first. */
  resolveModel?: ChooseModel
  /** Providers of the application's own, by the name before the slash of `'provider/model'`. Hold for the whole tree below. */
  providers?: Providers
  /** Bounds on time. `totalMs` holds for the run and all that it delegates to, the others for this agent. */
  timeout?: Timeouts
  onIterationComplete?: IterationHook
  /** Checks the answer before the run may end with it, and lets the run go on until it passes. */
  isTaskComplete?: TaskCompletion
  /** Grade the answer after it was given, by key, beside the agent's own. They never delay it; see `onScore`. */
  scorers?: Scorers
  /** Called with each grade of this run, and of the runs below it. What it throws is a warning. */
  onScore?: OnScore
  /** Ends the run after a step with tool calls, with finish reason `stop`, if one of these says so. */
  stopWhen?: StopCondition | readonly StopCondition[]
  /** Sets, for each model call, its tool choice, active tools, model, instructions, messages and settings. */
  prepareStep?: PrepareStep
  /** The tools, by name, that the model may see. Default: all. */
  activeTools?: readonly string[]
  /** What the answer of this call must be: JSON that fits, in place of the agent's `outputSchema`. Tools stay available. */
  structuredOutput?: { schema: Schema }
  /** Tools for this call beside the agent's own, in sets of any name: `{ search: { find: tool } }`. Subagents do not get them. */
  toolsets?: Readonly<Record<string, Readonly<Record<string, Tool>>>>
  /** Messages before the input. */
  context?: readonly InputMessage[]
  /** Instructions for this call, after the agent's own. Subagents do not see them. */
  system?: Instructions
  /** The conversation that the call belongs to. Without it nothing is recalled, and nothing is kept. */
  memory?: MemoryOption
  /** The id of the run. Default: a random one; a child's is made from its root's. */
  runId?: string
  /**
   * Whose run it is, where no `memory` says so: it is found for them alone, as what it asks is. At most 256 characters. Default: nobody's.
   */
  owner?: string
  delegation?: DelegationOptions<N>
  /**
   * Calls of this run, and of every run below it, that wait for a person before they start, beside those whose tools say so. It can
   * only be added to: an agent's own gate, and its parent's, hold too. Default: false.
   */
  requireToolApproval?: ApprovalGate
  /** After so many milliseconds a call that nobody decided on counts as declined. Default: it waits for ever. */
  approvalTimeoutMs?: number
  /**
   * The run survives a crash: each finished model call and tool call of it, and of the runs below, is written to the storage, and
   * `resumeRun` or `recover` goes on from there. Default: the agent's, else the application's, else false.
   */
  durable?: boolean
  /**
   * The run stays open until no background task of it, or of its thread, is pending or running, and its model has answered to each
   * result; `maxSteps` counts for each answer. If tasks are left that wait for a person, it ends as `suspended`. `maxIdleMs`: it ends
   * after so many milliseconds in which no task changed, and what they give is told to the next run on the thread. Default: false; a run
   * without a thread is open all the same, since nobody could be told later. It has its thread for as long as it is open: whoever wants to
   * talk on meanwhile leaves this out, and hears of the results in the next call on the thread.
   */
  untilIdle?: UntilIdle
  /** Bounds on what the run and everything that it delegates to may use together. Each of them stands over the agent's own. */
  budget?: BudgetOptions
}

const OPTIONS: Readonly<Record<keyof RunOptions, true>> = {
  maxSteps: true,
  abortSignal: true,
  requestContext: true,
  toolCallConcurrency: true,
  toolChoice: true,
  modelSettings: true,
  providerOptions: true,
  headers: true,
  maxRetries: true,
  allowCycles: true,
  resolveModel: true,
  providers: true,
  timeout: true,
  onIterationComplete: true,
  isTaskComplete: true,
  scorers: true,
  onScore: true,
  stopWhen: true,
  prepareStep: true,
  activeTools: true,
  structuredOutput: true,
  toolsets: true,
  memory: true,
  context: true,
  system: true,
  onChunk: true,
  onStepFinish: true,
  onFinish: true,
  onError: true,
  onAbort: true,
  runId: true,
  owner: true,
  delegation: true,
  budget: true,
  requireToolApproval: true,
  approvalTimeoutMs: true,
  durable: true,
  untilIdle: true,
}

const DELEGATION_OPTIONS: Readonly<Record<keyof DelegationOptions, true>> = {
  onDelegationStart: true,
  onDelegationComplete: true,
  messageFilter: true,
  hookErrorStrategy: true,
  context: true,
  includeSubAgentToolResultsInModelContext: true,
  enableResultReferences: true,
}

const NO_OPTIONS: RunOptions = {}

/** The options of a call over the defaults, both of them checked before; delegation options one by one. */
export function mergeOptions(defaults: RunOptions | undefined, call: RunOptions | undefined): RunOptions {
  if (!defaults || !call) return defaults ?? call ?? NO_OPTIONS
  const merged = { ...defaults, ...defined(call), delegation: mergeDelegation(defaults.delegation, call.delegation) }
  // Limits are set one by one: one that the call does not name still holds.
  if (defaults.budget && call.budget) merged.budget = { ...defaults.budget, ...defined(call.budget) }
  if (defaults.timeout && call.timeout) merged.timeout = { ...defaults.timeout, ...defined(call.timeout) }
  return merged
}

/** Hook by hook. A filter of the call decides in place of a default that hands over nothing. */
function mergeDelegation(defaults: DelegationOptions = {}, call: DelegationOptions = {}): DelegationOptions {
  const { context, ...rest } = defaults
  const kept = context === undefined || call.messageFilter ? rest : defaults
  return { ...kept, ...defined(call) }
}

const UNKNOWN = 'These options are not known'

/** Throws `option-unknown` or `option-invalid` for options that make no run. */
export function assertOptions(options: RunOptions): void {
  const given: unknown = options
  if (!isObject(given))
    throw optionInvalid('The options of a run are an object.', 'agent.generate(input, { maxSteps: 5 })')
  assertKnownKeys(options, OPTIONS, UNKNOWN)
  assertWhole('maxSteps', options.maxSteps, 1)
  assertWhole('toolCallConcurrency', options.toolCallConcurrency, 1)
  assertWhole('maxRetries', options.maxRetries, 0)
  assertWhole('approvalTimeoutMs', options.approvalTimeoutMs, 1)
  assertGate(options.requireToolApproval, 'The option requireToolApproval')
  if (options.durable !== undefined && typeof options.durable !== 'boolean')
    throw optionInvalid(`The option durable is ${String(options.durable)}.`, 'It is true or false.')
  if (options.runId !== undefined && (typeof options.runId !== 'string' || options.runId === ''))
    throw optionInvalid('The runId is no text.', 'Leave it out, or pass a string.')
  assertOwner(options.owner)
  if (options.resolveModel !== undefined && typeof options.resolveModel !== 'function')
    throw optionInvalid('resolveModel is no function.', "resolveModel: () => 'openai/gpt-5.5'")
  assertSignal(options.abortSignal)
  for (const name of ['modelSettings', 'providerOptions', 'headers'] as const) {
    if (options[name] !== undefined && !isObject(options[name]))
      throw optionInvalid(`The option ${name} is no object.`, `${name}: { … }`)
  }
  assertToolChoice(options.toolChoice)
  assertTimeout(options.timeout)
  if (options.providers !== undefined && !isObject(options.providers))
    throw optionInvalid('The option providers is no object.', 'providers: { mine: (modelId) => model }')
  assertContext(options.requestContext)
  assertDelegation(options.delegation)
  assertBudget(options.budget, 'budget')
  assertFunctions(given)
  assertUntilIdle(options.untilIdle)
  assertMemoryOption(options.memory)
  assertCompletion(options.isTaskComplete)
  assertScorers(options.scorers, 'The option scorers')
}

/** Throws `option-invalid` for what decides on no call: a gate that is no gate must not let everything through. */
export function assertGate(gate: unknown, what: string): void {
  if (gate === undefined || typeof gate === 'boolean' || typeof gate === 'function') return
  throw optionInvalid(
    `${what} is ${JSON.stringify(gate)}.`,
    'It is true, false, or a function of { toolName, args, path }.',
  )
}

const FUNCTIONS = [
  'onIterationComplete',
  'prepareStep',
  'onChunk',
  'onStepFinish',
  'onFinish',
  'onError',
  'onAbort',
  'onScore',
]

function assertFunctions(options: Record<string, unknown>): void {
  for (const name of FUNCTIONS) {
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw optionInvalid(`The option ${name} is no function.`, `${name}: (event) => { … }`)
  }
  const { stopWhen, activeTools, structuredOutput } = options
  const conditions = Array.isArray(stopWhen) ? stopWhen : stopWhen === undefined ? [] : [stopWhen]
  if (!conditions.every((condition) => typeof condition === 'function'))
    throw optionInvalid('The option stopWhen is no condition.', 'stopWhen: ({ steps }) => steps.length === 3')
  const isNames = Array.isArray(activeTools) && activeTools.every((name) => typeof name === 'string')
  if (activeTools !== undefined && !isNames)
    throw optionInvalid('The option activeTools is no list of names.', "activeTools: ['search']")
  if (structuredOutput !== undefined && !(isObject(structuredOutput) && structuredOutput['schema']))
    throw optionInvalid('The option structuredOutput has no schema.', 'structuredOutput: { schema: z.object({ … }) }')
}

function assertUntilIdle(untilIdle: unknown): void {
  if (untilIdle === undefined || typeof untilIdle === 'boolean') return
  if (!isObject(untilIdle))
    throw optionInvalid(`The option untilIdle is ${String(untilIdle)}.`, 'untilIdle: true, or { maxIdleMs: 60_000 }')
  assertKnownKeys(untilIdle, { maxIdleMs: true }, UNKNOWN, 'untilIdle.')
  assertMilliseconds('untilIdle.maxIdleMs', untilIdle['maxIdleMs'])
}

function assertSignal(signal: unknown): void {
  if (signal === undefined) return
  const fits =
    isObject(signal) && typeof signal['aborted'] === 'boolean' && typeof signal['addEventListener'] === 'function'
  if (!fits) throw optionInvalid('The abortSignal is no AbortSignal.', 'abortSignal: new AbortController().signal')
}

const TIMEOUTS: Readonly<Record<keyof Timeouts, true>> = { totalMs: true, stepMs: true, chunkMs: true, toolMs: true }

function assertTimeout(timeout: unknown): void {
  if (timeout === undefined) return
  if (!isObject(timeout)) throw optionInvalid('The option timeout is no object.', 'timeout: { totalMs: 60_000 }')
  assertKnownKeys(timeout, TIMEOUTS, UNKNOWN, 'timeout.')
  for (const [name, value] of Object.entries(timeout)) assertMilliseconds(`timeout.${name}`, value)
}

function assertMilliseconds(name: string, value: unknown): void {
  assertWhole(name, value, 1)
  if (value !== undefined && (value as number) > LONGEST_TIMER_MS)
    throw optionInvalid(
      `The option ${name} is ${String(value)}.`,
      `It can be at most ${LONGEST_TIMER_MS}, which is some 24 days.`,
    )
}

function assertToolChoice(choice: unknown): void {
  if (choice === undefined || choice === 'auto' || choice === 'none' || choice === 'required') return
  if (isObject(choice) && choice['type'] === 'tool' && typeof choice['toolName'] === 'string') return
  throw optionInvalid(
    `The toolChoice ${JSON.stringify(choice)} is none.`,
    "It can be 'auto', 'none', 'required' or { type: 'tool', toolName }.",
  )
}

function assertDelegation(delegation: unknown): void {
  if (delegation === undefined) return
  if (!isObject(delegation))
    throw optionInvalid('The option delegation is no object.', 'delegation: { messageFilter: … }')
  assertKnownKeys(delegation, DELEGATION_OPTIONS, UNKNOWN, 'delegation.')
  const { context, hookErrorStrategy } = delegation
  for (const name of ['includeSubAgentToolResultsInModelContext', 'enableResultReferences']) {
    if (delegation[name] !== undefined && typeof delegation[name] !== 'boolean')
      throw optionInvalid(`delegation.${name} is ${String(delegation[name])}.`, 'It is true or false.')
  }
  for (const name of ['onDelegationStart', 'messageFilter', 'onDelegationComplete']) {
    if (delegation[name] !== undefined && typeof delegation[name] !== 'function')
      throw optionInvalid(`delegation.${name} is no function.`, `delegation: { ${name}: (context) => … }`)
  }
  if (hookErrorStrategy !== undefined && hookErrorStrategy !== 'throw' && hookErrorStrategy !== 'warn')
    throw optionInvalid(
      `delegation.hookErrorStrategy is ${JSON.stringify(hookErrorStrategy)}.`,
      "It can be 'throw' or 'warn'.",
    )
  if (context !== undefined && context !== 'none')
    throw optionInvalid(`delegation.context is ${JSON.stringify(context)}.`, "It can be 'none', or be left out.")
}

function assertContext(context: unknown): void {
  if (context === undefined) return
  const fits = isObject(context) && ['get', 'set', 'entries'].every((name) => typeof context[name] === 'function')
  if (!fits) throw optionInvalid('The requestContext is no RequestContext.', "new RequestContext([['tenant', 'acme']])")
}

function assertWhole(name: string, value: unknown, least: number): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= least)) return
  throw optionInvalid(`The option ${name} is ${String(value)}.`, `It must be a whole number of ${least} or more.`)
}
