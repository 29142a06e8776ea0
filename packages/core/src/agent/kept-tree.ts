import { runLost } from '../approvals/approval-errors.ts'
import type { Question } from '../approvals/question.ts'
import { isRetinueError, type RetinueError } from '../errors/retinue-error.ts'
import { unexpected } from '../loop/finish-run.ts'
import type { PendingCall } from '../loop/pending-call.ts'
import type { AskedCall, RunKeeper } from '../loop/run-keeper.ts'
import { toJson } from '../shared/json.ts'
import { LONGEST_TIMER_MS } from '../shared/longest-timer.ts'
import type { Approval, ApprovalChange, ApprovalRequest, ApprovalStatus } from '../storage/approvals.ts'
import type { Lease } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import type { Value } from '../storage/values.ts'
import { askedCalls, othersAtWork } from './asked-calls.ts'
import { HeldLease } from './held-lease.ts'
import { filedAs, isDurable, type KeepableTree } from './keepable.ts'
import { contextsOf, forgetOldest, type LiveRun, liveRuns } from './live-runs.ts'
import { packTree } from './saved-tree.ts'
import { standingOf } from './standing.ts'
import { storageOf } from './storage-of.ts'
import { type LogPart, TreeLog } from './tree-log.ts'

/** What a tree begins with that was stored before. */
export interface TakenRun {
  readonly lease: HeldLease
  readonly version: number
  readonly standing: readonly Approval[]
  /** Whether it is kept when it has ended. */
  readonly durable: boolean
  /** Its log, which it has no use for once it is written anew. */
  readonly log: LogPart | undefined
}

/** Begins to keep a tree; at once in its storage, where it is to survive a crash. */
export async function keepTree(tree: KeepableTree, taken?: TakenRun): Promise<KeptTree> {
  const kept = new KeptTree(tree, taken)
  // Under an id that the application chose somebody may have been asked before: that was another run.
  if (!taken && !tree.task && tree.call.runId !== undefined) await kept.passOver()
  tree.run.root.keeper = kept
  if (!taken && kept.isDurable) await kept.begin()
  return kept
}

/** From which states each move can be made. */
const FROM: Readonly<Record<'done' | 'unknown' | 'void' | 'cancelled' | 'declined', readonly ApprovalStatus[]>> = {
  done: ['started'],
  unknown: ['started'],
  void: ['approved'],
  cancelled: ['pending', 'approved'],
  declined: ['pending'],
}

const TOLD = { body: null, write: undefined } as const

/** A tree of runs in a store: one row for all of it, and one for each question that it put to a person. */
export class KeptTree implements RunKeeper {
  readonly isDurable: boolean
  failure: RetinueError | undefined
  readonly #tree: KeepableTree
  readonly #storage: Storage
  readonly #lease: HeldLease
  readonly #keepsEnded: boolean
  readonly #standing = new Map<string, Approval>()
  /** The rounds of calls that a run of the same id was asked about before. */
  readonly #rounds = new Map<string, number>()
  readonly #live: LiveRun
  readonly #log: TreeLog | undefined
  #oldLog: LogPart | undefined
  #settle: () => void = () => {}
  #moves: ApprovalChange[] = []
  #version: number
  /** The write that goes on, and the one that follows it with everything that happened meanwhile. */
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  /** Names what was written last, and what this process knows beside it. */
  #saveId = ''

  constructor(tree: KeepableTree, taken: TakenRun | undefined) {
    const { parts, application, run, call } = tree
    const { runId, abort } = run.root
    this.#tree = tree
    this.#storage = storageOf(parts, application)
    this.#keepsEnded = taken ? taken.durable : !tree.task && isDurable(tree)
    // What was stored once is in the hands of people, and is lost no more.
    this.isDurable = this.#keepsEnded || taken !== undefined || tree.task?.survives === true
    this.#version = taken?.version ?? 0
    this.#log = this.isDurable ? new TreeLog(runId, run.root.effects.newId()) : undefined
    this.#oldLog = taken?.log
    for (const approval of taken?.standing ?? []) this.#standing.set(approval.toolCallId, approval)
    this.#lease = taken?.lease ?? new HeldLease(this.#storage, runId)
    this.#lease.onLost = () => this.#failed(runLost(runId))
    const working = new Promise<void>((resolve) => {
      this.#settle = resolve
    })
    const agentId = filedAs(tree)
    const stop = (reason: unknown): void => abort.abort(reason)
    this.#live = { agentId, working, abort: stop, call, saveId: '', contexts: new Map(), stopClock: undefined }
    if (taken === undefined) this.goOn()
  }

