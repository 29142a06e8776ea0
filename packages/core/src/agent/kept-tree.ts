import { runLost } from '../approvals/approval-errors.ts'
import type { Question } from '../approvals/question.ts'
import { isRetinueError, type RetinueError } from '../errors/retinue-error.ts'
import { unexpected } from '../loop/finish-run.ts'
import type { AskedCall, RunKeeper } from '../loop/run-keeper.ts'
import { warnIn } from '../memory/application.ts'
import { toJson } from '../shared/json.ts'
import type { Approval, ApprovalChange, ApprovalRequest, ApprovalStatus } from '../storage/approvals.ts'
import { InMemoryStorage } from '../storage/in-memory-storage.ts'
import type { Lease } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import type { Value } from '../storage/values.ts'
import type { AgentParts } from './agent-parts.ts'
import { askedCalls } from './asked-calls.ts'
import { isDurable, type KeepableTree } from './keepable.ts'
import { contextsOf, type LiveRun, liveRuns } from './live-runs.ts'
import { packTree } from './saved-tree.ts'
import { standingOf } from './standing.ts'

/** How long nobody else may work on a run after the last sign of life, in milliseconds. */
export const LEASE_MS = 10_000

/** What a tree begins with that was stored before. */
export interface TakenRun {
  readonly holder: string
  readonly version: number
  readonly standing: readonly Approval[]
  /** How long it had worked before. */
  readonly elapsedMs: number
  /** Whether it is kept when it has ended. */
  readonly durable: boolean
}

/** Where trees are kept: in the application's storage, or else in this process, which is said once. */
export function storageOf(parts: AgentParts, application: KeepableTree['application']): Storage {
  if (application.storage) return application.storage
  if (!parts.ownStorage) {
    parts.ownStorage = new InMemoryStorage()
    warnIn(
      application,
      'runs-in-process',
      `Runs of the agent "${parts.options.id}" that wait for a person are kept in this process alone. To keep them longer, give the application a storage: new Retinue({ agents, storage: new LibSQLStore({ id, url }) }).`,
    )
  }
  return parts.ownStorage
}

