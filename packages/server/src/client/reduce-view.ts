import type { Chunk } from '@retinue/core/agent'
import { callAfter, isTaskChunk, withTask } from './reduce-tasks.ts'
import { noUsage, plus } from './usage.ts'
import type { DelegationView, PendingView, RootView, RunView, ToolView, ViewItem } from './view.ts'

type Told = Exclude<Chunk, { type: `data-${string}` }>

/** The view before the first event. */
export function emptyView(): RootView {
  return { ...newRun('', '', []), pending: [], tasks: [], places: {} }
}

/** The view after an event. Views are plain JSON, and share what has not changed; an event of a kind that is not known changes nothing. */
export function reduceView(view: RootView, chunk: Chunk): RootView {
  const placed = withPending(withPlace(view, chunk), chunk)
  const root = isTaskChunk(chunk) ? withTask(placed, chunk) : placed
  const isRoots = chunk.runId === root.runId
  const calls = isRoots ? [] : root.places[chunk.runId]
  // Of a run that nothing led to: the stream was read from somewhere in its middle.
  if (!calls) return root
  const changed = changeAt(root, calls, (run) => reduceRun(run, chunk)) as RootView
  return isRoots && chunk.type === 'finish' ? changed : withTotal(changed)
}

function newRun(runId: string, agentId: string, path: readonly string[]): RunView {
  return {
    runId,
    agentId,
    path,
    status: 'running',
    step: 0,
    isAgain: false,
    items: [],
    text: '',
    stepUsage: {},
    usage: noUsage(),
    totalUsage: noUsage(),
  }
}

/** Notes where runs hang, so that each of their events finds its place. */
function withPlace(view: RootView, chunk: Chunk): RootView {
  if (chunk.type === 'start' && view.runId === '') return { ...view, runId: chunk.runId }
  if (chunk.type !== 'delegation-start') return view
  const { runId, toolCallId } = (chunk as Extract<Told, { type: 'delegation-start' }>).payload
  const above = chunk.runId === view.runId ? [] : (view.places[chunk.runId] ?? [])
  return { ...view, places: { ...view.places, [runId]: [...above, toolCallId] } }
}

/** Who waits is the root's to tell, wherever the call was made. */
function withPending(view: RootView, chunk: Chunk): RootView {
  const told = chunk as Told
  switch (told.type) {
    case 'start':
      // What still waits is announced again.
      return told.runId === view.runId && view.pending.length > 0 ? { ...view, pending: [] } : view
    case 'tool-call-approval':
    case 'tool-call-suspended': {
      const asked = pendingOf(told)
      const others = view.pending.filter(({ toolCallId }) => toolCallId !== asked.toolCallId)
      const waiting = changeTool(view, asked.path, asked.toolCallId, (tool) => ({ ...tool, state: 'waiting' }))
      return { ...waiting, pending: [...others, asked] }
    }
    // A run that did not stop for it, since a task of it asks, is not begun again.
    case 'tool-result':
    case 'tool-error':
    case 'tool-output-denied':
      return withoutPending(view, told.payload.toolCallId)
    default:
      return view
  }
}

function withoutPending(view: RootView, toolCallId: string): RootView {
  if (!view.pending.some((asked) => asked.toolCallId === toolCallId)) return view
  return { ...view, pending: view.pending.filter((asked) => asked.toolCallId !== toolCallId) }
}

