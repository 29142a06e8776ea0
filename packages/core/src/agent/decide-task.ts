import type { LiveTask } from '../background/live-task.ts'
import type { TaskManager } from '../background/task-manager.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { StoredTask } from '../storage/tasks.ts'
import { openDecided, type Verdict } from './decide-run.ts'
import { streamed } from './drive-run.ts'
import type { ApproveOptions, DecisionOptions, DeclineOptions, ResumeOptions } from './resume-options.ts'
import type { RunStream } from './run-stream.ts'
import { storageOf } from './storage-of.ts'
import type { Site } from './take-run.ts'
import { taskManagerIn } from './task-manager-in.ts'
import { taskAt, taskOfDecision } from './task-of-decision.ts'
import { taskStream } from './task-stream.ts'
import { waitingFor } from './wake-waiting.ts'

/**
 * Takes a decision on a call of a background task, and lets the task go on. The stream is that of the run that waits for it, where it waits
 * stored; else of the task. Undefined: the decision is not about a task.
 */
export async function decideTask(
  site: Site,
  verdict: Verdict | undefined,
  options: DecisionOptions,
): Promise<RunStream | undefined> {
  const { application } = site
  if (!application.background || typeof options?.runId !== 'string') return undefined
  const manager = await taskManagerIn(application)
  const task = await taskOfDecision(site, manager, options, verdict !== undefined)
  if (!task) return undefined
  const live = await openedTask(site, manager, task, verdict, options)
  const own = taskStream(live)
  const given: ApproveOptions & DeclineOptions = options
  const { toolCallId: _call, decidedBy: _by, args: _args, reason: _reason, ...rest } = given
  const waiting = await wokenRun(site, manager, task, rest)
  return waiting ?? own
}

/**
 * Lets go on what waits for a task where nobody works on it: tasks above it, and at the top a run, whose stream it is. Undefined if there
 * is none: it has ended, or is at work and hears of the task.
 */
async function wokenRun(
  site: Site,
  manager: TaskManager,
  task: StoredTask,
  options: ResumeOptions,
): Promise<RunStream | undefined> {
  const storage = storageOf(site.parts, site.application)
  const waiting = await waitingFor(storage, task)
  // The run that was named comes first.
  const ids = waiting.map(({ runId }) => runId).toSorted((one, other) => rank(one, options) - rank(other, options))
  let stream: RunStream | undefined
  for (const runId of ids) {
    try {
      const above = await taskAt(storage, runId)
      if (above) {
        await openedTask(site, manager, above, undefined, { ...options, runId }, false)
        stream ??= await wokenRun(site, manager, above, options)
      } else stream ??= streamed(await openDecided(site, undefined, { ...options, runId }, true, false))
    } catch (thrown) {
      // It has ended, or somebody else was faster: whoever it is hears of the task.
      if (!isRetinueError(thrown, 'run-not-found') && !isRetinueError(thrown, 'run-busy')) throw thrown
    }
  }
  return stream
}

function rank(runId: string, named: ResumeOptions): number {
  return runId === named.runId ? 0 : 1
}

/** Opens a task that is to go on, under its lease, and has it worked on. */
export async function openedTask(
  site: Site,
  manager: TaskManager,
  task: StoredTask,
  verdict: Verdict | undefined,
  options: DecisionOptions,
  waits = true,
): Promise<LiveTask> {
  const given = { ...options, runId: task.taskId }
  const { run } = await openDecided({ ...site, task }, verdict, given, false, waits)
  // What was written of it while somebody else worked on it counts.
  return manager.goOn(await storageOf(site.parts, site.application).tasks.get(task.taskId), run, undefined)
}
