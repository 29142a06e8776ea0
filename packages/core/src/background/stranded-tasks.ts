import { errorInfo, isRetinueError } from '../errors/retinue-error.ts'
import { noUsage } from '../events/usage.ts'
import type { PendingCall } from '../loop/pending-call.ts'
import type { RootRun, Run } from '../loop/run.ts'
import { type Application, warnIn } from '../memory/application.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import type { StoredTask, TaskFacts } from '../storage/tasks.ts'
import { failedWith, type OpenTask } from '../tools/outcome.ts'
import { OPEN } from './open-states.ts'
import { notResumed, taskLost } from './task-errors.ts'
import type { TaskManager } from './task-manager.ts'
import { packEnd } from './task-outcome.ts'

/** How long a task that was written down may be about to be begun, in milliseconds. */
const NEW_MS = 10_000

/** Somebody else was faster. */
const GONE_ON = ['run-busy', 'run-not-found', 'task-not-found'] as const

/** How many tasks are taken over at the same time. */
const AT_ONCE = 10

/** Finds tasks that nobody works on, and goes on with them. */
export class StrandedTasks {
  readonly #manager: TaskManager
  readonly #application: Application
  /** Tasks that this process is about to work on. */
  readonly #opening = new Set<string>()

  constructor(manager: TaskManager, application: Application) {
    this.#manager = manager
    this.#application = application
  }

  /** This process is about to work on a task; the returned function says that it does, or does not after all. */
  opening(taskId: string): () => void {
    this.#opening.add(taskId)
    return () => void this.#opening.delete(taskId)
  }

  /** The task that a run began for a call before it died, and before it could write that down. */
  async begunBefore(run: Run, { toolCallId }: PendingCall): Promise<TaskFacts | undefined> {
    let cursor: string | undefined
    do {
      const query = { parentRunId: run.state.runId, ...(cursor === undefined ? {} : { cursor }) }
      const page = await this.#manager.site.storage.tasks.list(query)
      const found = page.items.find((task) => task.toolCallId === toolCallId && task.deliveredAt === undefined)
      if (found && (await this.#neverBegan(found))) return undefined
      if (found) {
        await this.#followed(found.taskId, run)
        return found
      }
      cursor = page.next
    } while (cursor !== undefined)
    return undefined
  }

  /** Whether its run died before the tree of a task could be written: nothing of it was done, and nobody else can begin it. */
  async #neverBegan({ taskId, status }: TaskFacts): Promise<boolean> {
    const { site } = this.#manager
    if (status !== 'pending' || this.#manager.live(taskId) || (await site.isStored(taskId))) return false
    await site.storage.tasks.remove(taskId)
    return true
  }

  /**
   * A run has taken over tasks of its thread, or goes on: it is told from now on what happens in them, and what nobody works on goes on.
   */
  async attach(run: Run): Promise<void> {
    const tasks = run.state.tasks ?? []
    await forEachLimited(tasks.length, AT_ONCE, async (index) => {
      await this.#followed((tasks[index] as OpenTask).taskId, run)
    })
  }

  async #followed(taskId: string, { root }: Run): Promise<void> {
    const live = this.#manager.live(taskId)
    if (live) live.log.moveTo(root.log)
    else {
      await this.takeOver(taskId, root)
      await this.#decided(taskId, root)
    }
  }

  /** Goes on with a task that waits, and that nobody is asked about any more: whoever decided died before it could go on. */
  async #decided(taskId: string, root: RootRun): Promise<void> {
    if (this.#manager.live(taskId) || this.#opening.has(taskId)) return
    const { approvals } = this.#manager.site.storage
    if ((await approvals.list({ runId: taskId, status: 'pending', limit: 1 })).items.length > 0) return
    await this.goOnLater(taskId, root)
    this.#manager.live(taskId)?.log.moveTo(root.log)
  }

  /**
   * Goes on with a task that somebody died over; one that somebody works on, or that waits for a person or has ended, is left alone. What
   * can't be gone on with has failed, and is told as such.
   */
  async takeOver(taskId: string, by: RootRun): Promise<void> {
    if (this.#manager.live(taskId) || this.#opening.has(taskId)) return
    this.#opening.add(taskId)
    try {
      const stored = await this.#manager.site.storage.tasks.get(taskId)
      if (stored.status !== 'pending' && stored.status !== 'running') return
      await this.#reopened(stored, by)
    } catch (thrown) {
      if (!isRetinueError(thrown, 'task-not-found')) throw thrown
    } finally {
      this.#opening.delete(taskId)
    }
  }

  async #reopened(stored: StoredTask, by: RootRun): Promise<void> {
    const { taskId, createdAt } = stored
    try {
      this.#manager.goOn(stored, await this.#manager.site.reopen(stored, by), by)
    } catch (thrown) {
      if (isRetinueError(thrown, 'run-busy')) return
      // What another agent's turn can't go on with, its own can.
      if (isRetinueError(thrown, 'run-code-missing') && by.agentId !== stored.agentId) return
      // It may be about to be written down for the first time.
      if (isRetinueError(thrown, 'run-not-found') && Date.now() - createdAt < NEW_MS) return
      await this.lost(taskId, thrown, by)
    }
  }

  /** Nobody works on a task any more, and nobody can. */
  async lost(taskId: string, thrown: unknown, by: RootRun | undefined): Promise<void> {
    const error = taskLost(taskId, thrown)
    const { code, message } = error
    const outcome = packEnd({ outcome: failedWith(error), usage: noUsage() })
    const change = { taskId, from: OPEN, to: 'failed', outcome, error: { code, message }, at: Date.now() } as const
    const stored = await this.#manager.site.storage.tasks.change(change)
    if (stored) {
      const { parentRunId: runId, path, toolCallId, toolName } = stored
      const payload = { taskId, toolCallId, toolName, error: errorInfo(error) }
      by?.log?.push({ type: 'background-task-failed', runId, from: 'AGENT', path, payload })
    }
    await this.#manager.site.forget(taskId).catch(() => {})
    this.#manager.signals.publish(taskId)
    if (stored) await this.#manager.site.wake(stored)
  }

  async #isLost(taskId: string, thrown: unknown, by: RootRun | undefined): Promise<boolean> {
    return await this.lost(taskId, thrown, by).then(
      () => true,
      () => false,
    )
  }

  /** Goes on with a task that waited, such as one of which a call was not decided in time. */
  async goOnLater(taskId: string, by: RootRun | undefined): Promise<void> {
    try {
      const stored = await this.#manager.site.storage.tasks.get(taskId)
      if (stored.status === 'suspended')
        this.#manager.goOn(stored, await this.#manager.site.reopen(stored, by), undefined)
    } catch (thrown) {
      if (GONE_ON.some((code) => isRetinueError(thrown, code))) return
      // What is damaged never goes on, and would be waited for without an end.
      if (isRetinueError(thrown, 'storage-row-unreadable') && (await this.#isLost(taskId, thrown, by))) return
      warnIn(this.#application, 'run-not-resumed', notResumed(taskId, thrown))
    }
  }
}