function pendingOf(told: Extract<Told, { type: 'tool-call-approval' | 'tool-call-suspended' }>): PendingView {
  const { toolCallId, toolName, args, expiresAt } = told.payload
  const payload = told.type === 'tool-call-suspended' ? told.payload.suspendPayload : undefined
  return {
    toolCallId,
    toolName,
    args,
    path: told.path,
    kind: told.type === 'tool-call-approval' ? 'approval' : 'suspension',
    ...(payload === undefined ? {} : { payload }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

/** Changes the tool of a call, in the run of a path. */
function changeTool(
  view: RootView,
  path: readonly string[],
  toolCallId: string,
  change: (tool: ToolView) => ToolView,
): RootView {
  const place = Object.values(view.places).find((calls) => {
    const run = runAt(view, calls)
    return run?.path.join('/') === path.join('/') && run.items.some((item) => isTool(item, toolCallId))
  })
  return changeAt(view, place ?? [], (run) => withTool(run, toolCallId, change)) as RootView
}

function runAt(view: RunView, calls: readonly string[]): RunView | undefined {
  let run: RunView | undefined = view
  for (const call of calls) run = run?.items.find((item) => isTool(item, call))?.delegation?.run
  return run
}

/** Changes the run to which calls lead, and what holds it. */
function changeAt(run: RunView, [call, ...rest]: readonly string[], change: (run: RunView) => RunView): RunView {
  if (call === undefined) return change(run)
  return withTool(run, call, (tool) => {
    const { delegation } = tool
    return delegation ? { ...tool, delegation: { ...delegation, run: changeAt(delegation.run, rest, change) } } : tool
  })
}

function isTool(item: ViewItem, toolCallId: string): item is ToolView & { step: number } {
  return item.type === 'tool' && item.toolCallId === toolCallId
}

function withTool(run: RunView, toolCallId: string, change: (tool: ToolView) => ToolView): RunView {
  const index = run.items.findLastIndex((item) => isTool(item, toolCallId))
  const tool = run.items[index]
  if (tool?.type !== 'tool') return run
  return { ...run, items: run.items.with(index, { ...change(tool), step: tool.step }) }
}

/** The totals of runs that go on: a run says its own only when it ends. */
function withTotal(view: RootView): RootView {
  const total = totalOf(view)
  return total.totalTokens === view.totalUsage.totalTokens && total.calls === view.totalUsage.calls
    ? view
    : { ...view, totalUsage: total }
}

function totalOf(run: RunView): RunView['usage'] {
  let total = run.usage
  for (const item of run.items)
    if (item.type === 'tool' && item.delegation) total = plus(total, totalOf(item.delegation.run))
  return total
}

/** A run after an event of its own. */
function reduceRun(run: RunView, chunk: Chunk): RunView {
  if (isTaskChunk(chunk)) return withCall(run, chunk.payload, (tool) => callAfter(tool, chunk))
  if (chunk.type.startsWith('data-')) return withData(run, chunk as Extract<Chunk, { type: `data-${string}` }>)
  const told = chunk as Told
  switch (told.type) {
    case 'start': {
      const { error: _error, finishReason: _reason, ...rest } = run
      return { ...rest, runId: told.runId, agentId: told.payload.id, path: told.path, status: 'running' }
    }
    case 'step-start':
      return beginStep(run, told.payload)
    case 'text-start':
      return withItem(run, { type: 'text', id: told.payload.id, text: '', isDone: false })
    case 'reasoning-start':
      return withItem(run, { type: 'reasoning', id: told.payload.id, text: '', isDone: false })
    case 'text-delta':
      return withText(run, 'text', told.payload)
    case 'reasoning-delta':
      return withText(run, 'reasoning', told.payload)
    case 'text-end':
      return endText(run, 'text', told.payload.id)
    case 'reasoning-end':
      return endText(run, 'reasoning', told.payload.id)
    case 'source':
      return withItem(run, { type: 'source', source: told.payload })
    case 'file':
      return withItem(run, { type: 'file', file: told.payload })
    case 'object':
      return { ...run, object: told.payload.object }
    case 'step-finish':
      return withUsage(run, told.payload.output.usage)
    case 'error':
      return { ...run, error: told.payload.error }
    case 'finish':
      return finished(run, told.payload)
    default:
      return reduceTool(run, told)
  }
}

/**
 * A step can begin again: what a person decided is done in it, or somebody died over it. Then what was told of it stands, unless the model
 * is asked anew.
 */
function beginStep(run: RunView, { iteration, model }: Extract<Told, { type: 'step-start' }>['payload']): RunView {
  const isAgain = run.items.some(({ step }) => step >= iteration)
  return { ...run, model, step: iteration, isAgain }
}

/** An item without the number of its step. */
type NewItem = ViewItem extends infer Item ? (Item extends unknown ? Omit<Item, 'step'> : never) : never

function withItem(run: RunView, item: NewItem): RunView {
  if (run.isAgain && item.type !== 'data') {
    const items = run.items.filter(({ step }) => step < run.step)
    return withItem({ ...run, items, isAgain: false }, item)
  }
  return { ...run, items: [...run.items, { ...item, step: run.step } as ViewItem] }
}

function withText(run: RunView, type: 'text' | 'reasoning', { id, text }: { id: string; text: string }): RunView {
  const index = run.items.findLastIndex((item) => item.type === type && item.id === id && !item.isDone)
  const item = run.items[index]
  if (item?.type !== type) return withText(withItem(run, { type, id, text: '', isDone: false }), type, { id, text })
  const items = run.items.with(index, { ...item, text: item.text + text })
  return type === 'text' ? { ...run, items, text: textOfStep(items, item.step) } : { ...run, items }
}

function textOfStep(items: readonly ViewItem[], step: number): string {
  return items.flatMap((item) => (item.type === 'text' && item.step === step ? [item.text] : [])).join('')
}

function endText(run: RunView, type: 'text' | 'reasoning', id: string): RunView {
  const index = run.items.findLastIndex((item) => item.type === type && item.id === id && !item.isDone)
  const item = run.items[index]
  return item?.type === type ? { ...run, items: run.items.with(index, { ...item, isDone: true }) } : run
}

function withData(run: RunView, { type, payload }: Extract<Chunk, { type: `data-${string}` }>): RunView {
  const { id, data } = payload
  const item: NewItem = { type: 'data', name: type.slice('data-'.length), ...(id === undefined ? {} : { id }), data }
  const index =
    id === undefined
      ? -1
      : run.items.findIndex((each) => each.type === 'data' && each.id === id && each.name === item.name)
  const before = run.items[index]
  return before
    ? { ...run, items: run.items.with(index, { ...item, step: before.step } as ViewItem) }
    : withItem(run, item)
}

/** The usage of the step that has ended; one that is told again is counted once. */
function withUsage(run: RunView, usage: RunView['usage']): RunView {
  const stepUsage = { ...run.stepUsage, [run.step]: usage }
  return { ...run, stepUsage, usage: Object.values(stepUsage).reduce(plus) }
}

function finished(
  run: RunView,
  { stepResult, output, totalUsage }: Extract<Told, { type: 'finish' }>['payload'],
): RunView {
  const { reason } = stepResult
  const ends = { suspended: 'suspended', error: 'failed', aborted: 'aborted' } as const
  const status = Object.hasOwn(ends, reason) ? ends[reason as keyof typeof ends] : 'finished'
  return { ...run, status, finishReason: reason, usage: output.usage, totalUsage }
}

function reduceTool(run: RunView, told: Told): RunView {
  switch (told.type) {
    case 'tool-call-input-streaming-start':
      return withItem(run, newTool(told.payload))
    case 'tool-call-delta':
      return withTool(run, told.payload.toolCallId, (tool) => {
        return { ...tool, argsText: tool.argsText + told.payload.argsTextDelta }
      })
    case 'tool-call': {
      const { args } = told.payload
      return withCall(run, told.payload, (tool) => ({ ...tool, args, state: 'running' }))
    }
    case 'tool-result': {
      const { args, result } = told.payload
      // What goes on in the background has told its model so, and is not done.
      return withCall(run, told.payload, (tool) => {
        return tool.taskId === undefined ? { ...tool, args, result, state: 'done' } : { ...tool, args }
      })
    }
    case 'tool-error': {
      const { args, error } = told.payload
      return withCall(run, told.payload, (tool) => ({ ...tool, args, error, state: 'failed' }))
    }
    case 'tool-output-denied': {
      const { args, reason } = told.payload
      const why = reason === undefined ? {} : { reason }
      return withCall(run, told.payload, (tool) => ({ ...tool, args, ...why, state: 'denied' }))
    }
    case 'tool-output':
      return withCall(run, told.payload, (tool) => ({ ...tool, output: [...tool.output, told.payload.output] }))
    case 'delegation-start': {
      const { toolCallId, key: toolName } = told.payload
      const call = { toolCallId, toolName }
      return withCall(run, call, (tool) => ({ ...tool, state: 'running', delegation: begun(tool, told) }))
    }
    case 'delegation-end':
      return withTool(run, told.payload.toolCallId, ({ delegation, ...tool }) =>
        delegation ? { ...tool, delegation: { ...delegation, status: told.payload.status } } : tool,
      )
    default:
      return run
  }
}

/** Changes the tool of a call, which is new where the stream is read from after it was made. */
function withCall(run: RunView, call: Call, change: (tool: ToolView) => ToolView): RunView {
  const { toolCallId } = call
  const known = run.items.some((item) => isTool(item, toolCallId)) ? run : withItem(run, newTool(call))
  return withTool(known, toolCallId, change)
}

/** What names a call. */
interface Call {
  readonly toolCallId: string
  readonly toolName: string
}

function newTool({ toolCallId, toolName }: Call): ToolView {
  return { type: 'tool', toolCallId, toolName, argsText: '', state: 'asked', output: [] }
}

/** A delegation that begins, or that goes on after it had stopped. */
function begun(
  { delegation }: ToolView,
  { path, payload }: Extract<Told, { type: 'delegation-start' }>,
): DelegationView {
  const { key, prompt, runId, agentId } = payload
  const run = delegation?.run.runId === runId ? delegation.run : newRun(runId, agentId, [...path, key])
  return { key, prompt, run }
}
