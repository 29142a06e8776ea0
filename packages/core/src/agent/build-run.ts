import { RetinueError } from '../errors/retinue-error.ts'
import { activeTools, choiceAmong } from '../loop/active-tools.ts'
import { Prompt } from '../loop/prompt.ts'
import { processorName, type RootRun, type Run, type RunSettings, type ToolSet } from '../loop/run.ts'
import type { RunHooks } from '../loop/run-hooks.ts'
import type { RunProcessors } from '../loop/run-processors.ts'
import { newRunState, type RunState } from '../loop/run-state.ts'
import type { SavedRun } from '../loop/saved-run.ts'
import { systemMessages } from '../messages/instructions.ts'
import type { Message } from '../messages/message.ts'
import { SharedView } from '../messages/shared-view.ts'
import { holdsReasoning, namesUrl, type PromptTraits } from '../model/prompt-traits.ts'
import { compileSchema } from '../tools/schema.ts'
import type { AgentOptions, ModelSetting } from './agent-config.ts'
import type { AgentParts } from './agent-parts.ts'
import { withToolsets } from './agent-tools.ts'
import type { BackgroundSet } from './background-terms.ts'
import { candidatesFor, type Place, type Resolved } from './resolve-parts.ts'
import type { RunOptions } from './run-options.ts'

const DEFAULT_MAX_STEPS = 10
const DEFAULT_MAX_RETRIES = 2
const DEFAULT_CONCURRENCY = 10
const NO_MESSAGES: readonly Message[] = []

/** The run that is made of an agent's parts, as they are for this request, in its place. */
export function buildRun(
  parts: AgentParts,
  place: Place,
  { system, skills, tools: given, models, processors }: Resolved,
): Run {
  const { root, abort, lineage, requestContext, options, messages, inherited, saved } = place
  const { id } = parts.options
  const base = place.instructions === undefined ? system : systemMessages(place.instructions, id)
  const ownSystem = skills ? [...base, skills] : base
  const more = options.system === undefined ? NO_MESSAGES : systemMessages(options.system, id)
  const whole = more.length + place.system.length === 0 ? ownSystem : [...ownSystem, ...more, ...place.system]
  const { tools, terms } = backgroundOf(parts, place, toolsOf(parts, place, given))
  const active = options.activeTools ? activeTools(tools, options.activeTools) : tools
  if (saved && processors) restoreStates(processors, saved)
  return {
    root,
    state: saved ? { ...saved.state } : begunState(place, id, options.maxSteps ?? DEFAULT_MAX_STEPS),
    agentId: id,
    abort,
    scope: abort,
    lineage,
    models,
    prompt: new Prompt(saved?.system ?? whole, inherited),
    inherited,
    given: place.given,
    systemReplaced: saved?.system !== undefined,
    gates: gatesOf(place, parts.options),
    calls: undefined,
    resumed: saved?.calls,
    background: terms,
    told: place.told,
    bailed: undefined,
    askedByTasks: undefined,
    references: new Set(),
    begunAt: saved ? root.effects.now() - saved.elapsedMs : root.effects.now(),
    point: undefined,
    tools,
    requestContext,
    settings: settingsOf(options, parts.options),
    delegation: options.delegation ?? {},
    budget: place.budget,
    hooks: hooksOf(parts, place),
    thread: place.thread,
    kept: place.remembered?.kept,
    processors,
    stopped: saved?.stopped && new RetinueError(saved.stopped),
    scoring: scoringOf(parts.options, options),
    bail: undefined,
    active,
    override: undefined,
    toolChoice: choiceAmong(active, options.toolChoice),
    close: place.close,
    answer: options.structuredOutput
      ? compileSchema(options.structuredOutput.schema, 'structuredOutput')
      : parts.answer,
    view: new SharedView(),
    traits: traitsOf(root, messages, models.length),
    error: saved?.state.error && new RetinueError(saved.state.error),
  }
}

/** The tools as they are where calls can be run in the background, and which can. */
function backgroundOf(parts: AgentParts, { root }: Place, tools: ToolSet): BackgroundSet {
  return root.tasks ? parts.inBackground(tools) : { tools, terms: undefined }
}

