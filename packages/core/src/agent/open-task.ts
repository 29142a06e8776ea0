import { standInRoot, toStandIn } from '../background/stand-in.ts'
import { termsOf } from '../background/stored-terms.ts'
import { TaskLog } from '../background/task-log.ts'
import { RetinueError } from '../errors/retinue-error.ts'
import { ApartCallIds } from '../loop/apart-call-ids.ts'
import type { Budget } from '../loop/budget.ts'
import type { RootRun, Run } from '../loop/run.ts'
import { isObject } from '../shared/records.ts'
import type { Approval } from '../storage/approvals.ts'
import type { StoredRun } from '../storage/runs.ts'
import type { StoredTask } from '../storage/tasks.ts'
import { type AgentParts, PARTS } from './agent-parts.ts'
import { defaultsOf } from './default-options.ts'
import { directEffects } from './direct-effects.ts'
import type { HeldLease } from './held-lease.ts'
import { keepable } from './keepable.ts'
import { openBudget } from './open-budget.ts'
import { notBegun, type OpenedRoot, openRun } from './open-run.ts'
import type { Restored } from './open-saved.ts'
import type { Place } from './resolve-parts.ts'
import { openRootRun } from './root-run.ts'
import { mergeOptions, type RunOptions } from './run-options.ts'
import { storageOf } from './storage-of.ts'
import type { Site } from './take-run.ts'
import { taskManagerIn } from './task-manager-in.ts'

/**
 * Opens the tree of a background task where it stopped, under the lease that was taken of it: the run that stands for the one which made
 * the call, under the gates, and with the options, of all the agents above.
 */
export async function openTask(
  { parts, application }: Site,
  task: StoredTask,
  opening: Restored,
  taken: { readonly stored: StoredRun; readonly lease: HeldLease; readonly standing: readonly Approval[] },
): Promise<OpenedRoot> {
  const { tree, call, requestContext, contexts } = opening
  const { ask, inherits } = termsOf(task)
  let base: RootRun | undefined
  try {
    const { stored, lease, standing } = taken
    const { timeout, ...merged } = mergeOptions(await defaultsOf(parts, requestContext), {
      ...call,
      runId: task.taskId,
    })
    // The time of the run that began it is not the task's.
    const { totalMs: _total, ...own } = timeout ?? {}
    const options: RunOptions = { ...merged, timeout: own }
    const tasks = await taskManagerIn(application)
    base = openRootRun(parts.options, options, [], false, application, tasks)
    const log = new TaskLog(undefined, { runId: task.parentRunId, toolCallId: task.toolCallId })
    const storage = storageOf(parts, application)
    const place = { taskId: task.taskId, abort: base.abort, log, storage, tasks, ask }
    const callIds = new ApartCallIds(directEffects.newId())
    const root = standInRoot({ ...base, callIds, decisionId: task.rootRunId }, task.path.length, place)
    root.children = tree.children
    root.contexts = contexts
    root.isResumed = true
    for (const [id, times] of tree.callIds) root.callIds.set(id, times)
    const run = toStandIn(await parentOf(parts, task, opening, root, options))
    const inherited = inherits ? tree.run.calls?.[0]?.delegation?.messages : undefined
    const goOnLater = (): void => void tasks.goOnLater(task.taskId, root)
    const kept = {
      parts,
      application,
      run,
      options,
      call,
      task: { survives: application.storage !== undefined, inherited, goOnLater },
    }
    keepable(kept, { lease, version: stored.version, standing, durable: false, log: tree.log })
    await root.keep()
    return { run, log: undefined, callbacks: {} }
  } catch (thrown) {
    base?.close()
    throw notBegun(parts.options.id, thrown)
  }
}

/** The run that made the call, opened from the root down: each agent on the way has gates, limits and options of its own. */
async function parentOf(
  rootParts: AgentParts,
  task: StoredTask,
  { tree, requestContext }: Restored,
  root: RootRun,
  rootOptions: RunOptions,
): Promise<Run> {
  const saved = tree.run
  let parts = rootParts
  let options = rootOptions
  let budget: Budget | undefined
  let gates: Run['gates'] = []
  const lineage: object[] = []
  for (let depth = 1; ; depth++) {
    const isParent = depth === task.path.length
    const runId = isParent ? task.parentRunId : depth === 1 ? task.rootRunId : `${task.taskId}@${depth}`
    budget = await openBudget(parts.options, options, runId, budget)
    if (isParent && saved.budget) budget.restore(saved.budget)
    lineage.push(parts.self)
    const place: Place = {
      root,
      abort: root.abort,
      close: () => {},
      runId,
      path: Object.freeze(task.path.slice(0, depth)),
      lineage: [...lineage],
      requestContext,
      options,
      budget,
      system: [],
      given: [],
      messages: isParent ? saved.state.messages : [],
      inherited: [],
      thread: saved.thread,
      gates,
      saved: isParent ? saved : undefined,
    }
    const run = await openRun(parts, place)
    if (isParent) return run
    gates = run.gates
    parts = await partsBelow(parts, task.path[depth] as string, requestContext, task)
    options = mergeOptions(await defaultsOf(parts, requestContext), undefined)
  }
}

async function partsBelow(
  { options }: AgentParts,
  key: string,
  requestContext: Restored['requestContext'],
  { taskId }: StoredTask,
): Promise<AgentParts> {
  const { agents } = options
  const all = typeof agents === 'function' ? await agents({ requestContext }) : agents
  const found: unknown = all && Object.hasOwn(all, key) ? all[key] : undefined
  const parts = isObject(found) ? (found as { [PARTS]?: AgentParts })[PARTS] : undefined
  if (parts) return parts
  throw new RetinueError({
    code: 'agent-unknown',
    message: `The background task "${taskId}" can't go on: the agent "${options.id}" has no subagent "${key}" any more.`,
    hint: 'Go on with it in the version that began it, or cancel it.',
    data: { taskId, key },
  })
}
