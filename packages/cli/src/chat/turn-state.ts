import type { Chunk } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import { isPlaceholder } from '../run/envelope.ts'
import { isTaskChunk, type TaskChunk } from '../run/task-text.ts'
import {
  CANCELLED,
  change,
  changeBelow,
  type DelegationItem,
  ended,
  endedAll,
  type ItemState,
  type Problem,
  put,
  type RunNode,
  type ToolItem,
  type TurnItem,
  wentOn,
  withText,
} from './turn-items.ts'

/** A turn of a conversation, as it is shown. */
export interface TurnState extends RunNode {
  readonly agent: string
  /** The run's own word for how it ended. */
  readonly finishReason?: string
}

/** What was thrown, as it is shown. */
export function problemOf(thrown: unknown): Problem {
  if (isRetinueError(thrown)) return thrown.toJSON()
  return { message: thrown instanceof Error ? thrown.message : String(thrown) }
}

/** A turn that has just been asked for; its run's id is known once the run has begun. */
export function newTurn(agent: string, now: number): TurnState {
  return { agent, runId: '', state: 'running', startedAt: now, ownTokens: 0, items: [] }
}

/** A turn whose run goes on after a call of it was decided. `before`: how it stood. */
export function resumedTurn(before: TurnState, decided: string, now: number): TurnState {
  const { agent, runId, items } = before
  return { ...newTurn(agent, now), runId, items: wentOn(items, decided, now) }
}

/** The turn, ended by an error outside of its run: it could not begin, or what read it broke. */
export function failedTurn(turn: TurnState, problem: Problem, now: number): TurnState {
  return { ...turn, items: endedAll(turn.items, now), state: 'failed', finishReason: 'error', endedAt: now, problem }
}

/** The tokens of a run and of everything that it delegated to, as far as they are known. */
export function tokensOf(node: RunNode): number {
  if (node.totalTokens !== undefined) return node.totalTokens
  return node.items.reduce((sum, item) => sum + (item.kind === 'delegation' ? tokensOf(item) : 0), node.ownTokens)
}

/** The turn after one more event of its run. Pure: what did not change is the same object. */
export function reduceTurn(turn: TurnState, chunk: Chunk, now: number): TurnState {
  // The root tells of them, wherever in its tree the call was made.
  if (chunk.type === 'tool-call-approval' || chunk.type === 'tool-call-suspended')
    return {
      ...turn,
      items: changeBelow(turn.items, chunk.payload.toolCallId, (item) => ({ ...item, state: 'waiting' })),
    }
  if (isTaskChunk(chunk)) return { ...turn, items: reduceTask(turn.items, chunk, now) }
  return updateRun(turn, chunk.runId, chunk.path.slice(1), (node) => reduceRun(node, chunk, now))
}

/** A task stands where its call does; one that an earlier turn began, at the end. */
function reduceTask(items: readonly TurnItem[], chunk: TaskChunk, now: number): readonly TurnItem[] {
  const { taskId: task, toolCallId: callId, toolName: name } = chunk.payload
  const to = (item: ToolItem | DelegationItem): ToolItem | DelegationItem => ({
    ...item,
    task,
    ...taskEnd(item, chunk, now),
  })
  const changed = changeBelow(items, callId, to)
  if (changed !== items) return changed
  return [...items, to({ kind: 'tool', callId, name, args: undefined, state: 'running', startedAt: now })]
}

/** What a chunk says of the item of its task: that of a delegation has told of its own end. */
function taskEnd(
  item: ToolItem | DelegationItem,
  chunk: TaskChunk,
  now: number,
): Partial<Pick<ToolItem, 'state' | 'problem' | 'endedAt'>> {
  switch (chunk.type) {
    case 'background-task-started':
    case 'background-task-running':
      return item.kind === 'delegation' && item.state === 'running' ? {} : { state: 'background' }
    case 'background-task-retrying':
      return { state: 'background' }
    case 'background-task-suspended':
      return { state: 'waiting' }
    case 'background-task-completed':
      return {
        state: item.kind === 'delegation' && item.endedAt !== undefined ? item.state : 'done',
        endedAt: item.endedAt ?? now,
      }
    case 'background-task-failed':
    case 'background-task-timed-out':
      return { state: 'failed', problem: chunk.payload.error, endedAt: item.endedAt ?? now }
    case 'background-task-cancelled': {
      const { reason } = chunk.payload
      return {
        ...CANCELLED,
        ...(reason === undefined ? {} : { problem: { message: reason } }),
        endedAt: item.endedAt ?? now,
      }
    }
  }
}

/** Changes the run with an id, which the keys of a path lead to; a child that was called twice is found by its id. */
function updateRun<N extends RunNode>(
  node: N,
  runId: string,
  keys: readonly string[],
  change: (node: RunNode) => Partial<TurnState>,
): N {
  if (node.runId === runId) return { ...node, ...change(node) }
  const [key, ...rest] = keys
  // The latest first: what happens, happens there.
  for (let at = node.items.length - 1; at >= 0; at--) {
    const item = node.items[at]
    if (item?.kind !== 'delegation' || item.key !== key) continue
    const changed = updateRun(item, runId, rest, change)
    if (changed !== item) return { ...node, items: node.items.with(at, changed) }
  }
  return node
}

