import { runIncomplete } from '../approvals/approval-errors.ts'
import { RequestContext, type RequestContextLike } from '../context/request-context.ts'
import { restoredContext } from '../context/saved-context.ts'
import type { RootRun } from '../loop/run.ts'
import type { Application } from '../memory/application.ts'
import { ABORTED } from '../shared/abort.ts'
import type { Approval } from '../storage/approvals.ts'
import type { StoredRun } from '../storage/runs.ts'
import type { AgentParts } from './agent-parts.ts'
import { defaultsOf } from './default-options.ts'
import { keepable } from './keepable.ts'
import type { LiveRun } from './live-runs.ts'
import { openBudget } from './open-budget.ts'
import { buildAborted, notBegun, type OpenedRoot, openInMoney, openRun } from './open-run.ts'
import type { Place } from './resolve-parts.ts'
import { openRootRun } from './root-run.ts'
import { mergeOptions, type RunOptions } from './run-options.ts'
import { codeNames, restoredOptions } from './saved-options.ts'
import type { SavedTree } from './saved-tree.ts'

/** A run that stopped, and what it goes on with. */
export interface Restored {
  readonly tree: SavedTree
  /** Of the call that began it, as far as they can be had again. */
  readonly call: RunOptions
  readonly requestContext: RequestContextLike
  readonly contexts: ReadonlyMap<string, RequestContextLike> | undefined
}

/**
 * What a saved run goes on with. Throws `run-code-missing` or `run-context-missing` for what it began with and does not have here: what
 * guards a run must not vanish.
 */
export function restored(runId: string, tree: SavedTree, live: LiveRun | undefined, given: RunOptions): Restored {
  const call = restoredOptions(tree.options, live?.call, given)
  const there = new Set(codeNames(call))
  const missing = tree.code.filter((name) => !there.has(name))
  if (missing.length > 0) throw runIncomplete('run-code-missing', runId, missing)
  const known = live?.contexts.get(runId)
  const { context, lacking } = known
    ? { context: overlaid(known, given.requestContext), lacking: [] }
    : restoredContext(tree.run.context, given.requestContext)
  if (lacking.length > 0) throw runIncomplete('run-context-missing', runId, lacking)
  return { tree, call, requestContext: context, contexts: live?.contexts }
}

function overlaid(known: RequestContextLike, given: RequestContextLike | undefined): RequestContext {
  const context = new RequestContext()
  for (const each of [known, given])
    for (const [key, value] of each?.entries() ?? [])
      context.set(key, value, { persist: each?.persists?.(key) ?? true })
  return context
}

/** Opens the root of a tree that stopped, under the lease that was taken of it. */
export async function openSaved(
  parts: AgentParts,
  application: Application,
  { tree, call, requestContext, contexts }: Restored,
  taken: { readonly stored: StoredRun; readonly holder: string; readonly standing: readonly Approval[] },
  log: boolean,
): Promise<OpenedRoot> {
  let root: RootRun | undefined
  let close = (): void => root?.close()
  try {
    const { stored, holder, standing } = taken
    const saved = tree.run
    const defaults = await defaultsOf(parts, requestContext)
    const merged = mergeOptions(defaults, { ...call, runId: stored.runId })
    const options = { ...merged, ...remaining(merged, tree.elapsedMs) }
    const { messages } = saved.state
    root = openRootRun(parts.options, options, messages, log || options.onChunk !== undefined, application)
    root.children = tree.children
    root.contexts = contexts
    for (const [id, times] of tree.callIds) root.callIds.set(id, times)
    const budget = await openBudget(parts.options, options, root.runId, undefined)
    if (saved.budget) budget.restore(saved.budget)
    const place: Place = {
      root,
      abort: root.abort,
      close: root.close,
      runId: root.runId,
      path: Object.freeze([parts.options.id]),
      lineage: [parts.self],
      requestContext,
      options,
      budget,
      system: saved.given,
      given: saved.given,
      messages,
      inherited: [],
      thread: saved.thread,
      saved,
    }
    const whole = saved.kept ? await inThread(parts, place) : place
    close = whole.close
    const opened = await root.abort.race(
      Promise.resolve(budget.inMoney ? openInMoney(parts, whole, true) : openRun(parts, whole)),
    )
    const run = opened === ABORTED ? buildAborted(parts, whole) : opened
    const { elapsedMs, durable } = tree
    keepable(
      { parts, application, run, options, call },
      { holder, version: stored.version, standing, elapsedMs, durable },
    )
    if (stored.status !== 'ended') await run.root.keep()
    return { run, callbacks: options }
  } catch (thrown) {
    close()
    throw notBegun(parts.options.id, thrown)
  }
}

async function inThread(parts: AgentParts, place: Place): Promise<Place> {
  const { goOnInThread } = await import('./on-thread.ts')
  return goOnInThread(parts, place, place.options.memory)
}

/** Time that a run waited is not its own: what it had left when it stopped is what it has now. */
function remaining({ timeout }: RunOptions, elapsedMs: number): Pick<RunOptions, 'timeout'> {
  if (timeout?.totalMs === undefined) return {}
  return { timeout: { ...timeout, totalMs: Math.max(1, timeout.totalMs - elapsedMs) } }
}
