import type { FinishReason } from '../events/finish-reason.ts'
import type { PendingCall } from '../loop/pending-call.ts'
import { resumedTurn } from '../loop/resumed-turn.ts'
import { emit, type RootRun, type Run } from '../loop/run.ts'
import type { Admission, AfterAnswer, RunTasks, TaskTerms, ThreadRequest, ThreadTasks } from '../loop/run-tasks.ts'
import { type Application, type BackgroundTaskOptions, warnIn } from '../memory/application.ts'
import { AbortScope } from '../shared/abort.ts'
import type { StoredTask } from '../storage/tasks.ts'
import type { Outcome } from '../tools/outcome.ts'
import { EndedTasks } from './ended-tasks.ts'
import { InheritedLists } from './inherited.ts'
import { callOf, type LiveTask, linkTo, referenceTo } from './live-task.ts'
import { isClients, isPlainTool, newTask, placeholder, tellsThread, workerOf } from './new-task.ts'
import { OPEN } from './open-states.ts'
import { LocalSignals, type TaskSignals } from './signals.ts'
import { standIn } from './stand-in.ts'
import { storedTermsOf, termsOf } from './stored-terms.ts'
import { StrandedTasks } from './stranded-tasks.ts'
import { breakTask, endTask, wake } from './task-ends.ts'
import { atLimit } from './task-errors.ts'
import { TaskLog } from './task-log.ts'
import { leave, leaveWhenIdle, TaskPlaces } from './task-places.ts'
import type { TaskSite } from './task-site.ts'
import { TaskWaiter } from './task-waiter.ts'
import { callOff, type Workplace, work } from './work.ts'

const DEFAULT_LIMITS = { globalConcurrency: 10, perAgentConcurrency: 5, onLimit: 'queue' } as const

/** The background tasks of an application that this process works on. */
export class TaskManager implements RunTasks, Workplace {
  readonly site: TaskSite
  readonly signals: TaskSignals
  readonly #application: Application
  readonly #onLimit: NonNullable<BackgroundTaskOptions['onLimit']>
  readonly #places: TaskPlaces
  readonly #lists: InheritedLists
  readonly #live = new Map<string, LiveTask>()
  readonly #stranded: StrandedTasks
  readonly #ended: EndedTasks
  /** The runs at work whose tasks wait for a person: what comes of those is told there. */
  readonly #asking = new Map<string, Run>()
  readonly #waiter: TaskWaiter

  constructor(application: Application, options: BackgroundTaskOptions, site: TaskSite, signals?: TaskSignals) {
    const { globalConcurrency, perAgentConcurrency, onLimit } = { ...DEFAULT_LIMITS, ...options }
    this.site = site
    this.signals = signals ?? new LocalSignals()
    this.#application = application
    this.#onLimit = onLimit
    this.#places = new TaskPlaces({ global: globalConcurrency, perAgent: perAgentConcurrency })
    this.#waiter = new TaskWaiter(this)
    this.#stranded = new StrandedTasks(this, application)
    this.#lists = new InheritedLists(site.storage)
    this.#ended = new EndedTasks(site.storage)
  }

  warn(code: string, message: string): void {
    warnIn(this.#application, code, message)
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
    return run.root.isResumed ? this.#admittedOnce(run, call) : this.#admitted(run, call)
  }

  /** A run that died after it began a task, and before it could write that down, does not begin it again. */
  async #admittedOnce(run: Run, call: PendingCall): Promise<Admission> {
    const begun = await this.#stranded.begunBefore(run, call)
    return begun ? { type: 'end', outcome: placeholder(begun) } : this.#admitted(run, call)
  }

