import type { RequestContextLike } from '../context/request-context.ts'
import type { Run } from '../loop/run.ts'
import type { Storage } from '../storage/storage.ts'
import type { RunOptions } from './run-options.ts'

/** What a process knows of a run that it works on, or that has stopped in it. */
export interface LiveRun {
  /** The root agent's id. */
  readonly agentId: string
  /** Settles when the run has stopped or ended; undefined if it has. */
  working: Promise<void> | undefined
  /** Ends the run, while it works. */
  abort: (reason: unknown) => void
  /** The options of its call, with the code that no store can keep. */
  readonly call: RunOptions
  /** Names what was written when it stopped: `contexts` are of that, and of nothing that another process wrote since. */
  saveId: string
  /** The request contexts of the tree, by run id. */
  contexts: ReadonlyMap<string, RequestContextLike>
  /** Stops the clock of its approvals. */
  stopClock: (() => void) | undefined
}

/** By run id. On the storage itself: every copy of this package finds it. */
const LIVE_RUNS: unique symbol = Symbol.for('retinue.live-runs')

export function liveRuns(storage: Storage): Map<string, LiveRun> {
  const holder = storage as Storage & { [LIVE_RUNS]?: Map<string, LiveRun> }
  const known = holder[LIVE_RUNS]
  if (known) return known
  const made = new Map<string, LiveRun>()
  Object.defineProperty(holder, LIVE_RUNS, { value: made })
  return made
}

/** How many runs that have stopped a process knows more of than is stored. */
const MOST_STOPPED = 1_000

/** Runs that stopped here may go on and end elsewhere, and nobody says so: the oldest are let go. */
export function forgetOldest(storage: Storage): void {
  const live = liveRuns(storage)
  let stopped = live.size - MOST_STOPPED
  for (const [runId, { working, stopClock }] of live) {
    if (stopped <= 0) return
    if (working || stopClock) continue
    live.delete(runId)
    stopped -= 1
  }
}

/** The request contexts of a tree that stops. */
export function contextsOf(run: Run): Map<string, RequestContextLike> {
  const contexts = new Map<string, RequestContextLike>()
  const add = ({ state, requestContext, calls }: Run): void => {
    contexts.set(state.runId, requestContext)
    for (const { delegation } of calls ?? []) {
      if (!delegation) continue
      contexts.set(delegation.runId, delegation.requestContext)
      if (delegation.child) add(delegation.child)
    }
  }
  add(run)
  return contexts
}