/** Begins to keep a tree; at once in its storage, where it is to survive a crash. */
export async function keepTree(tree: KeepableTree, taken?: TakenRun): Promise<KeptTree> {
  const kept = new KeptTree(tree, taken)
  // Under an id that the application chose somebody may have been asked before: that was another run.
  if (!taken && tree.call.runId !== undefined) await kept.passOver()
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

/** A tree of runs in a store: one row for all of it, and one for each question that it put to a person. */
export class KeptTree implements RunKeeper {
  readonly isDurable: boolean
  failure: RetinueError | undefined
  readonly #tree: KeepableTree
  readonly #storage: Storage
  readonly #holder: string
  readonly #keepsEnded: boolean
  readonly #begun: number
  readonly #standing = new Map<string, Approval>()
  /** The rounds of calls that a run of the same id was asked about before. */
  readonly #rounds = new Map<string, number>()
  readonly #live: LiveRun
  #settle: () => void = () => {}
  #moves: ApprovalChange[] = []
  #version: number
  /** The write that goes on, and the one that follows it with everything that happened meanwhile. */
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #stopBeating: (() => void) | undefined

  constructor(tree: KeepableTree, taken: TakenRun | undefined) {
    const { parts, application, run, call } = tree
    const { effects, runId, abort } = run.root
    this.#tree = tree
    this.#storage = storageOf(parts, application)
    this.#keepsEnded = taken ? taken.durable : isDurable(tree)
    // What was stored once is in the hands of people, and is lost no more.
    this.isDurable = this.#keepsEnded || taken !== undefined
    this.#holder = taken?.holder ?? effects.newId()
    this.#version = taken?.version ?? 0
    this.#begun = effects.now() - (taken?.elapsedMs ?? 0)
    for (const approval of taken?.standing ?? []) this.#standing.set(approval.toolCallId, approval)
    const live = liveRuns(this.#storage)
    const working = new Promise<void>((resolve) => {
      this.#settle = resolve
    })
    live.get(runId)?.stopClock?.()
    const { id: agentId } = parts.options
    const stop = (reason: unknown): void => abort.abort(reason)
    this.#live = { agentId, working, abort: stop, call, contexts: new Map(), stopClock: undefined }
    live.set(runId, this.#live)
    if (this.isDurable) this.#beat()
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
    } catch (thrown) {
      liveRuns(this.#storage).delete(this.#tree.run.root.runId)
      this.#stopped()
      throw thrown
    }
  }

  save(): Promise<void> {
    if (this.#next) return this.#next
    const next = this.#writing.then(() => {
      this.#next = undefined
      return this.#write('running', this.#lease())
    })
    this.#next = next
    this.#writing = next.catch(() => {})
    return next
  }

  async suspend(): Promise<void> {
    await this.#writing
    this.#stopBeating?.()
    await this.#write('suspended')
    this.#live.contexts = contextsOf(this.#tree.run)
    this.#stopped()
    await this.#startClock()
  }

  async end(): Promise<void> {
    await this.#writing
    this.#stopBeating?.()
    const { runId } = this.#tree.run.root
    try {
      // Others may go on with it, from what was written down last; where not even that can be said, the lease runs out.
      if (this.failure) return await this.#storage.runs.release({ runId, holder: this.#holder })
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

  #lease(): Lease {
    return { holder: this.#holder, until: this.#now() + LEASE_MS }
  }

  async #write(status: 'running' | 'suspended' | 'ended', lease?: Lease): Promise<void> {
    if (this.failure) throw this.failure
    const { run, call, options } = this.#tree
    const requests = this.#newRequests()
    const moves = this.#moves.splice(0)
    const elapsedMs = this.#now() - this.#begun
    try {
      this.#version = await this.#storage.runs.save({
        runId: run.root.runId,
        agentId: run.agentId,
        status,
        ...ownerOf(options),
        body: packTree(run, { call, durable: this.#keepsEnded, elapsedMs }),
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
  }

  /** What cannot be kept any more must not go on as if it were. */
  #failed(thrown: unknown): RetinueError {
    this.failure ??= isRetinueError(thrown) ? thrown : unexpected(thrown)
    this.#stopBeating?.()
    this.#tree.run.root.abort.abort(this.failure)
    return this.failure
  }

  /** The questions of the tree that the ledger does not have yet. A call that ended undecided, such as one whose tool is gone, asks no more. */
  #newRequests(): ApprovalRequest[] {
    const { run, options } = this.#tree
    const { runId } = run.root
    const rounds = new Map<string, number>()
    const requests: ApprovalRequest[] = []
    for (const { path, call, question } of askedCalls(run)) {
      const { toolCallId, toolName, args, edited } = call
      rounds.set(toolCallId, question.round)
      if (this.#standing.get(toolCallId)?.round === question.round) continue
      const place = { runId, agentId: run.agentId, path, ...ownerOf(options) }
      requests.push({ ...place, toolCallId, toolName, args: asValue(edited ?? args), ...asked(question) })
    }
    for (const { toolCallId, round } of this.#standing.values())
      if (rounds.get(toolCallId) !== round) this.#cancel(toolCallId)
    return requests
  }

  /** Signs of life, three in the time of a lease. */
  #beat(): void {
    const { effects, runId } = this.#tree.run.root
    const beat = (): void => {
      const lease = { runId, ...this.#lease() }
      // A store that does not answer is asked again; the lease itself says when it is too late.
      const renewed = this.#version === 0 ? Promise.resolve(true) : this.#storage.runs.renew(lease).catch(() => true)
      renewed.then((mine) => {
        if (!mine && this.#live.working) this.#failed(runLost(runId))
        else if (this.#live.working && !this.failure) this.#beat()
      })
    }
    this.#stopBeating = effects.startTimer(LEASE_MS / 3, beat, true)
  }

  /** Goes on with the run when the time for a decision is over. */
  async #startClock(): Promise<void> {
    const { parts, application, run } = this.#tree
    const times = [...this.#standing.values()].flatMap(({ status, expiresAt }) =>
      status === 'pending' && expiresAt !== undefined ? [expiresAt] : [],
    )
    if (times.length === 0) return
    const { goOnLater } = await import('./expired-runs.ts')
    const wait = Math.max(0, Math.min(...times) - this.#now())
    const expired = (): void => goOnLater({ parts, application }, run.root.runId)
    this.#live.stopClock = run.root.effects.startTimer(Math.min(wait, LONGEST_TIMER_MS), expired, true)
  }
}

/** What clocks can count. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1

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

/** Whose conversation it is, where there is one. */
function ownerOf({ memory }: KeepableTree['options']): { threadId?: string; resourceId?: string } {
  if (!memory) return {}
  const { thread, resource } = memory
  return { threadId: typeof thread === 'string' ? thread : thread.id, resourceId: resource }
}

/** Arguments of models, and payloads of tools, are JSON already. */
function asValue(value: unknown): Value {
  const json = toJson(value)
  return json.ok ? (json.value as Value) : `[not saved: ${json.reason}]`
}