function reduceRun(node: RunNode, chunk: Chunk, now: number): Partial<TurnState> {
  switch (chunk.type) {
    case 'step-start':
      return { model: chunk.payload.model }
    case 'text-start':
      return { items: [...node.items, { kind: 'text', id: chunk.payload.id, text: '' }] }
    case 'text-delta':
      return { items: withText(node.items, chunk.payload.id, chunk.payload.text) }
    case 'delegation-start': {
      const { toolCallId, key, runId, prompt } = chunk.payload
      const known = node.items.find((item) => item.kind !== 'text' && item.callId === toolCallId)
      // One that goes on has what waited in it.
      const items = known?.kind === 'delegation' ? known.items : []
      const task = known === undefined || known.kind === 'text' ? undefined : known.task
      const inTask = task === undefined ? {} : { task }
      const begun = { runId, state: 'running', startedAt: now, ownTokens: 0, items, ...inTask } as const
      return { items: put(node.items, { kind: 'delegation', callId: toolCallId, key, prompt, ...begun }) }
    }
    case 'delegation-end': {
      const { toolCallId, status, usage } = chunk.payload
      const end = { state: stateOf(status), endedAt: now, totalTokens: usage.totalTokens }
      return { items: change(node.items, toolCallId, (item) => ({ ...ended(item, now), ...end })) }
    }
    case 'step-finish':
      return { ownTokens: node.ownTokens + chunk.payload.output.usage.totalTokens }
    case 'error':
      return { problem: chunk.payload.error }
    case 'finish': {
      const { reason } = chunk.payload.stepResult
      const state = node.problem === undefined ? endState(reason) : 'failed'
      const end = { state, finishReason: reason, endedAt: now, totalTokens: chunk.payload.totalUsage.totalTokens }
      return { items: endedAll(node.items, now), ...end }
    }
    default:
      return reduceTool(node, chunk, now)
  }
}

function reduceTool(node: RunNode, chunk: Chunk, now: number): Partial<TurnState> {
  switch (chunk.type) {
    case 'tool-call-input-streaming-start':
    case 'tool-call': {
      const { toolCallId: callId, toolName: name } = chunk.payload
      const args = chunk.type === 'tool-call' ? chunk.payload.args : undefined
      const known = node.items.find((item) => item.kind === 'tool' && item.callId === callId)
      const startedAt = known?.kind === 'tool' ? known.startedAt : now
      return { items: put(node.items, { kind: 'tool', callId, name, args, state: 'running', startedAt }) }
    }
    case 'tool-result':
      // The chunks of its task tell of it.
      if (isPlaceholder(chunk.payload.result)) return {}
      return endCall(node, chunk.payload, now, (item) => toolEnd(item, now, chunk.payload.result))
    case 'tool-error': {
      const { error } = chunk.payload
      // A call that was let go when the turn was stopped did nothing wrong.
      const unrun = error.code === 'tool-not-run'
      const end = unrun ? CANCELLED : ({ state: 'failed', problem: error } as const)
      return endCall(node, chunk.payload, now, (item) => ({ ...item, ...end, endedAt: now }))
    }
    case 'tool-output-denied': {
      const problem = { message: chunk.payload.reason ?? '' }
      return endCall(node, chunk.payload, now, (item) => ({ ...item, state: 'declined', problem, endedAt: now }))
    }
    default:
      return {}
  }
}

interface EndedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: unknown
}

/** Ends the item of a call; one that began before this turn is known by its end alone. */
function endCall(
  { items }: RunNode,
  { toolCallId: callId, toolName: name, args }: EndedCall,
  now: number,
  to: (item: ToolItem | DelegationItem) => ToolItem | DelegationItem,
): Pick<TurnState, 'items'> {
  const changed = change(items, callId, (item) => to(item.kind === 'tool' ? { ...item, args } : item))
  if (changed !== items) return { items: changed }
  return { items: [...items, to({ kind: 'tool', callId, name, args, state: 'running', startedAt: now })] }
}

/** A delegation has told of its own end; what it gave says what went wrong. */
function toolEnd(item: ToolItem | DelegationItem, now: number, result: unknown): ToolItem | DelegationItem {
  const outcome = typeof result === 'object' && result !== null && 'subAgentToolResults' in result ? result : undefined
  if (!outcome) return { ...item, state: 'done', endedAt: now }
  const error = 'error' in outcome && typeof outcome.error === 'object' ? outcome.error : null
  const problem = error !== null && 'message' in error ? { problem: { message: String(error.message) } } : {}
  const status = 'status' in outcome ? stateOf(String(outcome.status)) : 'done'
  return { ...item, state: status, endedAt: item.endedAt ?? now, ...problem }
}

function stateOf(status: string): ItemState {
  if (status === 'completed') return 'done'
  return status === 'partial' || status === 'cancelled' ? status : 'failed'
}

function endState(reason: string): ItemState {
  if (reason === 'stop') return 'done'
  if (reason === 'aborted') return 'cancelled'
  if (reason === 'suspended') return 'waiting'
  return reason === 'length' || reason === 'max-steps' ? 'partial' : 'failed'
}
