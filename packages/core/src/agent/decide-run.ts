import {
  approvalAmbiguous,
  approvalDecided,
  approvalExpired,
  approvalNotFound,
  decisionInvalid,
  runBusy,
} from '../approvals/approval-errors.ts'
import { optionInvalid } from '../errors/option-errors.ts'
import type { Application } from '../memory/application.ts'
import { ABORTED, AbortScope } from '../shared/abort.ts'
import { toJson } from '../shared/json.ts'
import type { Approval, Decision } from '../storage/approvals.ts'
import type { StoredRun } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { runNotFound } from '../storage/storage-errors.ts'
import type { Value } from '../storage/values.ts'
import type { AgentParts } from './agent-parts.ts'
import { askedCalls } from './asked-calls.ts'
import { directEffects } from './direct-effects.ts'
import { LEASE_MS, storageOf } from './kept-tree.ts'
import { liveRuns } from './live-runs.ts'
import type { OpenedRoot } from './open-run.ts'
import { openSaved, type Restored, restored } from './open-saved.ts'
import { assertResumeOptions, type DecisionOptions, resumedWith } from './resume-options.ts'
import { unpackTree } from './saved-tree.ts'
import { standingOf } from './standing.ts'
import { toolAt } from './tool-at.ts'

/** What somebody decided on a call that waits; undefined where a run is only to go on. */
export type Verdict =
  | { readonly type: 'approve'; readonly args: unknown }
  | { readonly type: 'decline'; readonly reason: string | undefined }
  | { readonly type: 'answer'; readonly data: unknown }

/** An agent, where its runs are kept. */
export interface Site {
  readonly parts: AgentParts
  readonly application: Application
}

/** How often somebody who waits for a run looks whether it has stopped, in milliseconds. */
const LOOK_MS = 50

/**
 * Takes a decision, once, and opens the run that it belongs to where it stopped. Everything that can be wrong is wrong before the
 * decision is written, and rejects with a typed error: then nothing has changed. `waits`: for somebody who works on the run; else `run-busy`.
 */
export async function openDecided(
  site: Site,
  verdict: Verdict | undefined,
  given: DecisionOptions,
  log: boolean,
  waits = true,
): Promise<OpenedRoot> {
  assertResumeOptions(given, OPTIONS[verdict?.type ?? 'resume'])
  const storage = storageOf(site.parts, site.application)
  const holder = directEffects.newId()
  const { stored, asked } = await take(site, storage, holder, given, { decides: verdict !== undefined, waits })
  try {
    const standing = await standingOf(storage, stored.runId)
    const live = liveRuns(storage).get(stored.runId)
    const opening = restored(stored.runId, unpackTree(stored.runId, stored.body), live, resumedWith(given))
    const decided = verdict ? await decide(site, storage, { verdict, given, asked, standing, opening }) : standing
    const opened = await openSaved(site.parts, site.application, opening, { stored, holder, standing: decided }, log)
    if (stored.status === 'ended') await storage.runs.release({ runId: stored.runId, holder })
    return opened
  } catch (thrown) {
    await storage.runs.release({ runId: stored.runId, holder })
    throw thrown
  }
}

const OPTIONS: Readonly<Record<Verdict['type'] | 'resume', readonly string[]>> = {
  approve: ['toolCallId', 'decidedBy', 'args'],
  decline: ['toolCallId', 'decidedBy', 'reason'],
  answer: ['toolCallId', 'decidedBy'],
  resume: [],
}

/**
 * Takes the lease of a run. Somebody who works on it is waited for; who waits to decide is told as soon as another has. `asked`: what the
 * decision is about, if that was known before the run could be taken.
 */
async function take(
  site: Site,
  storage: Storage,
  holder: string,
  given: DecisionOptions,
  { decides, waits }: { decides: boolean; waits: boolean },
): Promise<{ readonly stored: StoredRun; readonly asked: Approval | undefined }> {
  const { runId, abortSignal } = given
  const scope = new AbortScope(abortSignal)
  let asked: Approval | undefined
  try {
    for (;;) {
      if (decides) asked = await openQuestion(site, storage, given, asked)
      const at = directEffects.now()
      const { working } = liveRuns(storage).get(runId) ?? {}
      const taken = working ? undefined : await storage.runs.acquire({ runId, holder, until: at + LEASE_MS, at })
      if (taken && taken.agentId !== site.parts.options.id) {
        await storage.runs.release({ runId, holder })
        throw runNotFound(runId)
      }
      if (taken) return { stored: taken, asked }
      if (!waits) throw runBusy(runId)
      if ((await scope.race(Promise.race([working, later()].filter((each) => each !== undefined)))) === ABORTED)
        throw runBusy(runId)
    }
  } finally {
    scope.dispose()
  }
}