  #admitted(run: Run, call: PendingCall): Admission {
    // The run ends with what its client has to do, and could not be told anything then.
    if (!tellsThread(run) && run.calls?.some(isClients)) return { type: 'foreground' }
    const worker = workerOf(run, call)
    const release = this.#places.tryTake(worker)
    if (release || this.#onLimit === 'queue') return { type: 'background', release }
    if (this.#onLimit === 'run') return { type: 'foreground' }
    return { type: 'end', outcome: atLimit(call.toolName) }
  }

  async start(run: Run, call: PendingCall, terms: TaskTerms, release: (() => void) | undefined): Promise<Outcome> {
    const taskId = run.root.effects.newId()
    const begun = this.#stranded.opening(taskId)
    const { storage } = this.site
    const scope = terms.detached ? new AbortScope() : AbortScope.within(run.abort)
    const log = new TaskLog(run.root.log, { runId: run.state.runId, toolCallId: call.toolCallId })
    let stored = storedTermsOf(terms, { worker: workerOf(run, call), isTool: isPlainTool(call) })
    try {
      const { delegation } = call
      const inherits = this.site.survives && delegation ? await this.#lists.share(run, delegation) : undefined
      if (inherits) stored = { ...stored, inherits }
      await storage.tasks.create(newTask(taskId, run, call, stored))
      const tree = standIn(run, call, { taskId, abort: scope, log, storage, tasks: this, ask: terms.ask })
      this.site.keepable(tree.run, run.root, inherits && delegation?.messages)
      if (this.site.survives) await tree.run.root.keep()
      const unlinked = linkTo(terms.detached ? undefined : run.root, scope)
      const unlink = (ended: boolean): void => {
        unlinked()
        if (ended && inherits) this.#lists.left(run).catch(() => {})
      }
      this.#enroll({ taskId, terms: stored, ...tree, parent: run, log, attempts: 0, unlink }, release)
    } catch (thrown) {
      release?.()
      scope.dispose()
      // Its model reads that it was not begun.
      await storage.tasks.remove(taskId).catch(() => {})
      throw thrown
    } finally {
      begun()
    }
    const reference = { taskId, toolCallId: call.toolCallId, toolName: call.toolName }
    emit(run, 'background-task-started', reference)
    return placeholder(reference)
  }

  /** Goes on with a task whose tree was opened again. */
  goOn(stored: StoredTask, run: Run, by: RootRun | undefined): LiveTask {
    const { taskId, attempts } = stored
    const terms = termsOf(stored)
    const turn = resumedTurn(run, run.resumed ?? [])
    run.calls = turn.calls
    run.resumed = undefined
    const log = run.root.log as TaskLog
    const parent = by ? undefined : this.#asking.get(taskId)
    log.moveTo(by?.log ?? parent?.root.log)
    this.#asking.delete(taskId)
    const unlink = (ended: boolean): void => {
      run.close()
      if (ended) this.#lists.leftAfter(run, terms).catch(() => {})
    }
    this.signals.publish(taskId)
    return this.#enroll({ taskId, terms, run, turn, parent, log, attempts, unlink })
  }

  attach(run: Run): Promise<void> {
    return this.#stranded.attach(run)
  }

  takeOver(taskId: string, by: RootRun): Promise<void> {
    return this.#stranded.takeOver(taskId, by)
  }

  /** Nobody works on a task any more, and nobody can. */
  lost(taskId: string, thrown: unknown, by?: RootRun): Promise<void> {
    return this.#stranded.lost(taskId, thrown, by)
  }

  /** Goes on with a task that waited, such as one of which a call was not decided in time. */
  goOnLater(taskId: string, by: RootRun | undefined): Promise<void> {
    return this.#stranded.goOnLater(taskId, by)
  }

  /** Goes on with a task that asked, and now has its answer. Rejects if somebody else was faster. */
  async answered(taskId: string, by: RootRun, toolCallId: string, answer: string): Promise<void> {
    const stored = await this.site.storage.tasks.get(taskId)
    this.goOn(stored, await this.site.answer(stored, by, toolCallId, answer), by)
    this.signals.publish(taskId)
  }

  ofThread(request: ThreadRequest): Promise<ThreadTasks> {
    return this.#waiter.ofThread(request)
  }

  answer(run: Run, taskId: string, answer: string): Promise<Outcome> {
    return this.#waiter.answer(run, taskId, answer)
  }

  stopped(run: Run): void {
    void this.#waiter.stopped(run)
  }

  closed(run: Run): void {
    for (const [taskId, parent] of this.#asking) if (parent === run) this.#asking.delete(taskId)
    this.#lists.closed(run).catch(() => {})
  }

  deliver(run: Run): Promise<string | undefined> {
    return this.#waiter.deliver(run)
  }

  confirm(run: Run): Promise<void> {
    return this.#waiter.confirm(run)
  }

  release(run: Run): Promise<void> {
    return this.#waiter.release(run)
  }

  waits(run: Run): boolean {
    return this.#waiter.waits(run)
  }

  drain(run: Run): Promise<void> {
    return this.#waiter.drain(run)
  }

  afterAnswer(run: Run, reason: NonNullable<Run['state']['idle']>): Promise<AfterAnswer> {
    return this.#waiter.afterAnswer(run, reason)
  }

  ended(run: Run, reason: FinishReason): Promise<void> {
    return this.#waiter.ended(run, reason)
  }

  /** A hook said of a task that its run is to end: nothing else of the run goes on. */
  async bail({ taskId, parent, turn }: LiveTask, text: string): Promise<void> {
    if (!parent || parent.state.finishReason !== undefined) return
    parent.bailed = text
    parent.bail?.out(turn.calls[0]?.toolCallId as string)
    const others = (parent.state.tasks ?? []).filter((task) => task.taskId !== taskId)
    for (const other of others) await this.cancel(other.taskId, 'another delegation ended the run').catch(() => false)
  }

  /** Ends a task that has not ended. False if it had. Rejects with `task-not-found`. */
  async cancel(taskId: string, reason: string, by?: RootRun): Promise<boolean> {
    const live = this.#live.get(taskId)
    const at = Date.now()
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
    if (!live) await this.site.takeAway(taskId)
    this.signals.publish(taskId)
    // A live one does so when its work has ended.
    if (!live) await this.site.wake(stored)
    return true
  }

  enter(task: LiveTask): Promise<boolean> {
    return this.#places.enter(task)
  }

  leaveWhenIdle(task: LiveTask): () => void {
    return leaveWhenIdle(task)
  }

  leave(task: LiveTask): void {
    leave(task)
  }

  async begun(task: LiveTask): Promise<boolean> {
    task.attempts += 1
    return this.#running(task)
  }

  #enroll(
    begun: Omit<LiveTask, 'release' | 'stopClock' | 'left' | 'leave' | 'workedMs' | 'idle' | 'entering'>,
    release: (() => void) | undefined = undefined,
  ): LiveTask {
    let leave = (): void => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    const workedMs = begun.attempts === 0 ? 0 : Date.now() - begun.run.begunAt
    const idle = new Set<Run>()
    const task: LiveTask = { ...begun, idle, entering: undefined, workedMs, release, stopClock: undefined, left, leave }
    this.#live.set(task.taskId, task)
    void this.#work(task)
    return task
  }

  async #work(task: LiveTask): Promise<void> {
    try {
      const end = (await this.#entered(task)) ? await work(task, this) : NOT_BEGUN
      this.leave(task)
      if (end.waiting > 0 && (await this.#suspended(task))) return
      if (end.waiting > 0) await callOff(task)
      await endTask(this, task)
    } catch (thrown) {
      await breakTask(this, this.#application, task, thrown)
    }
    this.#left(task, true)
    this.signals.publish(task.taskId)
    await wake(this, task.taskId)
  }

  /** Waits until a task can be worked on; false if it was called off before. */
  async #entered(task: LiveTask): Promise<boolean> {
    if (!(await this.enter(task))) return false
    // The time in which it waited for its place is not its own.
    task.run.begunAt = Date.now() - task.workedMs
    // One that waited for a person goes on with the attempt that it was in.
    return task.attempts === 0 ? this.begun(task) : this.#running(task)
  }

  async #running(task: LiveTask): Promise<boolean> {
    const { taskId, attempts } = task
    const change = { taskId, from: OPEN, to: 'running', attempts, at: Date.now() } as const
    const stored = await this.site.storage.tasks.change(change)
    // Somebody has ended it, and said so.
    if (!stored) task.run.abort.abort('the task was ended')
    else emit(task.run, 'background-task-running', { ...referenceTo(task), attempt: attempts })
    return stored !== undefined
  }

  /** Lets a task wait for a person. False if it was called off before anybody could know. */
  async #suspended(task: LiveTask): Promise<boolean> {
    const { run, taskId } = task
    if (run.abort.aborted || callOf(task).outcome) return false
    const keeper = await run.root.keep()
    // Who decides finds it suspended, and waits until it is written down.
    const change = { taskId, from: ['running'], to: 'suspended', at: Date.now() } as const
    if (!(await this.site.storage.tasks.change(change))) return false
    await keeper.suspend()
    if (run.abort.aborted) return false
    emit(run, 'background-task-suspended', referenceTo(task))
    if (task.parent && task.parent.state.finishReason === undefined) this.#asking.set(taskId, task.parent)
    this.#left(task, false)
    this.signals.publish(taskId)
    this.stopped(run)
    return true
  }

  /** This process has nothing more to do with it. `ended`: it is over, and does not only wait. */
  #left(task: LiveTask, ended: boolean): void {
    task.stopClock?.()
    task.log.close()
    this.#live.delete(task.taskId)
    task.unlink(ended)
    task.leave()
    if (ended && !this.site.survives) void this.#ended.add(task.taskId).catch(() => {})
  }
}

/** A task that was called off before it had begun is ended like one that waits. */
const NOT_BEGUN = { waiting: 1 } as const
