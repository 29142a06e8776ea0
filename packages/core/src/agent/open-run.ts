import { RequestContext } from '../context/request-context.ts'
import type { DelegatedRequest } from '../delegation/delegate-target.ts'
import { isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { EventLog } from '../events/event-log.ts'
import type { Budget } from '../loop/budget.ts'
import type { Run } from '../loop/run.ts'
import type { Application } from '../memory/application.ts'
import type { MemoryOption } from '../memory/memory-option.ts'
import { type AgentInput, looseMessagesFromInput, messagesFromInput } from '../messages/from-input.ts'
import { type Message, userText } from '../messages/message.ts'
import { ABORTED } from '../shared/abort.ts'
import type { AgentParts } from './agent-parts.ts'
import { NO_TOOLS } from './agent-tools.ts'
import { buildRun } from './build-run.ts'
import type { Callbacks } from './callbacks.ts'
import { defaultsOf, soonDefaults } from './default-options.ts'
import { keepable } from './keepable.ts'
import { declaredCandidates } from './model-candidates.ts'
import { openBudget } from './open-budget.ts'
import { modelsOf, type Place, processorsOf, resolved } from './resolve-parts.ts'
import { type OpenedRootRun, openChildScope, openRootRun, remaining } from './root-run.ts'
import { assertOptions, mergeOptions, type RunOptions } from './run-options.ts'
import { taskManagerIn } from './task-manager-in.ts'

/** A root run, and who is to be told of it. */
export interface OpenedRoot {
  readonly run: Run
  /** Its events, where somebody may read them. */
  readonly log: EventLog | undefined
  readonly callbacks: Callbacks
}

/** Opens the run that an application starts. `log`: whether somebody may read its events. Every rejection is a typed error. */
export async function openRoot(
  parts: AgentParts,
  input: AgentInput,
  call: RunOptions | undefined,
  log: boolean,
  application: Application,
): Promise<OpenedRoot> {
  let root: OpenedRootRun | undefined
  let close = (): void => root?.close()
  try {
    if (call) assertOptions(call)
    const requestContext = call?.requestContext ?? new RequestContext()
    const given = parts.options.defaultOptions
    const defaults = typeof given === 'function' ? await soonDefaults(parts, requestContext, call?.abortSignal) : given
    const options = mergeOptions(defaults, call)
    // What belongs to a thread is a whole conversation only with what was said there.
    const { system, messages, own } = options.memory
      ? looseMessagesFromInput(input, options.context, options.memory.keepMessageIds)
      : { ...messagesFromInput(input, options.context), own: NO_MESSAGES }
    const tasks = application.background?.options.enabled ? await taskManagerIn(application) : undefined
    root = openRootRun(parts.options, options, messages, log || options.onChunk !== undefined, application, tasks)
    const openingBudget = openBudget(parts.options, options, root.runId, undefined)
    const budget = openingBudget instanceof Promise ? await openingBudget : openingBudget
    const place: Place = {
      root,
      abort: root.abort,
      close: root.close,
      runId: root.runId,
      path: Object.freeze([parts.options.id]),
      lineage: [parts.self],
      requestContext: options.requestContext ?? requestContext,
      options,
      budget,
      system,
      given: system,
      messages,
      inherited: [],
    }
    const whole = options.memory ? await onThread(parts, place, options.memory, own, input) : place
    close = whole.close
    const opening = budget.inMoney ? openInMoney(parts, whole, true) : openRun(parts, whole)
    const opened = opening instanceof Promise ? await root.abort.race(opening) : opening
    // Aborted while the application's own functions were asked: the run begins, and ends at once.
    const run = opened === ABORTED ? buildAborted(parts, whole) : opened
    const keeping = keepable({ parts, application, run, options, call: call ?? NO_OPTIONS })
    if (keeping) await keeping
    if (tasks && run.state.tasks) await tasks.attach(run)
    return { run, log: root.log, callbacks: options }
  } catch (thrown) {
    close()
    throw notBegun(parts.options.id, thrown)
  }
}

const NO_OPTIONS: RunOptions = {}

/** Opens the run of a delegation: the child's own settings, on its parent's root. At once where nothing has to be asked for. */
export function openChild(parts: AgentParts, request: DelegatedRequest): Run | Promise<Run> {
  const defaults = defaultsOf(parts, request.requestContext)
  return defaults instanceof Promise
    ? defaults.then((options) => openDelegated(parts, request, options))
    : openDelegated(parts, request, defaults)
}

function openDelegated(
  parts: AgentParts,
  request: DelegatedRequest,
  defaults: RunOptions | undefined,
): Run | Promise<Run> {
  const options = mergeOptions(defaults, undefined)
  const open = (budget: Budget): Run | Promise<Run> => {
    if (request.saved?.budget) budget.restore(request.saved.budget)
    return openChildPlace(parts, childPlace(parts, request, options, budget), request)
  }
  const budget = openBudget(parts.options, options, request.runId, request.budget)
  return budget instanceof Promise ? budget.then(open) : open(budget)
}

/** A child that can't begin lets go of what it holds: its thread, its clock. */
function openChildPlace(parts: AgentParts, place: Place, { thread }: DelegatedRequest): Run | Promise<Run> {
  const open = (whole: Place): Run | Promise<Run> => {
    try {
      const opening = whole.budget.inMoney ? openInMoney(parts, whole) : openRun(parts, whole)
      return opening instanceof Promise ? opening.catch((thrown: unknown) => closing(whole, thrown)) : opening
    } catch (thrown) {
      return closing(whole, thrown)
    }
  }
  if (!parts.options.memory) return open({ ...place, thread })
  if (place.saved)
    return import('./on-thread.ts')
      .then(({ goOnInThread }) => goOnInThread(parts, { ...place, thread }, undefined))
      .then(open, (thrown: unknown) => closing(place, thrown))
  const own = place.messages.slice(-1)
  return import('./on-thread.ts')
    .then(({ remember }) => remember(parts, place, { thread, delegated: true, own }))
    .then(open, (thrown: unknown) => closing(place, thrown))
}

function closing({ close }: Place, thrown: unknown): never {
  close()
  throw thrown
}

/** The place of a run that belongs to a thread. An agent that remembers nothing has the input alone, a whole conversation then. */
async function onThread(
  parts: AgentParts,
  place: Place,
  option: MemoryOption,
  own: readonly Message[],
  input: AgentInput,
): Promise<Place> {
  // Loaded with the first run that belongs to a thread.
  const { placeOnThread } = await import('./on-thread.ts')
  const whole = await placeOnThread(parts, place, option, own)
  if (whole.remembered) return whole
  return { ...whole, messages: messagesFromInput(input, place.options.context).messages }
}

/** Opens a run under a budget in money: every model that it can call, and that those below it can call, needs a price. */
export async function openInMoney(parts: AgentParts, place: Place, isRoot = false): Promise<Run> {
  const run = await openRun(parts, place)
  const { assertPriced, assertTreePriced } = await import('./priced.ts')
  // Models that were asked for were looked at when they were given.
  if (hasAllAtHand(parts, place))
    assertPriced(
      run.agentId,
      run.models.map(({ use }) => use.used),
      run.budget,
    )
  if (isRoot && !run.root.chooseModel) assertTreePriced(parts.options, run.budget)
  return run
}

function childPlace(parts: AgentParts, request: DelegatedRequest, options: RunOptions, budget: Budget): Place {
  const {
    root,
    scope,
    runId,
    path,
    lineage,
    requestContext,
    prompt,
    messages: inherited,
    maxSteps,
    instructions,
    gates,
    saved,
  } = request
  const said = saved || !options.context ? undefined : messagesFromInput(prompt, options.context)
  const given = saved?.given ?? said?.system ?? NO_MESSAGES
  return {
    root,
    ...openChildScope(scope, saved ? { ...options, ...remaining(options, saved.elapsedMs) } : options),
    instructions,
    runId,
    path,
    // The agent that was delegated to may have handed the work on to this one.
    lineage: lineage.includes(parts.self) ? lineage : [...lineage, parts.self],
    requestContext,
    options: maxSteps === undefined ? options : { ...options, maxSteps },
    budget,
    system: given,
    given,
    messages: saved?.state.messages ?? said?.messages ?? [userText(prompt)],
    inherited: saved?.inherited ?? inherited,
    gates,
    saved,
  }
}

/** Why a run could not begin, as a typed error: an application's own functions throw what they like. */
export function notBegun(agentId: string, thrown: unknown): RetinueError {
  if (isRetinueError(thrown)) return thrown
  return new RetinueError({
    code: 'agent-invalid',
    message: `The agent "${agentId}" could not begin: ${withoutSecrets(thrownMessage(thrown))}`,
    hint: 'A function of the application threw; the cause of this error has its stack.',
    cause: thrown,
  })
}

const NO_MESSAGES: readonly Message[] = []

/** Whether a run can be opened with what the agent was made with: no function has to be asked for anything. */
function hasAllAtHand(parts: AgentParts, place: Place): boolean {
  return parts.isStatic && !modelsOf(place).chooseModel
}

/** The run of a place, once what an agent gives by functions was asked for. */
export function openRun(parts: AgentParts, place: Place): Run | Promise<Run> {
  const { providers } = modelsOf(place)
  if (!hasAllAtHand(parts, place)) return resolved(parts, place).then((each) => buildRun(parts, place, each))
  const { id, model } = parts.options
  const models =
    providers && typeof model !== 'function' ? declaredCandidates(model, id, providers) : parts.staticCandidates()
  const { inputProcessors, outputProcessors } = parts.options
  const processors = processorsOf(inputProcessors, outputProcessors)
  return buildRun(parts, place, { system: parts.staticSystem(), tools: parts.staticTools(), models, processors })
}

/** A run that ends when it begins: it has nothing of what was asked for too late, and no option can be held against that. */
export function buildAborted(parts: AgentParts, place: Place): Run {
  const { activeTools: _active, toolChoice: _choice, ...options } = place.options
  const nothing = { system: [], tools: NO_TOOLS, models: [], processors: undefined }
  return buildRun(parts, { ...place, options }, nothing)
}
