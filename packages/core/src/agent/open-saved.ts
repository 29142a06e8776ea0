import { runIncomplete } from '../approvals/approval-errors.ts'
import type { RequestContextLike } from '../context/request-context.ts'
import { overlaid, restoredContext } from '../context/saved-context.ts'
import { ApartCallIds } from '../loop/apart-call-ids.ts'
import type { SavedRun } from '../loop/saved-run.ts'
import type { Application } from '../memory/application.ts'
import { ABORTED } from '../shared/abort.ts'
import type { Approval } from '../storage/approvals.ts'
import type { StoredRun } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import type { AgentParts } from './agent-parts.ts'
import { defaultsOf } from './default-options.ts'
import { directEffects } from './direct-effects.ts'
import type { HeldLease } from './held-lease.ts'
import { keepable } from './keepable.ts'
import type { LiveRun } from './live-runs.ts'
import { openBudget } from './open-budget.ts'
import { buildAborted, notBegun, type OpenedRoot, openInMoney, openRun } from './open-run.ts'
import type { Place } from './resolve-parts.ts'
import { type OpenedRootRun, openRootRun, remaining } from './root-run.ts'
import { mergeOptions, type RunOptions } from './run-options.ts'
import { codeNames, restoredOptions } from './saved-options.ts'
import type { SavedTree } from './saved-tree.ts'
import { storageOf } from './storage-of.ts'
import { taskManagerIn } from './task-manager-in.ts'

/** A run that stopped, and what it goes on with. */
export interface Restored {
  readonly tree: SavedTree
  /** Of the call that began it, as far as they can be had again. */
  readonly call: RunOptions
  readonly requestContext: RequestContextLike
  /** Of the runs below, where this process has them. */
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
  const { requestContext: fresh } = given
  // What another process wrote since is not what this one knew.
  const known = live?.saveId === tree.saveId ? live.contexts : undefined
  const root = known?.get(tree.run.state.runId)
  if (known && root) {
    const contexts = new Map([...known].map(([id, context]) => [id, refreshed(context, root, fresh)]))
    return { tree, call, requestContext: overlaid(root, fresh), contexts }
  }
  const { context, lacking } = restoredContext(tree.context, fresh)
  const own = unsavedBelow(tree.run, [])
  if (lacking.length + own.length > 0) throw runIncomplete('run-context-missing', runId, [...lacking, ...own])
  return { tree, call, requestContext: context, contexts: undefined }
}

/** A context of a run below with what is given now, where it had the root's value; what is its own stays its own. */
function refreshed(
  context: RequestContextLike,
  root: RequestContextLike,
  fresh: RequestContextLike | undefined,
): RequestContextLike {
  const copy = overlaid(context, undefined)
  for (const [key, value] of fresh?.entries() ?? [])
    if (context.get(key) === root.get(key)) copy.set(key, value, { persist: fresh?.persists?.(key) ?? true })
  return copy
}

/** The values that a child alone had and that were not saved, by path and key: nobody can give them again. */
function unsavedBelow({ calls }: SavedRun, path: readonly string[]): string[] {
  return (calls ?? []).flatMap(({ delegation }) => {
    if (!delegation) return []
    const place = [...path, delegation.facts.key]
    const own = delegation.context.own.map((key) => `${place.join('/')}: ${key}`)
    return [...own, ...(delegation.child ? unsavedBelow(delegation.child, place) : [])]
  })
}

/** Opens the root of a tree that stopped, under the lease that was taken of it. */
export async function openSaved(
  parts: AgentParts,
  application: Application,
  { tree, call, requestContext, contexts }: Restored,
  taken: { readonly stored: StoredRun; readonly lease: HeldLease; readonly standing: readonly Approval[] },
  log: boolean,
): Promise<OpenedRoot> {
  let root: OpenedRootRun | undefined
  let close = (): void => root?.close()
  try {
    const { stored, lease, standing } = taken
    const saved = tree.run
    const defaults = await defaultsOf(parts, requestContext)
    const merged = mergeOptions(defaults, { ...call, runId: stored.runId })
    const options = { ...merged, ...remaining(merged, saved.elapsedMs) }
    const { messages } = saved.state
    const tasks = application.background?.options.enabled ? await taskManagerIn(application) : undefined
    root = openRootRun(parts.options, options, messages, log || options.onChunk !== undefined, application, tasks)
    root.children = tree.children
    root.contexts = contexts
    root.isResumed = true
    await restoreIds(root, tree, tasks && storageOf(parts, application))
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
    const { durable } = tree
    keepable(
      { parts, application, run, options, call },
      { lease, version: stored.version, standing, durable, log: tree.log },
    )
    if (stored.status !== 'ended') await run.root.keep()
    if (tasks && run.state.tasks && stored.status !== 'ended') await tasks.attach(run)
    return { run, log: root.log, callbacks: options }
  } catch (thrown) {
    close()
    throw notBegun(parts.options.id, thrown)
  }
}

/** The ids that are taken; where calls of a run go on apart from it, also those that it can't know. `storage`: where these are kept. */
async function restoreIds(root: OpenedRootRun, { callIds }: SavedTree, storage: Storage | undefined): Promise<void> {
  const { runId: rootRunId } = root
  const known = [...root.callIds, ...callIds]
  const isApart = storage && (await storage.tasks.list({ rootRunId, limit: 1 })).items.length > 0
  if (isApart) root.callIds = new ApartCallIds(directEffects.newId())
  for (const [id, times] of known) root.callIds.set(id, times)
}

async function inThread(parts: AgentParts, place: Place): Promise<Place> {
  const { goOnInThread } = await import('./on-thread.ts')
  return goOnInThread(parts, place, place.options.memory)
}
