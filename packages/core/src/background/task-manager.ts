import { isRetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import { noUsage } from '../events/usage.ts'
import type { PendingCall } from '../loop/pending-call.ts'
import { resumedTurn } from '../loop/resumed-turn.ts'
import { emit, type RootRun, type Run } from '../loop/run.ts'
import type { Admission, AfterAnswer, RunTasks, TaskTerms, ThreadRequest, ThreadTasks } from '../loop/run-tasks.ts'
import { type Application, type BackgroundTaskOptions, warnIn } from '../memory/application.ts'
import { AbortScope } from '../shared/abort.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import type { EndedTaskStatus, StoredTask, TaskFacts } from '../storage/tasks.ts'
import { failed, failedWith, type OpenTask, type Outcome } from '../tools/outcome.ts'
import { InheritedLists } from './inherited.ts'
import { callOf, type LiveTask, referenceTo, type StoredTerms } from './live-task.ts'
import { newTask, placeholder } from './new-task.ts'
import { OPEN } from './open-states.ts'
import { LocalSignals, type TaskSignals } from './signals.ts'
import { Slots } from './slots.ts'
import { standIn } from './stand-in.ts'
import { notResumed, taskBroken, taskLost } from './task-errors.ts'
import { TaskLog } from './task-log.ts'
import { endedStatus, errorIn, packEnd } from './task-outcome.ts'
import type { TaskSite } from './task-site.ts'
import { TaskWaiter } from './task-waiter.ts'
import { callOff, type Workplace, work } from './work.ts'

const DEFAULT_LIMITS = { globalConcurrency: 10, perAgentConcurrency: 5, onLimit: 'queue' } as const

/** How long a task that was written down may be about to be begun, in milliseconds. */
const NEW_MS = 10_000

/** How many tasks are taken over at the same time. */
const AT_ONCE = 10

/** The background tasks of an application that this process works on. */
export class TaskManager implements RunTasks, Workplace {
  readonly site: TaskSite
  readonly signals: TaskSignals
  readonly #application: Application
  readonly #onLimit: NonNullable<BackgroundTaskOptions['onLimit']>
  readonly #slots: Slots
  readonly #lists: InheritedLists
  readonly #live = new Map<string, LiveTask>()
  /** Tasks that are about to be worked on. */
  readonly #opening = new Set<string>()
  readonly #waiter: TaskWaiter

  constructor(application: Application, options: BackgroundTaskOptions, site: TaskSite, signals?: TaskSignals) {
    const { globalConcurrency, perAgentConcurrency, onLimit } = { ...DEFAULT_LIMITS, ...options }
    this.site = site
    this.signals = signals ?? new LocalSignals()
    this.#application = application
    this.#onLimit = onLimit
    this.#slots = new Slots({ global: globalConcurrency, perAgent: perAgentConcurrency })
    this.#waiter = new TaskWaiter(this)
    this.#lists = new InheritedLists(site.storage)
  }

  /** The task, while this process works on it. */
  live(taskId: string): LiveTask | undefined {
    return this.#live.get(taskId)
  }

  /** Waits until nothing is worked on any more. */
  async settled(): Promise<void> {
    while (this.#live.size > 0) await Promise.all([...this.#live.values()].map(({ left }) => left))
  }

  admit(run: Run, call: PendingCall): Admission | Promise<Admission> {
    if (run.root.isResumed) return this.#begunBefore(run, call)
    return this.#admitted(run, call)
  }

  /** A run that died after it began a task, and before it could write that down, does not begin it again. */
  async #begunBefore(run: Run, call: PendingCall): Promise<Admission> {
    const { toolCallId } = call
    let cursor: string | undefined
    do {
      const query = { parentRunId: run.state.runId, ...(cursor === undefined ? {} : { cursor }) }
      const page = await this.site.storage.tasks.list(query)
      const found = page.items.find((task) => task.toolCallId === toolCallId && task.deliveredAt === undefined)
      if (found) {
        if (await this.#neverBegan(found)) break
        await this.#followed(found.taskId, run)
        return { type: 'end', outcome: placeholder(found) }
      }
      cursor = page.next
    } while (cursor !== undefined)
    return this.#admitted(run, call)
  }

  /** Whether its run died before the tree of a task could be written: nothing of it was done, and nobody else can begin it. */
  async #neverBegan({ taskId, status }: TaskFacts): Promise<boolean> {
    if (status !== 'pending' || this.#live.has(taskId) || (await this.site.isStored(taskId))) return false
    await this.site.storage.tasks.remove(taskId)
    return true
  }

  #admitted(run: Run, call: PendingCall): Admission {
    const worker = workerOf(run, call)
    const release = this.#slots.tryTake(worker)
    if (release || this.#onLimit === 'queue') return { type: 'background', release }
    if (this.#onLimit === 'run') return { type: 'foreground' }
    return { type: 'end', outcome: atLimit(call.toolName) }
  }

  async start(run: Run, call: PendingCall, terms: TaskTerms, release: (() => void) | undefined): Promise<Outcome> {
    const taskId = run.root.effects.newId()
    this.#opening.add(taskId)
    const { storage } = this.site
    const scope = terms.detached ? new AbortScope() : AbortScope.within(run.abort)
    const log = new TaskLog(run.root.log, { runId: run.state.runId, toolCallId: call.toolCallId })
    let stored = storedTermsOf(terms, workerOf(run, call))
    try {
      const { delegation } = call
      const inherits = this.site.survives && delegation ? await this.#lists.share(run, delegation) : undefined
      if (inherits) stored = { ...stored, inherits }
      await storage.tasks.create(newTask(taskId, run, call, stored))
      const tree = standIn(run, call, { taskId, abort: scope, log, storage, tasks: this, ask: terms.ask })
      this.site.keepable(tree.run, run.root, inherits && delegation?.messages)
      if (this.site.survives) await tree.run.root.keep()
      const unlinked = link(terms.detached ? undefined : run.root, scope)
      const unlink = (ended: boolean): void => {
        unlinked()
        if (ended && inherits) this.#lists.left(run).catch(() => {})
      }
      this.#enroll({ taskId, terms: stored, ...tree, log, attempts: 0, unlink }, release)
    } catch (thrown) {
      release?.()
      scope.dispose()
      throw thrown
    } finally {
      this.#opening.delete(taskId)
    }
    const reference = { taskId, toolCallId: call.toolCallId, toolName: call.toolName }
    emit(run, 'background-task-started', reference)
    return placeholder(reference)
  }

  /** Goes on with a task whose tree was opened again. */
  goOn({ taskId, attempts, terms }: StoredTask, run: Run, by: RootRun | undefined): LiveTask {
    const turn = resumedTurn(run, run.resumed ?? [])
    run.calls = turn.calls
    run.resumed = undefined
    const log = run.root.log as TaskLog
    log.moveTo(by?.log)
    const unlink = (ended: boolean): void => {
      run.close()
      if (ended) this.#unshare(run, terms as unknown as StoredTerms).catch(() => {})
    }
    return this.#enroll({ taskId, terms: terms as unknown as StoredTerms, run, turn, log, attempts, unlink })
  }

  /** A run has taken over tasks of its thread, or goes on: it is told from now on what happens in them, and what nobody works on goes on. */
  async attach(run: Run): Promise<void> {
    const tasks = run.state.tasks ?? []
    await forEachLimited(tasks.length, AT_ONCE, async (index) => {
      await this.#followed((tasks[index] as OpenTask).taskId, run)
    })
  }

  async #followed(taskId: string, { root }: Run): Promise<void> {
    const live = this.#live.get(taskId)
    if (live) live.log.moveTo(root.log)
    else await this.takeOver(taskId, root)
  }

  /**
   * Goes on with a task that somebody died over; one that somebody works on, or that waits for a person or has ended, is left alone. What
   * can't be gone on with has failed, and is told as such.
   */
  async takeOver(taskId: string, by: RootRun): Promise<void> {
    if (this.#live.has(taskId) || this.#opening.has(taskId)) return
    this.#opening.add(taskId)
    try {
      const stored = await this.site.storage.tasks.get(taskId)
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
      this.goOn(stored, await this.site.reopen(stored, by), by)
    } catch (thrown) {
      if (isRetinueError(thrown, 'run-busy')) return
      // It may be about to be written down for the first time.
      if (isRetinueError(thrown, 'run-not-found') && this.#now() - createdAt < NEW_MS) return
      await this.lost(taskId, thrown)
    }
  }

  /** Nobody works on a task any more, and nobody can. */
  async lost(taskId: string, thrown: unknown): Promise<void> {
    const error = taskLost(taskId, thrown)
    const { code, message } = error
    const outcome = packEnd({ outcome: failedWith(error), usage: noUsage() })
    const change = { taskId, from: OPEN, to: 'failed', outcome, error: { code, message }, at: this.#now() } as const
    await this.site.storage.tasks.change(change)
    await this.site.forget(taskId).catch(() => {})
    this.signals.publish(taskId)
  }

  /** Goes on with a task that asked, and now has its answer. Rejects if somebody else was faster. */
  async answered(taskId: string, by: RootRun, toolCallId: string, answer: string): Promise<void> {
    const stored = await this.site.storage.tasks.get(taskId)
    this.goOn(stored, await this.site.answer(stored, by, toolCallId, answer), by)
    this.signals.publish(taskId)
  }

  /** Goes on with a task that waited, such as one of which a call was not decided in time. */
  async goOnLater(taskId: string, by: RootRun): Promise<void> {
    try {
      const stored = await this.site.storage.tasks.get(taskId)
      if (stored.status === 'suspended') this.goOn(stored, await this.site.reopen(stored, by), undefined)
    } catch (thrown) {
      if (isRetinueError(thrown, 'run-busy') || isRetinueError(thrown, 'run-not-found')) return
      warnIn(this.#application, 'run-not-resumed', notResumed(taskId, thrown))
    }
  }

  ofThread(request: ThreadRequest): Promise<ThreadTasks> {
    return this.#waiter.ofThread(request)
  }

  answer(run: Run, taskId: string, answer: string): Promise<Outcome> {
    return this.#waiter.answer(run, taskId, answer)
  }

  stopped(run: Run): void {
    this.#waiter
      .stopped(run)
      .catch((thrown) => warnIn(this.#application, 'run-not-resumed', notResumed(run.root.runId, thrown)))
  }

  closed(run: Run): void {
    this.#lists.closed(run).catch(() => {})
  }

  deliver(run: Run): Promise<string | undefined> {
    return this.#waiter.deliver(run)
  }

  confirm(run: Run): Promise<void> {
    return this.#waiter.confirm(run)
  }

  afterAnswer(run: Run, reason: FinishReason): Promise<AfterAnswer> {
    return this.#waiter.afterAnswer(run, reason)
  }

  ended(run: Run, reason: FinishReason): Promise<void> {
    return this.#waiter.ended(run, reason)
  }

  /** Ends a task that has not ended. False if it had. Rejects with `task-not-found`. */
  async cancel(taskId: string, reason: string, by?: RootRun): Promise<boolean> {
    const live = this.#live.get(taskId)
    const at = this.#now()
    const error = { code: 'task-cancelled', message: reason }
    const stored = await this.site.storage.tasks.change({ taskId, from: OPEN, to: 'cancelled', error, at })
    if (!stored) {
      await this.site.storage.tasks.get(taskId)
      return false
    }
    const { toolCallId, toolName, parentRunId: runId, path } = stored
    const payload = { taskId, toolCallId, toolName, reason }
    const log = live?.log ?? by?.log
    log?.push({ type: 'background-task-cancelled', runId, from: 'AGENT', path, payload })
    live?.run.abort.abort(reason)
    if (!live) await this.site.forget(taskId)
    this.signals.publish(taskId)
    return true
  }

  async enter(task: LiveTask): Promise<boolean> {
    task.release ??= await this.#slots.take(task.terms.worker, (callback) => task.run.abort.onAbort(callback))
    return task.release !== undefined
  }

  leave(task: LiveTask): void {
    task.release?.()
    task.release = undefined
  }

  async begun(task: LiveTask): Promise<boolean> {
    task.attempts += 1
    return this.#running(task)
  }

  #enroll(
    begun: Omit<LiveTask, 'release' | 'stopClock' | 'left' | 'leave'>,
    release: (() => void) | undefined = undefined,
  ): LiveTask {
    let leave = (): void => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    const task: LiveTask = { ...begun, release, stopClock: undefined, left, leave }
    this.#live.set(task.taskId, task)
    void this.#work(task)
    return task
  }

  async #work(task: LiveTask): Promise<void> {
    try {
      if (!(await this.enter(task))) {
        await callOff(task)
        return await this.#finish(task)
      }
      // One that waited for a person goes on with the attempt that it was in.
      if (task.attempts === 0) await this.begun(task)
      else await this.#running(task)
      const end = await work(task, this)
      this.leave(task)
      if (end.waiting > 0 && (await this.#suspended(task))) return
      if (end.waiting > 0) await callOff(task)
      await this.#finish(task)
    } catch (thrown) {
      await this.#broken(task, thrown)
    }
  }

  async #running(task: LiveTask): Promise<boolean> {
    const { taskId, attempts } = task
    const change = { taskId, from: OPEN, to: 'running', attempts, at: this.#now() } as const
    const stored = await this.site.storage.tasks.change(change)
    // Somebody has ended it, and said so.
    if (!stored) task.run.abort.abort('the task was ended')
    else emit(task.run, 'background-task-running', { ...referenceTo(task), attempt: attempts })
    return stored !== undefined
  }

  /** Lets a task wait for a person. False if it was called off before anybody could know. */
  async #suspended(task: LiveTask): Promise<boolean> {
    const { run, taskId } = task
    if (run.abort.aborted) return false
    const keeper = await run.root.keep()
    // Who decides finds it suspended, and waits until it is written down.
    const change = { taskId, from: ['running'], to: 'suspended', at: this.#now() } as const
    if (!(await this.site.storage.tasks.change(change))) return false
    await keeper.suspend()
    if (run.abort.aborted) return false
    this.#left(task, false)
    emit(run, 'background-task-suspended', referenceTo(task))
    task.log.close()
    this.signals.publish(taskId)
    this.stopped(run)
    return true
  }

  async #finish(task: LiveTask): Promise<void> {
    const { run, taskId } = task
    const outcome = callOf(task).outcome as Outcome
    const status = endedStatus(outcome, run.abort)
    const error = errorIn(outcome, status)
    const told = error && { code: error.code, message: error.message }
    const stored = await this.site.storage.tasks.change({
      taskId,
      from: OPEN,
      to: status,
      outcome: packEnd({ outcome, usage: run.state.totalUsage }),
      ...(told ? { error: told } : {}),
      at: this.#now(),
    })
    await run.root.keeper?.end()
    await this.site.score(run.root)
    if (stored) await this.#wake(stored.parentTree, run.root)
    this.#left(task, true)
    if (stored) this.#tell(task, status, outcome)
    task.log.close()
    this.signals.publish(taskId)
  }

  /** Whoever waits stored for a task that has ended goes on. */
  async #wake(treeId: string, by: RootRun): Promise<void> {
    try {
      await this.site.wake(treeId, by)
    } catch (thrown) {
      warnIn(this.#application, 'run-not-resumed', notResumed(treeId, thrown))
    }
  }

  #tell(task: LiveTask, status: EndedTaskStatus, outcome: Outcome): void {
    const reference = referenceTo(task)
    const error = errorIn(outcome, status) ?? { code: 'task-failed', message: `The task ended as ${status}.` }
    const result = outcome.kind === 'result' ? { result: outcome.result } : {}
    if (status === 'completed')
      emit(task.run, 'background-task-completed', { ...reference, result: undefined, ...result })
    else if (status === 'failed') emit(task.run, 'background-task-failed', { ...reference, error, ...result })
    else if (status === 'cancelled')
      emit(task.run, 'background-task-cancelled', { ...reference, reason: error.message })
    else emit(task.run, 'background-task-timed-out', { ...reference, error })
  }

  /** The store failed, or the framework did: the task is told as failed where that can be written down, and else is gone on with later. */
  async #broken(task: LiveTask, thrown: unknown): Promise<void> {
    const { taskId, run } = task
    const why = withoutSecrets(thrownMessage(thrown))
    warnIn(this.#application, 'task-failed', `The background task "${taskId}" broke off: ${why}`)
    const error = isRetinueError(thrown) ? thrown : taskBroken(taskId, thrown)
    const outcome = failed(error.code, error.message)
    this.leave(task)
    run.abort.abort(error)
    await this.site.storage.tasks
      .change({
        taskId,
        from: OPEN,
        to: 'failed',
        outcome: packEnd({ outcome, usage: run.state.totalUsage }),
        error: { code: error.code, message: error.message },
        at: this.#now(),
      })
      .then((stored) => stored && this.#tell(task, 'failed', outcome))
      .catch(() => {})
    await run.root.keeper?.end()
    this.#left(task, true)
    task.log.close()
    this.signals.publish(taskId)
  }

  /** Of a task that was gone on with after its run had died: its list is of no use any more when no other one needs it. */
  async #unshare({ state }: Run, { inherits }: StoredTerms): Promise<void> {
    if (!inherits) return
    const { tasks } = this.site.storage
    const { items } = await tasks.list({ parentRunId: state.runId, status: OPEN, limit: 1 })
    if (items.length === 0) await tasks.unshare(inherits.listId)
  }

  /** This process has nothing more to do with it. `ended`: it is over, and does not only wait. */
  #left(task: LiveTask, ended: boolean): void {
    task.stopClock?.()
    this.#live.delete(task.taskId)
    task.unlink(ended)
    task.leave()
  }

  #now(): number {
    return Date.now()
  }
}

/** The agent that does the work. */
function workerOf(run: Run, call: PendingCall): string {
  return call.delegation?.facts.primitiveId ?? call.tool?.delegatesTo ?? run.agentId
}

function storedTermsOf({ timeoutMs, maxRetries, detached, ask }: TaskTerms, worker: string): StoredTerms {
  return {
    maxRetries,
    detached,
    worker,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(ask === undefined ? {} : { ask }),
  }
}

/** Ties a task to the root run that it is called off with, also when that has ended. */
function link(root: RootRun | undefined, scope: AbortScope): () => void {
  if (root) root.linked += 1
  return () => {
    scope.dispose()
    if (!root) return
    root.linked -= 1
    if (root.linked === 0 && root.isClosed) root.abort.dispose()
  }
}

function atLimit(toolName: string): Outcome {
  return failed(
    'task-limit',
    `As many background tasks run as may: "${toolName}" was not started.`,
    'Try again when one of them has ended, or go on without it.',
  )
}
