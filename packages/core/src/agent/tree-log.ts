import { PACKED_ENVELOPE } from '../events/packed-envelope.ts'
import type { ToolCallRecord, ToolResultRecord } from '../events/tool-record.ts'
import type { Reference, RunState, Step } from '../loop/run-state.ts'
import type { SavedCall, SavedRun } from '../loop/saved-run.ts'
import type { Message } from '../messages/message.ts'
import { type PackedJson, packJson, unpackJson } from '../shared/packed-json.ts'
import { listsOfRun } from '../storage/run-lists.ts'
import type { SharedItems } from '../storage/tasks.ts'
import type { Value } from '../storage/values.ts'
import type { OpenTask } from '../tools/outcome.ts'

/**
 * The parts of a stored tree that only grow: what was said, the steps, calls that have ended. A tree that is saved at every step would
 * write them again each time; as a log each of them is written once, and the tree says how much of the log is its.
 */
export interface LogPart {
  readonly listId: string
  readonly count: number
}

/** What one save adds. */
interface Delta {
  readonly runs: Readonly<Record<string, RunDelta>>
  /** Call ids that are new, or were asked for again. */
  readonly callIds: readonly (readonly [string, number])[]
}

/** What one save adds to a run of the tree. */
interface RunDelta {
  /** What was logged of it before is of no account any more. */
  readonly anew?: true
  readonly messages: readonly Message[]
  readonly steps: readonly Step[]
  readonly references: readonly Reference[]
  readonly answers: readonly string[]
  readonly begun: readonly OpenTask[]
  readonly told: readonly string[]
  /** Calls of a step, as they were made and as they ended. */
  readonly calls: readonly SavedCall[]
  /** Absent in a log that was written before it had this. */
  readonly last?: LastDelta
}

/** What one save adds to the calls and results of the last step, to which more can come; of the ones before as many stand as it says. */
interface LastDelta {
  readonly calls: readonly [stand: number, more: readonly ToolCallRecord[]]
  readonly results: readonly [stand: number, more: readonly ToolResultRecord[]]
}

/** What of a run the log has. */
interface Logged {
  readonly messages: Message[]
  readonly steps: Step[]
  references: number
  answers: number
  readonly tasks: Set<string>
  /** The step whose calls these are. */
  step: number
  /** By id: whether its end is logged. */
  readonly calls: Map<string, boolean>
  /** Of the last step. */
  lastCalls: readonly ToolCallRecord[]
  lastResults: readonly ToolResultRecord[]
}

/** How much a tree may hold before it is worth a log. */
const SMALL = 24

/** How long an id can be in a store. */
const LONGEST_ID = 1_024

/** The log of a tree that this process works on. */
export class TreeLog {
  readonly #listId: string
  readonly #runs = new Map<string, Logged>()
  readonly #callIds = new Map<string, number>()
  #count = 0

  /** `id`: unguessable. The store deletes the log with the run. */
  constructor(runId: string, id: string) {
    this.#listId = `${listsOfRun(runId)}${id}`
  }