function later(): Promise<void> {
  return new Promise((resolve) => {
    directEffects.startTimer(LOOK_MS, resolve)
  })
}

/**
 * The question that a decision is about, as far as is written: the one that stood there when it came. What is asked later, nobody had
 * seen who decided. One that was started by somebody who died can be gone on with.
 */
async function openQuestion(
  { parts }: Site,
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

interface Deciding {
  readonly verdict: Verdict
  readonly given: DecisionOptions
  readonly asked: Approval | undefined
  readonly standing: readonly Approval[]
  readonly opening: Restored
}

/** Writes the decision, and gives what then stands in the ledger. */
async function decide(site: Site, storage: Storage, deciding: Deciding): Promise<readonly Approval[]> {
  const { verdict, given, asked, standing, opening } = deciding
  const approval = chosen({ ...given, ...(asked ? { toolCallId: asked.toolCallId } : {}) }, standing)
  if (asked && asked.round !== approval.round) throw approvalDecided({ ...asked, status: 'void' })
  // Who approved it once does so again: whoever started it has died, and the run is gone on with.
  if (approval.status === 'started' && verdict.type !== 'decline' && !isBegun(opening, approval)) return standing
  if (approval.status !== 'pending') throw approvalDecided(approval)
  const at = directEffects.now()
  const decision = await checkedDecision(site, deciding, approval)
  const { runId, toolCallId, round, expiresAt } = approval
  if (expiresAt !== undefined && expiresAt <= at) {
    const { goOnLater } = await import('./expired-runs.ts')
    goOnLater(site, runId)
    throw approvalExpired(approval)
  }
  const to = verdict.type === 'decline' ? 'declined' : 'approved'
  const decided = await storage.approvals.change({ runId, toolCallId, round, from: ['pending'], to, decision, at })
  if (!decided) throw approvalDecided((await storage.approvals.get({ runId, toolCallId })) ?? approval)
  return standing.map((each) => (each.toolCallId === toolCallId ? decided : each))
}

/** Whether a call is a delegation that was begun: nobody died over it, it waits for something below. */
function isBegun({ tree }: Restored, { toolCallId }: Approval): boolean {
  for (const { call } of askedCalls(tree.run)) if (call.toolCallId === toolCallId) return call.delegation !== undefined
  return false
}

/** The call that is decided: the one that is named, or the only one that waits. */
function chosen({ runId, toolCallId }: DecisionOptions, standing: readonly Approval[]): Approval {
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

/** The decision as it is written. What does not fit the tool is refused while it can still be mended. */
async function checkedDecision(
  site: Site,
  { verdict, given, opening }: Deciding,
  approval: Approval,
): Promise<Decision> {
  const by = given.decidedBy === undefined ? {} : { by: given.decidedBy }
  const { toolName, toolCallId, kind } = approval
  const facts = { runId: approval.runId, toolCallId }
  if (verdict.type === 'decline') return { ...by, ...(verdict.reason === undefined ? {} : { reason: verdict.reason }) }
  if (verdict.type === 'approve' && kind === 'suspension')
    throw decisionInvalid(
      `The call "${toolCallId}" of "${toolName}" wants an answer, and no approval.`,
      'Answer it: resumeStream(data, { runId, toolCallId }).',
      facts,
    )
  if (verdict.type === 'answer' && kind === 'approval')
    throw decisionInvalid(
      `The call "${toolCallId}" of "${toolName}" waits for an approval, and no answer.`,
      'Decide it: approveToolCall({ runId, toolCallId }).',
      facts,
    )
  const value = verdict.type === 'approve' ? verdict.args : verdict.data
  if (verdict.type === 'approve' && value === undefined) return by
  const json = toJson(value)
  if (value === undefined || !json.ok)
    throw optionInvalid(
      `What was given to the call "${toolCallId}" can't be kept: ${json.ok ? 'there is nothing' : json.reason}.`,
      'Give plain JSON.',
      facts,
    )
  const tool = await toolAt(site.parts, approval.path, toolName, opening)
  const checked = await (verdict.type === 'approve' ? tool?.check(json.value) : tool?.checkAnswer?.(json.value))
  if (checked && !checked.ok)
    throw decisionInvalid(
      `What was given to the call "${toolCallId}" does not fit "${toolName}": ${checked.issues}`,
      'Give what the schema of the tool wants. Nothing was decided.',
      facts,
    )
  return verdict.type === 'approve' ? { ...by, args: json.value as Value } : { ...by, resumeData: json.value as Value }
}
