import { RequestContext, type RequestContextLike } from '../context/request-context.ts'
import type { DelegatedRequest } from '../delegation/delegate-target.ts'
import { isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { EventLog } from '../events/event-log.ts'
import type { RootRun, Run, RunSettings } from '../loop/run.ts'
import { newRunState } from '../loop/run-state.ts'
import type { AgentInput } from '../messages/from-input.ts'
import { messagesFromInput } from '../messages/from-input.ts'
import { type Message, userText } from '../messages/message.ts'
import { SharedView } from '../messages/shared-view.ts'
import { holdsReasoning, namesUrl, type PromptTraits } from '../model/prompt-traits.ts'
import { AbortScope } from '../shared/abort.ts'
import type { AgentOptions, Dynamic } from './agent-config.ts'
import type { AgentParts } from './agent-parts.ts'
import { directEffects } from './direct-effects.ts'
import { systemMessages } from './instructions.ts'
import { modelCandidates } from './model-candidates.ts'
import { assertOptions, mergeOptions, type RunOptions } from './run-options.ts'

const DEFAULT_MAX_STEPS = 10
const DEFAULT_MAX_DEPTH = 5
const DEFAULT_MAX_RETRIES = 2
const DEFAULT_CONCURRENCY = 10

/** Opens the run that an application starts. `log`: whether somebody may read its events. Every rejection is a typed error. */
export async function openRoot(
  parts: AgentParts,
  input: AgentInput,
  call: RunOptions | undefined,
  log: boolean,
): Promise<Run> {
  let abort: AbortScope | undefined
  try {
    if (call) assertOptions(call)
    const requestContext = call?.requestContext ?? new RequestContext()
    const options = mergeOptions(await settled(parts.options.defaultOptions, requestContext), call)
    const conversation = messagesFromInput(input)
    abort = new AbortScope(options.abortSignal)
    const root = newRoot(parts, options, abort, idsOf(conversation.messages), log)
    const place = { root, runId: root.runId, path: [parts.options.id], lineage: [parts.self] }
    const opening = { ...conversation, inherited: [] }
    const run = await openRun(parts, place, options.requestContext ?? requestContext, options, opening)
    startDeadline(root, options.timeout?.totalMs)
    return run
  } catch (thrown) {
    abort?.dispose()
    throw notBegun(parts.options.id, thrown)
  }
}

function newRoot(
  parts: AgentParts,
  options: RunOptions,
  abort: AbortScope,
  callIds: Set<string>,
  log: boolean,
): RootRun {
  return {
    runId: options.runId ?? directEffects.newId(),
    abort,
    log: log ? new EventLog() : undefined,
    effects: directEffects,
    callIds,
    children: 0,
    begun: new Set(),
    maxDepth: parts.options.maxDepth ?? DEFAULT_MAX_DEPTH,
    allowCycles: options.allowCycles ?? false,
    chooseModel: options.resolveModel,
    urls: false,
    providers: options.providers,
    deadline: undefined,
  }
}

/** Ends the whole run when its time is up; who ends it sooner stops the clock. */
function startDeadline(root: RootRun, totalMs: number | undefined): void {
  if (totalMs === undefined) return
  const error = new RetinueError({
    code: 'run-timed-out',
    message: `The run took longer than ${totalMs} ms.`,
    hint: 'Allow more time in the option `timeout`, or ask for less at once.',
  })
  root.deadline = root.effects.startTimer(totalMs, () => root.abort.abort(error))
}

/** Why a run could not begin, as a typed error: an application's own functions throw what they like. */
export function notBegun(agentId: string, thrown: unknown): RetinueError {
  if (isRetinueError(thrown)) return thrown
  return new RetinueError({
    code: 'agent-invalid',
    message: `The agent "${agentId}" could not begin: ${thrownMessage(thrown)}`,
    hint: 'A function of the application threw; the cause of this error has its stack.',
    cause: thrown,
  })
}

/** Opens the run of a delegation: the child's own settings, on its parent's root. */
export async function openChild(parts: AgentParts, request: DelegatedRequest): Promise<Run> {
  const { root, runId, path, lineage, requestContext } = request
  const options = mergeOptions(await settled(parts.options.defaultOptions, requestContext), undefined)
  // The agent that was delegated to may have handed the work on to this one.
  const place = { root, runId, path, lineage: lineage.includes(parts.self) ? lineage : [...lineage, parts.self] }
  return openRun(parts, place, requestContext, options, {
    system: [],
    messages: [userText(request.prompt)],
    inherited: request.messages,
  })
}

interface Place {
  readonly root: RootRun
  readonly runId: string
  readonly path: readonly string[]
  readonly lineage: readonly object[]
}

interface Opening {
  readonly system: readonly Message[]
  readonly messages: Message[]
  readonly inherited: readonly Message[]
}

async function openRun(
  parts: AgentParts,
  place: Place,
  requestContext: RequestContextLike,
  options: RunOptions,
  opening: Opening,
): Promise<Run> {
  const { id, instructions, model } = parts.options
  const system =
    typeof instructions === 'function'
      ? systemMessages(await instructions({ requestContext }), id)
      : parts.staticSystem()
  const tools = await parts.toolsFor(requestContext)
  const setting = typeof model === 'function' ? await model({ requestContext }) : model
  const { root, path, runId, lineage } = place
  const { chooseModel, providers } = root
  const models = await modelCandidates(setting, { agentId: id, path, chooseModel, providers, cache: parts.models })
  return {
    root,
    state: newRunState({
      runId,
      agentId: id,
      path,
      maxSteps: options.maxSteps ?? DEFAULT_MAX_STEPS,
      messages: opening.messages,
    }),
    agentId: id,
    lineage,
    models,
    system: opening.system.length === 0 ? system : [...system, ...opening.system],
    inherited: opening.inherited,
    tools,
    requestContext,
    settings: settingsOf(options, parts.options),
    delegation: options.delegation ?? {},
    answer: parts.answer(),
    view: new SharedView(),
    traits: traitsOf(root, opening.messages, models.length),
    error: undefined,
  }
}

/** What the models of a run have to be asked, or must not be shown. Only its input can tell; the rest is its own models'. */
function traitsOf(root: RootRun, messages: readonly Message[], models: number): PromptTraits {
  root.urls ||= messages.some(namesUrl)
  return { urls: root.urls, reasoning: models > 1 || messages.some(holdsReasoning) }
}

function settingsOf(options: RunOptions, agent: AgentOptions): RunSettings {
  return {
    timeouts: options.timeout ?? {},
    toolCallConcurrency: options.toolCallConcurrency ?? DEFAULT_CONCURRENCY,
    maxRetries: options.maxRetries ?? agent.maxRetries ?? DEFAULT_MAX_RETRIES,
    modelSettings: options.modelSettings ?? {},
    toolChoice: options.toolChoice,
    providerOptions: options.providerOptions,
    headers: options.headers,
  }
}

async function settled<T>(value: Dynamic<T> | undefined, requestContext: RequestContextLike): Promise<T | undefined> {
  return typeof value === 'function'
    ? await (value as (context: { requestContext: RequestContextLike }) => T | Promise<T>)({ requestContext })
    : value
}

/** The call ids that an input brings along: no later call may have one of them. */
function idsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const part of message.content) if (part.type === 'tool-call') ids.add(part.toolCallId)
  }
  return ids
}
