import {
  approvalAmbiguous,
  approvalDecided,
  approvalNotFound,
  decisionAborted,
  runBusy,
} from '../approvals/approval-errors.ts'
import type { Application } from '../memory/application.ts'
import { ABORTED, AbortScope } from '../shared/abort.ts'
import type { Approval } from '../storage/approvals.ts'
import type { StoredRun } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { runNotFound } from '../storage/storage-errors.ts'
import type { StoredTask } from '../storage/tasks.ts'
import type { AgentParts } from './agent-parts.ts'
import { directEffects } from './direct-effects.ts'
import type { HeldLease } from './held-lease.ts'
import { filedAs } from './keepable.ts'
import { liveRuns } from './live-runs.ts'
import type { DecisionOptions } from './resume-options.ts'

/** An agent, where its runs are kept. */
export interface Site {
  readonly parts: AgentParts
  readonly application: Application
  /** The background task of the agent that is meant, and none of its own runs. */
  readonly task?: StoredTask | undefined
}

/** How often somebody who waits for a run looks whether it has stopped, in milliseconds: at first, and in the end. */
const LOOK_MS = { first: 50, last: 500 } as const

/**
 * Takes the lease of a run. Somebody who works on it is waited for; who waits to decide is told as soon as another has. `asked`: what the
 * decision is about, if that was known before the run could be taken.
 */
export async function takeRun(
  site: Site,
  storage: Storage,
  lease: HeldLease,
  given: DecisionOptions,
  { decides, waits }: { decides: boolean; waits: boolean },
): Promise<{ readonly stored: StoredRun; readonly asked: Approval | undefined }> {
  const { parts } = site
  const { runId, abortSignal } = given
  const scope = new AbortScope(abortSignal)
  let asked: Approval | undefined
  let look: number = LOOK_MS.first
  try {
    for (;;) {
      if (decides) asked = await openQuestion(parts, storage, given, asked)
      if (scope.aborted) throw decisionAborted(runId)
      const { working } = liveRuns(storage).get(runId) ?? {}
      const taken = working ? undefined : await acquired(storage, runId, lease)
      if (taken && taken.agentId !== filedAs(site)) {
        await lease.release()
        throw runNotFound(runId)
      }
      if (taken) return { stored: taken, asked }
      if (!waits) throw runBusy(runId)
      const waiting = Promise.race([working, later(look)].filter((each) => each !== undefined))
      if ((await scope.race(waiting)) === ABORTED) throw decisionAborted(runId)
      look = Math.min(look * 2, LOOK_MS.last)
    }
  } finally {
    scope.dispose()
  }
}

async function acquired(storage: Storage, runId: string, lease: HeldLease): Promise<StoredRun | undefined> {
  try {
    return await storage.runs.acquire({ runId, ...lease.terms(), at: directEffects.now() })
  } catch (thrown) {
    // It ended somewhere else: what this process knew of it is of no use any more.
    liveRuns(storage).get(runId)?.stopClock?.()
    liveRuns(storage).delete(runId)
    throw thrown
  }
}

function later(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    directEffects.startTimer(milliseconds, resolve)
  })
}

/**
 * The question that a decision is about, as far as is written: the one that stood there when it came. What is asked later, nobody had
 * seen who decided. One that was started by somebody who died can be gone on with.
 */
async function openQuestion(
  parts: AgentParts,
  storage: Storage,
  { runId, toolCallId }: DecisionOptions,
  asked: Approval | undefined,
): Promise<Approval | undefined> {
  if (!asked && toolCallId === undefined) {
    const { items } = await storage.approvals.list({ runId, agentId: parts.options.id, status: 'pending', limit: 500 })
    return items.length === 0 ? undefined : chosen({ runId }, items)
  }
  const approval = await storage.approvals.get({ runId, toolCallId: asked?.toolCallId ?? (toolCallId as string) })
  if (asked && approval?.round !== asked.round) throw approvalDecided({ ...asked, status: 'void' })
  if (approval && approval.status !== 'pending' && approval.status !== 'started') throw approvalDecided(approval)
  return approval
}

/** The call that is decided: the one that is named, or the only one that waits. */
export function chosen({ runId, toolCallId }: DecisionOptions, standing: readonly Approval[]): Approval {
  if (toolCallId !== undefined) {
    const named = standing.find((approval) => approval.toolCallId === toolCallId)
    if (!named) throw approvalNotFound(runId, toolCallId)
    return named
  }
  const [only, ...others] = standing.filter(({ status }) => status === 'pending')
  const started = standing.filter(({ status }) => status === 'started')
  if (!only && started.length === 1) return started[0] as Approval
  if (!only) throw approvalNotFound(runId, undefined)
  if (others.length > 0)
    throw approvalAmbiguous(
      runId,
      [only, ...others].map((approval) => approval.toolCallId),
    )
  return only
}
