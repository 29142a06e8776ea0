import { runBusy } from '../approvals/approval-errors.ts'
import { OPEN } from '../background/open-states.ts'
import { soundTerms } from '../background/stored-terms.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { Application } from '../memory/application.ts'
import { allPages } from '../storage/page.ts'
import type { RunFacts, StoredRun } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import type { ThreadKey } from '../storage/threads.ts'
import { directEffects } from './direct-effects.ts'
import { HeldLease } from './held-lease.ts'
import { removeRun } from './remove-run.ts'
import { unpackTree } from './saved-tree.ts'
import { taskManagerIn } from './task-manager-in.ts'
import { taskAt } from './task-of-decision.ts'

const WHY = 'what it belongs to was said anew'

/** How long tasks are claimed that nobody is told of, in milliseconds. */
const CLAIM_MS = 10_000

interface Held {
  readonly lease: HeldLease
  readonly stored: StoredRun
}

/**
 * What still waits or works for turns that are about to be deleted: their runs, which nobody else may take from now on, and their
 * background tasks. It ends once they are gone, and not before: until then each can go on as if nothing had been said. Whoever dies between
 * leaves the leases of runs that wait, by which `recover` finds them.
 */
export class TurnsToEnd {
  readonly #storage: Storage
  readonly #application: Application
  readonly #key: ThreadKey
  readonly #runIds: ReadonlySet<string>
  #held: readonly Held[]
  #isLost = false
  #areGone = false

  private constructor(
    storage: Storage,
    application: Application,
    key: ThreadKey,
    runIds: ReadonlySet<string>,
    held: readonly Held[],
  ) {
    this.#storage = storage
    this.#application = application
    this.#key = key
    this.#runIds = runIds
    this.#held = held
    for (const { lease } of held) {
      lease.onLost = () => {
        this.#isLost = true
      }
      lease.hold()
    }
  }

  /**
   * Takes the runs, all or none; `by`: the one that takes the place of those turns. Rejects with `run-busy` while somebody else works on
   * one of them.
   */
  static async take(
    storage: Storage,
    application: Application,
    key: ThreadKey,
    runIds: ReadonlySet<string>,
    by: string,
  ): Promise<TurnsToEnd> {
    const held: Held[] = []
    try {
      for (const { runId } of await unended(storage, key)) {
        if (runId === by || !(runIds.has(runId) || (await saidNothingYet(storage, runId)))) continue
        const taken = await take(storage, runId)
        if (taken) held.push(taken)
      }
    } catch (thrown) {
      await Promise.all(held.map(({ lease }) => lease.release()))
      throw thrown
    }
    return new TurnsToEnd(storage, application, key, runIds, held)
  }

  /** Throws `run-busy` if somebody else has one of the runs by now. */
  assertHeld(): void {
    if (this.#isLost) throw runBusy([...this.#runIds].at(-1) ?? '')
  }

  /** The turns are deleted: ends what is left of them. It can be called again where it failed. */
  async end(by: string): Promise<void> {
    this.#areGone = true
    for (const { lease, stored } of this.#held) {
      await removeRun(this.#storage, stored).catch(unlessGone)
      lease.end()
      this.#held = this.#held.filter((each) => each.lease !== lease)
    }
    if (this.#application.background) await endTasks(this.#storage, this.#application, this.#key, this.#runIds, by)
  }

  /** Lets go of what has not ended. What could not be ended although its turn is gone keeps its lease, which marks it. */
  async release(): Promise<void> {
    const held = this.#held
    this.#held = []
    if (this.#areGone) for (const { lease } of held) lease.end()
    else await Promise.all(held.map(({ lease }) => lease.release()))
  }
}

async function unended(storage: Storage, { threadId, resourceId }: ThreadKey): Promise<RunFacts[]> {
  const found: RunFacts[] = []
  // Those that have ended are kept for their results.
  for (const status of ['running', 'suspended'] as const)
    found.push(...(await allPages((page) => storage.runs.list({ threadId, resourceId, status, ...page }))))
  return found
}

/** Whether somebody died over a run before anything of it came into the thread: it would come after what now takes its place. */
async function saidNothingYet(storage: Storage, runId: string): Promise<boolean> {
  try {
    const { body } = await storage.runs.get(runId)
    if (body === null) return false
    const { kept, thread } = unpackTree(runId, body).run
    return kept !== undefined && kept.pending.length > 0 && thread?.readOnly === false
  } catch (thrown) {
    if (isRetinueError(thrown, 'run-not-found') || isRetinueError(thrown, 'storage-row-unreadable')) return false
    throw thrown
  }
}

async function take(storage: Storage, runId: string): Promise<Held | undefined> {
  const lease = new HeldLease(storage, runId)
  try {
    const stored = await storage.runs.acquire({ runId, ...lease.terms(), at: directEffects.now() })
    if (!stored) throw runBusy(runId)
    if (stored.status !== 'ended') return { lease, stored }
    await lease.release()
    return undefined
  } catch (thrown) {
    // It ended meanwhile.
    if (isRetinueError(thrown, 'run-not-found')) return undefined
    throw thrown
  }
}

function unlessGone(thrown: unknown): void {
  if (!isRetinueError(thrown, 'run-not-found')) throw thrown
}

/** Ends the tasks of runs but for those that are detached or in `spared`, and tells nobody of them; `by`: who says so. */
export async function endTasks(
  storage: Storage,
  application: Application,
  { threadId, resourceId }: ThreadKey,
  runIds: ReadonlySet<string>,
  by: string,
  spared: ReadonlySet<string> = new Set(),
): Promise<void> {
  const manager = await taskManagerIn(application)
  const open = await allPages((page) => storage.tasks.list({ threadId, resourceId, status: OPEN, ...page }))
  for (const { taskId, rootRunId } of open) {
    if (!runIds.has(rootRunId) || spared.has(taskId)) continue
    const task = await taskAt(storage, taskId)
    if (!task || soundTerms(task)?.detached) continue
    await manager.cancel(taskId, WHY)
  }
  const ended = await allPages((page) => storage.tasks.list({ threadId, resourceId, undelivered: true, ...page }))
  const taskIds = ended.flatMap(({ taskId, rootRunId }) => (runIds.has(rootRunId) ? [taskId] : []))
  if (taskIds.length === 0) return
  const at = directEffects.now()
  await storage.tasks.claim({ taskIds, by, until: at + CLAIM_MS, at })
  await storage.tasks.deliver({ taskIds, by, at })
}