  /** From now on this process works on the tree: what was known of it before is known no more. `decided`: what somebody decided last. */
  goOn(decided?: Approval): void {
    const live = liveRuns(this.#storage)
    const { runId } = this.#tree.run.root
    live.get(runId)?.stopClock?.()
    if (decided) this.#standing.set(decided.toolCallId, decided)
    live.set(runId, this.#live)
  }

  standing(toolCallId: string): Approval | undefined {
    return this.#standing.get(toolCallId)
  }

  expiry(ownTimeoutMs: number | undefined): number | undefined {
    const timeoutMs = ownTimeoutMs ?? this.#tree.options.approvalTimeoutMs
    return timeoutMs === undefined ? undefined : this.#now() + timeoutMs
  }

  async start({ toolCallId }: AskedCall, { round }: Question): Promise<void> {
    const { runId } = this.#tree.run.root
    const change: ApprovalChange = { runId, toolCallId, round, from: ['approved'], to: 'started', at: this.#now() }
    try {
      const started = await this.#storage.approvals.change(change)
      if (!started) throw runLost(runId)
      this.#standing.set(toolCallId, started)
    } catch (thrown) {
      // It is decided, and must not be lost: the run stops here, and whoever goes on with it starts the call.
      throw this.#failed(thrown)
    }
  }

  move({ toolCallId }: AskedCall, { round }: Question, to: keyof typeof FROM, reason?: string): void {
    const known = this.#standing.get(toolCallId)
    if (known?.round === round && FROM[to].includes(known.status)) this.#move(known, to, reason)
  }

  /** Takes note of what was asked under the same id before: the questions of this tree are other ones. */
  async passOver(): Promise<void> {
    for (const approval of await standingOf(this.#storage, this.#tree.run.root.runId))
      this.#rounds.set(approval.toolCallId, approval.round)
  }

  nextRound(toolCallId: string, known: Question | undefined): number {
    const before = [known?.round, this.#rounds.get(toolCallId), this.#standing.get(toolCallId)?.round]
    return Math.max(...before.map((round) => round ?? 0)) + 1
  }

  /** Writes the tree down for the first time. A run that can't be kept does not begin. */
  async begin(): Promise<void> {
    try {
      await this.save()
      this.#lease.hold()
    } catch (thrown) {
      liveRuns(this.#storage).delete(this.#tree.run.root.runId)
      this.#stopped()
      throw thrown
    }
  }

  async announce(call: PendingCall): Promise<void> {
    if (!othersAtWork(this.#tree.run, call)) return
    const isNew = this.#version === 0
    await this.save()
    if (isNew) this.#lease.hold()
  }

  save(): Promise<void> {
    if (this.#next) return this.#next
    const next = this.#writing.then(() => {
      this.#next = undefined
      return this.#write('running', this.#lease.terms())
    })
    this.#next = next
    this.#writing = next.catch(() => {})
    return next
  }

  async suspend(): Promise<void> {
    await this.#writing
    if (this.#tree.run.abort.aborted) return
    await this.#write('suspended')
    this.#lease.end()
    // Called off while it was written: nobody shall decide what nothing waits for.
    if (this.#tree.run.abort.aborted) return
    this.#live.contexts = contextsOf(this.#tree.run)
    this.#live.saveId = this.#saveId
    this.#stopped()
    forgetOldest(this.#storage)
    await this.#startClock()
  }

  async end(): Promise<void> {
    await this.#writing
    const { runId } = this.#tree.run.root
    try {
      // Others may go on with it, from what was written down last.
      if (this.failure) return await this.#lease.release()
      for (const known of this.#standing.values()) {
        this.#cancel(known.toolCallId)
        // A delegation that was begun ends with the run that waited for it.
        if (known.status === 'started') this.#move(known, 'done')
      }
      if (this.#keepsEnded) await this.#write('ended')
      else if (this.#version > 0)
        await this.#storage.runs.remove({ runId, expectedVersion: this.#version, moves: this.#moves, at: this.#now() })
    } catch (thrown) {
      this.#failed(thrown)
    } finally {
      this.#lease.end()
      liveRuns(this.#storage).delete(runId)
      this.#stopped()
    }
  }

  /** Nobody needs to decide it any more. */
  #cancel(toolCallId: string): void {
    const known = this.#standing.get(toolCallId)
    if (known?.status === 'pending' || known?.status === 'approved') this.#move(known, 'cancelled')
  }

  #move(known: Approval, to: keyof typeof FROM, reason?: string): void {
    const { runId, toolCallId, round, status } = known
    const decision = reason === undefined ? {} : { decision: { reason } }
    this.#moves.push({ runId, toolCallId, round, from: [status], to, ...decision, at: this.#now() })
    this.#standing.set(toolCallId, { ...known, status: to })
  }

  #stopped(): void {
    this.#live.working = undefined
    this.#settle()
  }

  #now(): number {
    return this.#tree.run.root.effects.now()
  }

  async #write(status: 'running' | 'suspended' | 'ended', lease?: Lease): Promise<void> {
    if (this.failure) throw this.failure
    const { run, call, options } = this.#tree
    const requests = this.#newRequests()
    const moves = this.#moves.splice(0)
    this.#saveId = run.root.effects.newId()
    const facts = { call, durable: this.#keepsEnded, saveId: this.#saveId, inherited: this.#tree.task?.inherited }
    // A run that survives no crash is written down where it stops; before, others only need to know that it is there.
    const isOnlyTold = status === 'running' && !this.isDurable
    const { body, write } = isOnlyTold ? TOLD : packTree(run, facts, this.#log)
    try {
      if (write) await this.#storage.tasks.share(write)
      this.#version = await this.#storage.runs.save({
        runId: run.root.runId,
        agentId: filedAs(this.#tree),
        status,
        ...ownerOf(options),
        body,
        ...(lease ? { lease } : {}),
        expectedVersion: this.#version,
        requests,
        moves,
        at: this.#now(),
      })
    } catch (thrown) {
      throw this.#failed(isRetinueError(thrown, 'storage-conflict') ? runLost(run.root.runId) : thrown)
    }
    for (const request of requests)
      this.#standing.set(request.toolCallId, { ...request, status: 'pending', requestedAt: this.#now() })
    const old = this.#oldLog
    this.#oldLog = undefined
    if (old) await this.#storage.tasks.unshare(old.listId).catch(() => {})
  }

  /** What cannot be kept any more must not go on as if it were. */
  #failed(thrown: unknown): RetinueError {
    this.failure ??= isRetinueError(thrown) ? thrown : unexpected(thrown)
    this.#lease.end()
    this.#tree.run.root.abort.abort(this.failure)
    return this.failure
  }

  /**
   * The questions of the tree that the ledger does not have yet. A call that ended undecided, such as one whose tool is gone, asks no more.
   */
  #newRequests(): ApprovalRequest[] {
    const { run, options, parts } = this.#tree
    const { runId } = run.root
    const rounds = new Map<string, number>()
    const requests: ApprovalRequest[] = []
    for (const { path, call, question } of askedCalls(run)) {
      const { toolCallId, toolName, args, edited } = call
      rounds.set(toolCallId, question.round)
      if (this.#standing.get(toolCallId)?.round === question.round) continue
      const place = { runId, agentId: parts.options.id, path, ...ownerOf(options) }
      requests.push({ ...place, toolCallId, toolName, args: asValue(edited ?? args), ...asked(question) })
    }
    for (const { toolCallId, round } of this.#standing.values())
      if (rounds.get(toolCallId) !== round) this.#cancel(toolCallId)
    return requests
  }

  /** Goes on with the run when the time for a decision is over. */
  async #startClock(): Promise<void> {
    const { parts, application, run, task } = this.#tree
    const times = [...this.#standing.values()].flatMap(({ status, expiresAt }) =>
      status === 'pending' && expiresAt !== undefined ? [expiresAt] : [],
    )
    if (times.length === 0) return
    const { goOnLater } = await import('./expired-runs.ts')
    const wait = Math.max(0, Math.min(...times) - this.#now())
    const expired = (): void => (task ? task.goOnLater() : goOnLater({ parts, application }, run.root.runId))
    this.#live.stopClock = run.root.effects.startTimer(Math.min(wait, LONGEST_TIMER_MS), expired, true)
  }
}

function asked({
  round,
  kind,
  fingerprint,
  payload,
  expiresAt,
}: Question): Omit<ApprovalRequest, 'runId' | 'agentId' | 'path' | 'toolCallId' | 'toolName' | 'args'> {
  return {
    round,
    kind,
    fingerprint,
    ...(payload === undefined ? {} : { payload: asValue(payload) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

/** Whose run it is, and of which conversation, where there is one. */
function ownerOf({ memory, owner }: KeepableTree['options']): { threadId?: string; resourceId?: string } {
  if (!memory) return owner === undefined ? {} : { resourceId: owner }
  const { thread, resource } = memory
  return { threadId: typeof thread === 'string' ? thread : thread.id, resourceId: resource }
}

/** Arguments of models, and payloads of tools, are JSON already. */
function asValue(value: unknown): Value {
  const json = toJson(value)
  return json.ok ? (json.value as Value) : `[not saved: ${json.reason}]`
}
