import { isRetinueError } from '../errors/retinue-error.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import { addMessage, type Run } from '../loop/run.ts'
import type { AfterAnswer, ThreadRequest, ThreadTasks } from '../loop/run-tasks.ts'
import { takePoint } from '../loop/take-point.ts'
import { frameworkNote } from '../messages/framework-note.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import { allPages } from '../storage/page.ts'
import type { StoredTask, TaskClaim, TaskFacts } from '../storage/tasks.ts'
import { failed, type OpenTask, type Outcome } from '../tools/outcome.ts'
import { ANSWER_TOOL } from './answer-tool.ts'
import { type ParentQuestion, parentQuestion } from './ask-tool.ts'
import { askedBelow } from './asked-by-tasks.ts'
import { tellsThread } from './new-task.ts'
import { OPEN } from './open-states.ts'
import { soundTerms, termsDamaged } from './stored-terms.ts'
import { notResumed } from './task-errors.ts'
import type { TaskManager } from './task-manager.ts'
import { TASK_ORIGIN } from './task-note.ts'
import { forgetTasks, notesOf, tellRun } from './tell-run.ts'

/** How long nobody else tells of a task after somebody began to, in milliseconds. */
const CLAIM_MS = 10_000

/** How often a run that waits looks after tasks that other processes work on, in milliseconds. */
const HEARTBEAT_MS = 3_000

/** How a run can have ended an answer that it may go on after. */
const ANSWERED: ReadonlySet<FinishReason> = new Set([
  'stop',
  'length',
  'content-filter',
  'max-steps',
  'incomplete',
  'other',
])

/** How many tasks are looked at, or called off, at the same time. */
const AT_ONCE = 10

/** Tells runs how their tasks ended, and lets them wait for it. */
export class TaskWaiter {
  readonly #manager: TaskManager
  /** Tasks that wait, as far as this process knows, each with what it asks its parent: they are not asked for again and again. */
  readonly #suspended = new Map<string, ParentQuestion | undefined>()

