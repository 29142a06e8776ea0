import { noUsage } from '../events/usage.ts'
import type { PendingCall } from '../loop/pending-call.ts'
import { Prompt } from '../loop/prompt.ts'
import type { RootRun, Run } from '../loop/run.ts'
import { newRunState, type Step } from '../loop/run-state.ts'
import type { RunTasks } from '../loop/run-tasks.ts'
import type { CallingTurn } from '../loop/run-tool-calls.ts'
import { SharedView } from '../messages/shared-view.ts'
import type { AbortScope } from '../shared/abort.ts'
import type { Storage } from '../storage/storage.ts'
import { taskTools } from './ask-tool.ts'
import { isSpokenTo, readInbox } from './inbox.ts'
import type { TaskLog } from './task-log.ts'

/** The tree of a task: a run that stands for the one that made the call, and has nothing to do but this call. */
export interface TaskTree {
  readonly run: Run
  readonly turn: CallingTurn
}

/** What a task's root has of its own. */
export interface TaskPlace {
  readonly taskId: string
  readonly storage: Storage
  readonly abort: AbortScope
  readonly log: TaskLog
  readonly tasks: RunTasks
  /** Whom its subagent may ask. */
  readonly ask: 'parent' | 'person' | undefined
}

/** The tree of a call that goes on in the background, apart from the run that made it. The call is the tree's from here on. */
export function standIn(parent: Run, call: PendingCall, place: TaskPlace): TaskTree {
  const root = standInRoot(parent.root, parent.state.path.length, place)
  const { runId, agentId, path } = parent.state
  const step = bareStep()
  const state = { ...newRunState({ runId, agentId, path, maxSteps: 1, messages: [] }), iteration: 1, steps: [step] }
  // Its gates had their say where it was made.
  const own: PendingCall = { ...call, allowed: call.question ? 'decided' : 'free' }
  delete own.question
  call.delegation = undefined
  const run: Run = {
    ...toStandIn(parent),
    root,
    state,
    abort: place.abort,
    scope: place.abort,
    prompt: new Prompt([], []),
    inherited: [],
    given: [],
    systemReplaced: false,
    references: new Set(),
    begunAt: root.effects.now(),
    calls: [own],
    resumed: undefined,
    point: undefined,
    bail: undefined,
    override: undefined,
    view: new SharedView(),
    error: undefined,
    close: () => root.close(),
  }
  return { run, turn: { step, calls: [own], failures: [] } }
}

/** A run of which nothing is to be done but one call: what it says, keeps and is told is its parent's. */
export function toStandIn(run: Run): Run {
  return {
    ...run,
    // The reference to a result is given when the parent is told of it.
    delegation: { ...run.delegation, enableResultReferences: false },
    kept: undefined,
    processors: undefined,
    stopped: undefined,
    scoring: undefined,
    // It is in the background already.
    background: undefined,
    told: undefined,
    bailed: undefined,
    askedByTasks: undefined,
  }
}

/** What all runs of a task share: what those of its parent's tree do, but for what is the task's own. */
export function standInRoot(
  parent: RootRun,
  depth: number,
  { taskId, abort, log, tasks, storage, ask }: TaskPlace,
): RootRun {
  return {
    ...parent,
    runId: taskId,
    abort,
    log,
    tasks,
    callIds: new OwnCallIds(parent.callIds),
    begun: new Set(),
    scoring: undefined,
    children: 0,
    contexts: undefined,
    untilIdle: true,
    task: {
      depth: depth + 1,
      tools: taskTools(ask),
      isSpokenTo: (run) => isSpokenTo(storage, taskId, run),
      read: (run) => readInbox(storage, taskId, run),
    },
    linked: 0,
    isClosed: false,
    isResumed: false,
    keeper: undefined,
    keeping: undefined,
    close: () => abort.dispose(),
  }
}

function bareStep(): Step {
  return {
    iteration: 1,
    model: { requested: '', used: '' },
    text: '',
    reasoningText: '',
    toolCalls: [],
    toolResults: [],
    sources: [],
    files: [],
    finishReason: 'tool-calls',
    usage: noUsage(),
    warnings: [],
  }
}

/** The call ids of a task's tree: unique in the whole root run, and of them only the task's own are kept with it. */
class OwnCallIds extends Map<string, number> {
  readonly #all: Map<string, number>

  constructor(all: Map<string, number>) {
    super()
    this.#all = all
  }

  override has(id: string): boolean {
    return super.has(id) || this.#all.has(id)
  }

  override get(id: string): number | undefined {
    return this.#all.get(id)
  }

  override set(id: string, times: number): this {
    this.#all?.set(id, times)
    return super.set(id, times)
  }
}
