import { RetinueError } from '../errors/retinue-error.ts'
import { EventLog } from '../events/event-log.ts'
import type { RootRun } from '../loop/run.ts'
import type { RunTasks } from '../loop/run-tasks.ts'
import type { Application } from '../memory/application.ts'
import type { Message } from '../messages/message.ts'
import { AbortScope } from '../shared/abort.ts'
import type { AgentOptions } from './agent-config.ts'
import { directEffects } from './direct-effects.ts'
import { keepRoot } from './keepable.ts'
import type { RunOptions } from './run-options.ts'

const DEFAULT_MAX_DEPTH = 5

/** The root of a tree whose events somebody may read. */
export interface OpenedRootRun extends RootRun {
  readonly log: EventLog | undefined
}

/** What all runs of a new tree share. `log`: whether somebody may read its events. */
export function openRootRun(
  agent: AgentOptions,
  options: RunOptions,
  messages: readonly Message[],
  log: boolean,
  application: Application,
  tasks: RunTasks | undefined,
): OpenedRootRun {
  const abort = new AbortScope(options.abortSignal)
  const stop = startDeadline(abort, options.timeout?.totalMs)
  const runId = options.runId ?? directEffects.newId()
  const root: OpenedRootRun = {
    runId,
    agentId: agent.id,
    decisionId: runId,
    abort,
    log: log ? new EventLog() : undefined,
    effects: directEffects,
    callIds: idsOf(messages),
    scoring: undefined,
    onScore: options.onScore,
    children: 0,
    begun: new Set(),
    maxDepth: agent.maxDepth ?? DEFAULT_MAX_DEPTH,
    allowCycles: options.allowCycles ?? false,
    chooseModel: options.resolveModel,
    urls: false,
    owner: ownerOf(options),
    tasks,
    untilIdle: options.untilIdle ?? false,
    task: undefined,
    linked: 0,
    isClosed: false,
    isResumed: false,
    application,
    providers: options.providers,
    contexts: undefined,
    keeper: undefined,
    keeping: undefined,
    keep: keepRoot,
    close: () => {
      root.isClosed = true
      stop?.()
      // What goes on in the background is called off with it all the same.
      if (root.linked === 0) abort.dispose()
    },
  }
  return root
}

function ownerOf({ memory, owner }: RunOptions): RootRun['owner'] {
  if (!memory) return owner === undefined ? undefined : { resourceId: owner }
  const { thread, resource } = memory
  return { threadId: typeof thread === 'string' ? thread : thread.id, resourceId: resource }
}

/** The time that a run has left which worked before it stopped: time that it waited is not its own. */
export function remaining({ timeout }: RunOptions, elapsedMs: number): Pick<RunOptions, 'timeout'> {
  if (timeout?.totalMs === undefined) return {}
  return { timeout: { ...timeout, totalMs: Math.max(1, timeout.totalMs - elapsedMs) } }
}

/** What ends a child: what ends its parent's step, and its own signal and clock where its defaults have one. */
export interface ChildScope {
  readonly abort: AbortScope
  /** Lets go of the child's own signal and clock. */
  close(): void
}

export function openChildScope(outer: AbortScope, options: RunOptions): ChildScope {
  const { abortSignal, timeout } = options
  if (!abortSignal && timeout?.totalMs === undefined) return { abort: outer, close: () => {} }
  const abort = AbortScope.within(outer)
  const own = new AbortScope(abortSignal)
  own.onAbort(() => abort.abort(own.signal.reason))
  const stop = startDeadline(abort, timeout?.totalMs)
  return {
    abort,
    close: () => {
      stop?.()
      own.dispose()
      abort.dispose()
    },
  }
}

function startDeadline(abort: AbortScope, totalMs: number | undefined): (() => void) | undefined {
  return totalMs === undefined ? undefined : directEffects.startTimer(totalMs, () => abort.abort(tooLong(totalMs)))
}

function tooLong(totalMs: number): RetinueError {
  return new RetinueError({
    code: 'run-timed-out',
    message: `The run took longer than ${totalMs} ms.`,
    hint: 'Allow more time in the option `timeout`, or ask for less at once.',
  })
}

/** The call ids that an input brings along: no later call may have one of them. */
function idsOf(messages: readonly Message[]): Map<string, number> {
  const ids = new Map<string, number>()
  noteCallIds(ids, messages)
  return ids
}

/** Takes note of the call ids that messages bring along. */
export function noteCallIds(ids: Map<string, number>, messages: readonly Message[]): void {
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const part of message.content) if (part.type === 'tool-call') ids.set(part.toolCallId, 1)
  }
}
