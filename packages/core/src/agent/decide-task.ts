import type { LiveTask } from '../background/live-task.ts'
import type { TaskManager } from '../background/task-manager.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { StoredTask } from '../storage/tasks.ts'
import { openDecided, type Verdict } from './decide-run.ts'
import { streamed } from './drive-run.ts'
import type { DecisionOptions, ResumeOptions } from './resume-options.ts'
import type { RunStream } from './run-stream.ts'
import { storageOf } from './storage-of.ts'
import type { Site } from './take-run.ts'
import { taskManagerIn } from './task-manager-in.ts'
import { taskOfDecision } from './task-of-decision.ts'
import { taskStream } from './task-stream.ts'

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
  const stream = taskStream(live)
  const {
    toolCallId: _call,
    reason: _reason,
    args: _args,
    decidedBy: _by,
    ...rest
  } = options as unknown as Record<string, unknown>
  const waiting = await resumedParent(site, task, { ...rest, runId: task.rootRunId } as ResumeOptions)
  return waiting ?? stream
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

/** The run that began the task, if it waits for its tasks where nobody works on it. */
async function resumedParent(
  site: Site,
  { rootRunId }: StoredTask,
  options: ResumeOptions,
): Promise<RunStream | undefined> {
  const storage = storageOf(site.parts, site.application)
  try {
    const { status, lease } = await storage.runs.get(rootRunId)
    if (status !== 'suspended' || lease) return undefined
    return streamed(await openDecided(site, undefined, options, true, false))
  } catch (thrown) {
    // It has ended, or somebody else was faster: whoever it is hears of the task.
    if (isRetinueError(thrown, 'run-not-found') || isRetinueError(thrown, 'run-busy')) return undefined
    throw thrown
  }
}