/** Throws `name-collision` for a tool of an agent's own that it can't have as the worker of a background task. */
function assertFree(agentId: string, { byName }: ToolSet, more: Readonly<Record<string, unknown>>): void {
  const taken = Object.keys(more).find((name) => byName.has(name))
  if (taken === undefined) return
  throw new RetinueError({
    code: 'name-collision',
    message: `The agent "${agentId}" has a tool called "${taken}", with which it would ask as a background task.`,
    hint: 'Rename the tool, or leave out `ask` in the backgroundTasks of its parent.',
    data: { agentId, name: taken },
  })
}

function begunState({ runId, path, messages, tasks }: Place, agentId: string, maxSteps: number): RunState {
  const state = newRunState({ runId, agentId, path, maxSteps, messages })
  if (tasks && tasks.length > 0) state.tasks = [...tasks]
  return state
}

const NO_GATES: Run['gates'] = []

/** The gates of the runs above, the agent's own and the call's: each of them can stop a call, and none can be taken away. */
function gatesOf({ gates, options }: Place, { requireToolApproval }: AgentOptions): Run['gates'] {
  if (!requireToolApproval && !options.requireToolApproval) return gates ?? NO_GATES
  const own = [requireToolApproval, options.requireToolApproval].filter((gate) => gate !== undefined && gate !== false)
  return [...(gates ?? NO_GATES), ...own]
}

/** What processors kept in the run when it stopped. */
function restoreStates({ input, output, states }: RunProcessors, saved: SavedRun): void {
  for (const [list, all] of Object.entries({ input, output })) {
    for (const [index, processor] of all.entries()) {
      const state = saved.processors[processorName(list, index, processor.id)]
      if (state) states.set(processor, { ...state })
    }
  }
}

/** An agent's tools and those of the call, in the form that the run needs. */
function toolsOf(parts: AgentParts, { options, remembered, root, path }: Place, own: ToolSet): ToolSet {
  const { toolsets, delegation } = options
  const called = toolsets ? withToolsets(parts.options.id, own, toolsets) : own
  if (root.task?.depth === path.length) assertFree(parts.options.id, called, root.task.tools)
  const notes = { ...remembered?.tools, ...(root.task?.depth === path.length ? root.task.tools : {}) }
  const all = Object.keys(notes).length > 0 ? withToolsets(parts.options.id, called, { memory: notes }) : called
  return delegation?.enableResultReferences ? parts.withReferences(all) : all
}

/** What the models of a run have to be asked, or must not be shown. Only its input can tell; the rest is its own models'. */
function traitsOf(root: RootRun, messages: readonly Message[], models: number): PromptTraits {
  root.urls ||= messages.some(namesUrl)
  return { urls: root.urls, reasoning: models > 1 || messages.some(holdsReasoning) }
}

const NO_CONDITIONS: RunHooks['stopWhen'] = []

function hooksOf(parts: AgentParts, place: Place): RunHooks {
  const { onIterationComplete, isTaskComplete, stopWhen, prepareStep, onStepFinish } = place.options
  const conditions = stopWhen === undefined ? NO_CONDITIONS : typeof stopWhen === 'function' ? [stopWhen] : stopWhen
  const preparation = prepareStep && {
    ask: prepareStep,
    candidates: (model: ModelSetting) => candidatesFor(parts, place, model),
  }
  return { onIterationComplete, isTaskComplete, stopWhen: conditions, prepareStep: preparation, onStepFinish }
}

const NO_LIMITS = {}
const NO_SETTINGS = {}

/** What grades the answer: the agent's scorers and those of the call, which win by key. */
function scoringOf(agent: AgentOptions, { scorers, onScore }: RunOptions): Run['scoring'] {
  if (!agent.scorers && !scorers) return undefined
  return { scorers: { ...agent.scorers, ...scorers }, onScore }
}

function settingsOf(options: RunOptions, agent: AgentOptions): RunSettings {
  return {
    approvalTimeoutMs: options.approvalTimeoutMs,
    timeouts: options.timeout ?? NO_LIMITS,
    toolCallConcurrency: options.toolCallConcurrency ?? DEFAULT_CONCURRENCY,
    maxRetries: options.maxRetries ?? agent.maxRetries ?? DEFAULT_MAX_RETRIES,
    modelSettings: options.modelSettings ?? NO_SETTINGS,
    toolChoice: options.toolChoice,
    activeTools: options.activeTools,
    providerOptions: options.providerOptions,
    headers: options.headers,
  }
}