  /** The tree without what is in the log, and what has to be written there before it; undefined where it is too small for a log. */
  split(
    run: SavedRun,
    callIds: ReadonlyMap<string, number>,
  ): { readonly run: SavedRun; readonly log: LogPart; readonly write: SharedItems } | undefined {
    if (this.#listId.length > LONGEST_ID || (this.#count === 0 && sizeOf(run) < SMALL)) return undefined
    const runs: Record<string, RunDelta> = Object.create(null) as Record<string, RunDelta>
    const rest = this.#rest(run, runs)
    const delta: Delta = { runs, callIds: this.#newCallIds(callIds) }
    const from = this.#count
    this.#count += 1
    const items = [packJson(delta, [PACKED_ENVELOPE]) as unknown as Value]
    return {
      run: rest,
      log: { listId: this.#listId, count: this.#count },
      write: { listId: this.#listId, from, items },
    }
  }

  #newCallIds(callIds: ReadonlyMap<string, number>): [string, number][] {
    const fresh = [...callIds].filter(([id, times]) => this.#callIds.get(id) !== times)
    for (const [id, times] of fresh) this.#callIds.set(id, times)
    return fresh
  }

  /** A run and those below it without what is logged; `deltas`: what is new of them. */
  #rest(saved: SavedRun, deltas: Record<string, RunDelta>): SavedRun {
    const { state, calls } = saved
    const { runId } = state
    const known = this.#runs.get(runId)
    const isKnown =
      known !== undefined && isPrefix(known.messages, state.messages) && isPrefix(known.steps, doneSteps(state))
    const logged = isKnown ? known : noneLogged()
    this.#runs.set(runId, logged)
    const step = state.steps.length
    if (logged.step !== step) {
      logged.step = step
      logged.calls.clear()
    }
    const delta: RunDelta = {
      ...(known && !isKnown ? { anew: true } : {}),
      ...growth(logged, state),
      calls: newCalls(logged, calls),
      ...lastDelta(logged, state.steps.at(-1)),
    }
    if (!isEmpty(delta)) deltas[runId] = delta
    // Of a call that has ended, or not begun, the log says all.
    const open = calls?.filter(isUnderWay).map((call) => this.#callRest(call, deltas))
    return { ...saved, state: bare(state), ...(open ? { calls: open } : {}) }
  }

  #callRest(call: SavedCall, deltas: Record<string, RunDelta>): SavedCall {
    const { delegation } = call
    if (!delegation?.child) return call
    return { ...call, delegation: { ...delegation, child: this.#rest(delegation.child, deltas) } }
  }
}

/** A tree with what is in its log. */
export function wholeRun(
  run: SavedRun,
  items: readonly Value[],
): { run: SavedRun; callIds: readonly (readonly [string, number])[] } {
  const whole = new Map<string, Rebuilt>()
  const callIds = new Map<string, number>()
  for (const item of items) {
    const delta = unpackJson(item as unknown as PackedJson, [PACKED_ENVELOPE]) as Delta
    for (const [id, times] of delta.callIds) callIds.set(id, times)
    for (const [runId, change] of Object.entries(delta.runs)) rebuild(whole, runId, change)
  }
  return { run: withLog(run, whole), callIds: [...callIds] }
}

interface Rebuilt {
  readonly messages: Message[]
  readonly steps: Step[]
  readonly references: Reference[]
  readonly answers: string[]
  readonly tasks: Map<string, OpenTask>
  calls: Map<string, SavedCall>
  readonly lastCalls: ToolCallRecord[]
  readonly lastResults: ToolResultRecord[]
}

function rebuild(whole: Map<string, Rebuilt>, runId: string, change: RunDelta): void {
  const known = change.anew ? undefined : whole.get(runId)
  const run = known ?? noneRebuilt()
  whole.set(runId, run)
  run.messages.push(...change.messages)
  // The calls that are logged are of the step that is under way, which is not logged itself.
  if (change.steps.length > 0) run.calls = new Map()
  run.steps.push(...change.steps)
  run.references.push(...change.references)
  run.answers.push(...change.answers)
  for (const task of change.begun) run.tasks.set(task.taskId, task)
  for (const taskId of change.told) run.tasks.delete(taskId)
  for (const call of change.calls) run.calls.set(call.toolCallId, call)
  if (change.last) {
    const { calls, results } = change.last
    run.lastCalls.splice(calls[0], Number.POSITIVE_INFINITY, ...calls[1])
    run.lastResults.splice(results[0], Number.POSITIVE_INFINITY, ...results[1])
  }
}

function noneRebuilt(): Rebuilt {
  return {
    ...{ messages: [], steps: [], references: [], answers: [], tasks: new Map(), calls: new Map() },
    ...{ lastCalls: [], lastResults: [] },
  }
}

function withLog(saved: SavedRun, whole: ReadonlyMap<string, Rebuilt>): SavedRun {
  const { state, calls } = saved
  const logged = whole.get(state.runId)
  const open = new Map((calls ?? []).map((call) => [call.toolCallId, callWithLog(call, whole)]))
  if (!logged) return calls ? { ...saved, calls: [...open.values()] } : saved
  const { messages, steps, references, answers, tasks, lastCalls, lastResults } = logged
  return {
    ...saved,
    state: {
      ...state,
      messages,
      steps: [...steps, ...state.steps.map((last) => withResults(last, lastCalls, lastResults))],
      ...(references.length > 0 ? { references } : {}),
      ...(answers.length > 0 ? { answers } : {}),
      ...(tasks.size > 0 ? { tasks: [...tasks.values()] } : {}),
    },
    ...(calls ? { calls: [...logged.calls.values()].map((call) => open.get(call.toolCallId) ?? call) } : {}),
  }
}

function withResults(last: Step, calls: readonly ToolCallRecord[], results: readonly ToolResultRecord[]): Step {
  if (calls.length + results.length === 0) return last
  return { ...last, toolCalls: calls.slice(), toolResults: results.slice() }
}

function callWithLog(call: SavedCall, whole: ReadonlyMap<string, Rebuilt>): SavedCall {
  const { delegation } = call
  if (!delegation?.child) return call
  return { ...call, delegation: { ...delegation, child: withLog(delegation.child, whole) } }
}

function sizeOf({ state, calls }: SavedRun): number {
  const below = (calls ?? []).map(({ delegation }) => (delegation?.child ? sizeOf(delegation.child) : 0))
  return below.reduce((sum, size) => sum + size, state.messages.length + state.steps.length + below.length)
}

function noneLogged(): Logged {
  return {
    ...{ messages: [], steps: [], references: 0, answers: 0, tasks: new Set(), step: -1, calls: new Map() },
    ...{ lastCalls: [], lastResults: [] },
  }
}

/** The last step can still change. */
function doneSteps({ steps }: RunState): readonly Step[] {
  return steps.slice(0, -1)
}

function isPrefix<T>(logged: readonly T[], whole: readonly T[]): boolean {
  return logged.length <= whole.length && logged.every((item, index) => item === whole[index])
}

/** What of a state is new, which then is logged. */
function growth(logged: Logged, state: RunState): Omit<RunDelta, 'anew' | 'calls'> {
  const messages = state.messages.slice(logged.messages.length)
  const steps = doneSteps(state).slice(logged.steps.length)
  const references = (state.references ?? []).slice(logged.references)
  const answers = (state.answers ?? []).slice(logged.answers)
  const open = new Set((state.tasks ?? []).map(({ taskId }) => taskId))
  const begun = (state.tasks ?? []).filter(({ taskId }) => !logged.tasks.has(taskId))
  const told = [...logged.tasks].filter((taskId) => !open.has(taskId))
  logged.messages.push(...messages)
  logged.steps.push(...steps)
  logged.references += references.length
  logged.answers += answers.length
  for (const { taskId } of begun) logged.tasks.add(taskId)
  for (const taskId of told) logged.tasks.delete(taskId)
  return { messages, steps, references, answers, begun, told }
}

/** Each call when it is first seen, and when it has ended. */
function newCalls(logged: Logged, calls: readonly SavedCall[] | undefined): SavedCall[] {
  return (calls ?? []).flatMap((call) => {
    const { toolCallId, outcome, delegation: _delegation, ...made } = call
    const hasEnded = outcome !== undefined
    if (logged.calls.get(toolCallId) === hasEnded || logged.calls.get(toolCallId)) return []
    logged.calls.set(toolCallId, hasEnded)
    return [hasEnded ? call : { toolCallId, ...made }]
  })
}

/** What of the last step is new; empty where nothing is. */
function lastDelta(logged: Logged, last: Step | undefined): { last?: LastDelta } {
  const { toolCalls = [], toolResults = [] } = last ?? {}
  const calls = standing(logged.lastCalls, toolCalls)
  const results = standing(logged.lastResults, toolResults)
  const isSame = calls === toolCalls.length && results === toolResults.length
  if (isSame && logged.lastCalls.length === calls && logged.lastResults.length === results) return {}
  logged.lastCalls = toolCalls.slice()
  logged.lastResults = toolResults.slice()
  return { last: { calls: [calls, toolCalls.slice(calls)], results: [results, toolResults.slice(results)] } }
}

/** How many items of a list that was logged still stand in it. */
function standing<T>(logged: readonly T[], whole: readonly T[]): number {
  const other = logged.findIndex((item, index) => item !== whole[index])
  return other < 0 ? logged.length : other
}

/** Whether a call has begun and not ended: where it stands is in the tree. */
function isUnderWay({ outcome, counted, question, delegation, edited }: SavedCall): boolean {
  return (
    outcome === undefined &&
    (counted === true || question !== undefined || delegation !== undefined || edited !== undefined)
  )
}

function isEmpty({ anew, last, ...lists }: RunDelta): boolean {
  return !anew && !last && Object.values(lists).every((list) => list.length === 0)
}

/** The state without what is logged. */
function bare({ references: _references, answers: _answers, tasks: _tasks, ...state }: RunState): RunState {
  const steps = state.steps.slice(-1).map((last) => ({ ...last, toolCalls: [], toolResults: [] }))
  return { ...state, messages: [], steps }
}