  constructor(manager: TaskManager) {
    this.#manager = manager
    manager.signals.subscribe((taskId) => void this.#suspended.delete(taskId))
  }

  /**
   * Puts what came of tasks into a conversation. It is claimed first, and confirmed when it is written down, so that of two who could be
   * told one is, and of one who died over it the next.
   */
  async deliver(run: Run): Promise<string | undefined> {
    const { state } = run
    const open = state.tasks ?? []
    const gone = open.filter(({ taskId }) => !this.#manager.live(taskId) && !this.#suspended.has(taskId))
    const { whole: ended, damaged } = await this.#claimed(claimOf(run, gone))
    const bail = tellRun(run, ended, damaged)
    for (const { taskId } of gone) if (state.tasks?.some((task) => task.taskId === taskId)) await this.#waitsFor(taskId)
    const isAsked = this.#tellQuestions(run)
    if ((run.told || isAsked) && run.root.keeper?.isDurable) {
      takePoint(run)
      await run.abort.race(run.root.keeper.save())
    }
    return bail
  }

  async answer(run: Run, taskId: string, answer: string): Promise<Outcome> {
    const asking = (run.state.tasks ?? []).filter((task) => this.#suspended.get(task.taskId))
    const question = asking.some((task) => task.taskId === taskId) ? this.#suspended.get(taskId) : undefined
    if (!question) {
      const ids = asking.map((task) => task.taskId)
      const hint = ids.length === 0 ? 'No task of yours asks anything.' : `The tasks that ask are ${ids.join(', ')}.`
      return failed('task-not-found', `The task ${JSON.stringify(taskId)} asks nothing.`, hint)
    }
    await this.#manager.answered(taskId, run.root, question.toolCallId, answer)
    const value = `The task ${taskId} has the answer, and goes on. Its result comes as a message.`
    return { kind: 'result', result: { taskId, answered: true }, output: { type: 'text', value } }
  }

  /** Puts what tasks ask into the conversation, each question once. */
  #tellQuestions(run: Run): boolean {
    const questions = this.#untold(run)
    for (const { taskId, toolName, question } of questions) {
      run.state.questions ??= []
      run.state.questions.push(questionKey(taskId, question))
      const text = `The background task ${taskId} ("${toolName}") asks: ${question.question}\nAnswer it with "${ANSWER_TOOL}".`
      addMessage(run, frameworkNote(text, TASK_ORIGIN))
    }
    return questions.length > 0
  }

  /** What tasks ask that the run's model was not told. */
  #untold(run: Run): { taskId: string; toolName: string; question: ParentQuestion }[] {
    return (run.state.tasks ?? []).flatMap(({ taskId, toolName }) => {
      const question = this.#suspended.get(taskId)
      if (!question || run.state.questions?.includes(questionKey(taskId, question))) return []
      return [{ taskId, toolName, question }]
    })
  }

  async ofThread({ threadId, resourceId, runId, without, wasTold }: ThreadRequest): Promise<ThreadTasks> {
    const { tasks } = this.#manager.site.storage
    const open = await allPages((cursor) => tasks.list({ threadId, resourceId, status: OPEN, ...cursor }))
    const ended = await allPages((cursor) => tasks.list({ threadId, resourceId, undelivered: true, ...cursor }))
    const at = Date.now()
    const taskIds = ended.map(({ taskId }) => taskId)
    const { whole: claimed } = await this.#claimed({ taskIds, by: runId, until: at + CLAIM_MS, at })
    const fresh: StoredTask[] = []
    for (const task of claimed) {
      // Whoever claimed it before may have died over it.
      if (task.claims > 1 && (await wasTold(task.taskId)))
        await tasks.deliver({ taskIds: [task.taskId], by: runId, at: Date.now() })
      else fresh.push(task)
    }
    const isThere = ({ rootRunId }: TaskFacts): boolean => !without?.has(rootRunId)
    const news = fresh.filter(isThere)
    return {
      notes: news.length === 0 ? [] : notesOf(news, globalThis.crypto.randomUUID()),
      told: fresh.map(({ taskId }) => taskId),
      open: open.filter((task) => task.tells === 'thread' && isThere(task)).map(openTask),
    }
  }

  async confirm(run: Run): Promise<void> {
    const { told: taskIds, root, state } = run
    run.told = undefined
    if (taskIds) await this.#manager.site.storage.tasks.deliver({ taskIds, by: state.runId, at: root.effects.now() })
  }

  async release(run: Run): Promise<void> {
    const { told: taskIds, root, state } = run
    run.told = undefined
    const at = root.effects.now()
    if (taskIds) await this.#manager.site.storage.tasks.claim({ taskIds, by: state.runId, until: at, at })
  }

  /** Whether a run stays open for its tasks: nobody else could be told, or its caller wants it to. One that is to stop does not. */
  waits(run: Run): boolean {
    const { state, root } = run
    if (!state.tasks?.length || state.stoppedOnRequest) return false
    return root.untilIdle !== false || !tellsThread(run)
  }

  async drain(run: Run): Promise<void> {
    if (this.waits(run)) await this.#idle(run, () => this.#wait(run, true))
  }

  async afterAnswer(run: Run, reason: NonNullable<Run['state']['idle']>): Promise<AfterAnswer> {
    const { state, root } = run
    if (!ANSWERED.has(reason) || !this.waits(run)) return 'end'
    if (state.idle === undefined) {
      state.idle = reason
      if (root.keeper?.isDurable) {
        takePoint(run)
        await run.abort.race(root.keeper.save())
      }
    }
    return this.#idle(run, () => this.#wait(run, false))
  }

  /** A task that waits for its own gives its place to another one, once nothing in it works. */
  async #idle(run: Run, wait: () => Promise<AfterAnswer>): Promise<AfterAnswer> {
    const own = this.#manager.live(run.root.runId)
    if (!own) return wait()
    own.idle.add(run)
    const stop = this.#manager.leaveWhenIdle(own)
    try {
      const then = await wait()
      own.idle.delete(run)
      return (await this.#manager.enter(own)) ? then : 'end'
    } finally {
      own.idle.delete(run)
      stop()
    }
  }

  async ended(run: Run, reason: FinishReason): Promise<void> {
    // What is not kept anywhere needs no more than to be in the conversation.
    if (run.told && !run.kept) await this.confirm(run)
    if (tellsThread(run) && reason !== 'aborted' && reason !== 'bailed') return
    const why = reason === 'aborted' ? 'the run that began it was aborted' : 'the run that began it has ended'
    const open = run.state.tasks ?? []
    await forEachLimited(open.length, AT_ONCE, async (index) => {
      const { taskId } = open[index] as OpenTask
      if (!(await this.#isDetached(taskId))) await this.#manager.cancel(taskId, why, run.root).catch(() => false)
    })
  }

  /** Waits until there is something to tell the run, or nothing left to wait for; `all`: until nothing works any more. */
  async #wait(run: Run, all: boolean): Promise<AfterAnswer> {
    let idleSince = run.root.effects.now()
    for (;;) {
      if (run.abort.aborted) return 'end'
      // Before it is looked: whatever changes from here on is noticed.
      const change = this.#change(run, idleSince)
      const standing = await this.#standing(run, all)
      if (this.#untold(run).length > 0) standing.ended = true
      if ((standing.ended && !all) || standing.working === 0) {
        change.stop()
        if (standing.ended) return 'continue'
        if (standing.suspended === 0) return 'end'
        const { storage } = this.#manager.site
        run.askedByTasks = await askedBelow(storage, run.root.decisionId, run.state.tasks ?? [])
        return 'suspend'
      }
      const happened = await change.happened
      if (happened === 'over') return 'end'
      if (happened === 'change') idleSince = run.root.effects.now()
    }
  }

  /** How the run's open tasks stand. What somebody else was told of is none of them any more. */
  async #standing(run: Run, all: boolean): Promise<{ ended: boolean; working: number; suspended: number }> {
    const standing = { ended: false, working: 0, suspended: 0 }
    for (const { taskId } of [...(run.state.tasks ?? [])]) {
      if (this.#manager.live(taskId)) standing.working += 1
      else if (this.#suspended.has(taskId)) standing.suspended += 1
      else {
        const facts = await this.#waitsFor(taskId)
        if (!facts || facts.deliveredAt !== undefined) forgetTasks(run, new Set([taskId]))
        else if (facts.status === 'suspended') standing.suspended += 1
        else if (facts.status === 'pending' || facts.status === 'running') {
          standing.working += 1
          await this.#manager.takeOver(taskId, run.root)
        } else {
          standing.ended = true
          if (!all) return standing
        }
      }
    }
    return standing
  }

  /** The next change of a task, or the time to look again; `over` when the run is aborted or has waited long enough. */
  #change(run: Run, idleSince: number): { readonly happened: Promise<'change' | 'look' | 'over'>; stop(): void } {
    const { root, state } = run
    const { untilIdle, effects } = root
    const isRoot = root.runId === state.runId
    const maxIdleMs = isRoot && typeof untilIdle === 'object' ? untilIdle.maxIdleMs : undefined
    const ids = new Set((state.tasks ?? []).map(({ taskId }) => taskId))
    const stops: (() => void)[] = []
    const stop = (): void => {
      for (const each of stops.splice(0)) each()
    }
    const happened = new Promise<'change' | 'look' | 'over'>((resolve) => {
      const end = (what: 'change' | 'look' | 'over'): void => {
        stop()
        resolve(what)
      }
      stops.push(this.#manager.signals.subscribe((taskId) => ids.has(taskId) && end('change')))
      stops.push(run.abort.onAbort(() => end('over')))
      if (maxIdleMs !== undefined) {
        const left = Math.max(0, maxIdleMs - (effects.now() - idleSince))
        stops.push(effects.startTimer(left, () => end('over')))
      }
      stops.push(
        effects.startTimer(HEARTBEAT_MS, () => {
          // What other processes did since nobody has said here.
          this.#suspended.clear()
          end('look')
        }),
      )
    })
    return { happened, stop }
  }

  /**
   * A tree waits, and that is written down: one of its tasks that went on just before found it at work, and so did not wake it. Then it
   * goes on now.
   */
  async stopped(run: Run): Promise<void> {
    try {
      for (const { taskId } of tasksIn(run)) {
        const task = await this.#waitsFor(taskId)
        if (task && task.status !== 'suspended') return await this.#manager.site.wake(task)
      }
    } catch (thrown) {
      this.#manager.warn('run-not-resumed', notResumed(run.root.runId, thrown))
    }
  }

  /** How a task stands that this process does not work on; of one that waits it is noted. Undefined if it is gone. */
  async #waitsFor(taskId: string): Promise<StoredTask | undefined> {
    const { storage } = this.#manager.site
    try {
      const task = await storage.tasks.get(taskId)
      if (task.status !== 'suspended') return task
      const terms = soundTerms(task)
      if (!terms) {
        await this.#manager.lost(taskId, termsDamaged(task))
        return await storage.tasks.get(taskId)
      }
      this.#suspended.set(taskId, terms.ask === 'parent' ? await parentQuestion(storage, task) : undefined)
      return task
    } catch (thrown) {
      if (isRetinueError(thrown, 'task-not-found')) return undefined
      throw thrown
    }
  }

  async #isDetached(taskId: string): Promise<boolean> {
    const live = this.#manager.live(taskId)
    if (live) return live.terms.detached
    const task = await this.#waitsFor(taskId)
    return task !== undefined && soundTerms(task)?.detached === true
  }

  /** Claims what has ended. One that is damaged keeps no other one from being told; that it is, is a warning. */
  async #claimed(claim: TaskClaim): Promise<{ whole: readonly StoredTask[]; damaged: ReadonlySet<string> }> {
    const damaged = new Set<string>()
    for (;;) {
      const taskIds = claim.taskIds.filter((taskId) => !damaged.has(taskId))
      if (taskIds.length === 0) return { whole: [], damaged }
      try {
        return { whole: await this.#manager.site.storage.tasks.claim({ ...claim, taskIds }), damaged }
      } catch (thrown) {
        const id = isRetinueError(thrown, 'storage-row-unreadable') ? String(thrown.data['id']) : undefined
        if (id === undefined || !taskIds.includes(id)) throw thrown
        damaged.add(id)
        this.#manager.warn(
          'storage-row-unreadable',
          `What came of the background task "${id}" can't be told: ${thrown}`,
        )
      }
    }
  }
}

/** The tasks of a run, and of those below it in its tree, that their models were not told the end of. */
function tasksIn({ state, calls }: Run): OpenTask[] {
  const below = (calls ?? []).flatMap(({ delegation }) => (delegation?.child ? tasksIn(delegation.child) : []))
  return [...(state.tasks ?? []), ...below]
}

function openTask({ taskId, toolCallId, toolName }: TaskFacts): OpenTask {
  return { taskId, toolCallId, toolName }
}

function claimOf({ root, state }: Run, open: readonly OpenTask[]): TaskClaim {
  const at = root.effects.now()
  return { taskIds: open.map(({ taskId }) => taskId), by: state.runId, until: at + CLAIM_MS, at }
}

function questionKey(taskId: string, { toolCallId, round }: ParentQuestion): string {
  return `${taskId}/${toolCallId}/${round}`
}
