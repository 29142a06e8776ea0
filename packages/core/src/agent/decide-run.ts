import { approvalDecided, approvalExpired, decisionAborted, decisionInvalid } from '../approvals/approval-errors.ts'
import { type InheritedPart, inheritedPart, withInherited } from '../background/inherited.ts'
import { optionInvalid } from '../errors/option-errors.ts'
import type { LoopTool, Run } from '../loop/run.ts'
import { toJson } from '../shared/json.ts'
import { isObject } from '../shared/records.ts'
import type { Approval, Decision } from '../storage/approvals.ts'
import type { Storage } from '../storage/storage.ts'
import { runNotFound } from '../storage/storage-errors.ts'
import type { Value } from '../storage/values.ts'
import { askedCalls } from './asked-calls.ts'
import { directEffects } from './direct-effects.ts'
import { HeldLease } from './held-lease.ts'
import { liveRuns } from './live-runs.ts'
import type { OpenedRoot } from './open-run.ts'
import { openSaved, type Restored, restored } from './open-saved.ts'
import { openTask } from './open-task.ts'
import { removeRun } from './remove-run.ts'
import { assertResumeOptions, type DecisionOptions, resumedWith } from './resume-options.ts'
import { type SavedTree, unpackTree, withLog } from './saved-tree.ts'
import { standingOf } from './standing.ts'
import { storageOf } from './storage-of.ts'
import { chosen, type Site, takeRun } from './take-run.ts'
import { toolAt } from './tool-at.ts'
import { turnIsGone } from './turn-is-gone.ts'

/** What somebody decided on a call that waits; undefined where a run is only to go on. */
export type Verdict =
  | { readonly type: 'approve'; readonly args: unknown }
  | { readonly type: 'decline'; readonly reason: string | undefined }
  | { readonly type: 'answer'; readonly data: unknown }

/**
 * Takes a decision, once, and opens the run that it belongs to where it stopped. The decision is written last: everything that can be
 * wrong is wrong before, and rejects with a typed error; then nothing has changed. `waits`: for somebody who works on the run; else
 * `run-busy`.
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
  const lease = new HeldLease(storage, given.runId)
  const { stored, asked } = await takeRun(site, storage, lease, given, { decides: verdict !== undefined, waits })
  lease.hold()
  let opened: OpenedRoot | undefined
  try {
    // It was only announced: whoever worked on it died before it could be written down.
    if (stored.body === null) {
      await removeRun(storage, stored)
      throw runNotFound(stored.runId)
    }
    const standing = await standingOf(storage, stored.runId)
    const tree = await wholeTree(storage, stored.runId, site, unpackTree(stored.runId, stored.body))
    const live = liveRuns(storage).get(stored.runId)
    const opening = restored(stored.runId, tree, live, resumedWith(given))
    if (!site.task && (await turnIsGone(site, storage, stored, opening))) {
      await removeRun(storage, stored)
      throw runNotFound(stored.runId)
    }
    const taken = { stored, lease, standing }
    opened = site.task
      ? await openTask(site, site.task, opening, taken)
      : await openSaved(site.parts, site.application, opening, taken, log)
    const { keeper } = opened.run.root
    const deciding = verdict && { verdict, given, asked, standing, opening, run: opened.run }
    keeper?.goOn(deciding && (await decide(site, storage, deciding)))
    if (stored.status === 'ended') await lease.release()
    return opened
  } catch (thrown) {
    opened?.run.close()
    await lease.release()
    throw thrown
  }
}

/** What of a tree stands elsewhere: its log, and what the subagent of a task was handed. */
async function wholeTree(storage: Storage, runId: string, { task }: Site, stored: SavedTree): Promise<SavedTree> {
  const tree = await withLog(storage, runId, stored)
  const { inherits } = (task?.terms ?? {}) as { inherits?: InheritedPart }
  if (!inherits) return tree
  return { ...tree, run: withInherited(tree.run, await inheritedPart(storage, inherits)) }
}

const OPTIONS: Readonly<Record<Verdict['type'] | 'resume', readonly string[]>> = {
  approve: ['toolCallId', 'decidedBy', 'args'],
  decline: ['toolCallId', 'decidedBy', 'reason'],
  answer: ['toolCallId', 'decidedBy'],
  resume: [],
}

interface Deciding {
  readonly verdict: Verdict
  readonly given: DecisionOptions
  readonly asked: Approval | undefined
  readonly standing: readonly Approval[]
  readonly opening: Restored
  /** The run, which does not go on before the decision is written. */
  readonly run: Run
}

/** Writes the decision, and gives what then stands in the ledger; nothing, where it stood there before. */
async function decide(site: Site, storage: Storage, deciding: Deciding): Promise<Approval | undefined> {
  const { verdict, given, asked, standing, opening } = deciding
  const approval = chosen({ ...given, ...(asked ? { toolCallId: asked.toolCallId } : {}) }, standing)
  if (asked && asked.round !== approval.round) throw approvalDecided({ ...asked, status: 'void' })
  // Who approved it once does so again: whoever started it has died, and the run is gone on with.
  if (approval.status === 'started' && verdict.type !== 'decline' && !isBegun(opening, approval)) return undefined
  if (approval.status !== 'pending') throw approvalDecided(approval)
  const decision = await checkedDecision(deciding, approval)
  const { runId, toolCallId, round, expiresAt } = approval
  const at = directEffects.now()
  if (expiresAt !== undefined && expiresAt <= at) {
    const { goOnLater } = await import('./expired-runs.ts')
    goOnLater(site, runId)
    throw approvalExpired(approval)
  }
  if (given.abortSignal?.aborted) throw decisionAborted(runId)
  const to = verdict.type === 'decline' ? 'declined' : 'approved'
  const decided = await storage.approvals.change({ runId, toolCallId, round, from: ['pending'], to, decision, at })
  if (!decided) throw approvalDecided((await storage.approvals.get({ runId, toolCallId })) ?? approval)
  return decided
}

/** Whether a call is a delegation that was begun: nobody died over it, it waits for something below. */
function isBegun({ tree }: Restored, { toolCallId }: Approval): boolean {
  for (const { call } of askedCalls(tree.run)) if (call.toolCallId === toolCallId) return call.delegation !== undefined
  return false
}

/** The decision as it is written. What does not fit the tool is refused while it can still be mended. */
async function checkedDecision({ verdict, given, run, opening }: Deciding, approval: Approval): Promise<Decision> {
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
  const issues = await issuesWith(verdict.type, await toolAt(run, opening, approval), json.value)
  if (issues !== undefined)
    throw decisionInvalid(
      `What was given to the call "${toolCallId}" does not fit "${toolName}": ${issues}`,
      'Give what the schema of the tool wants. Nothing was decided.',
      facts,
    )
  return verdict.type === 'approve' ? { ...by, args: json.value as Value } : { ...by, resumeData: json.value as Value }
}

/** What is wrong with arguments, or an answer, as far as can be said before the call runs. */
async function issuesWith(
  type: 'approve' | 'answer',
  tool: LoopTool | undefined,
  value: unknown,
): Promise<string | undefined> {
  if (type === 'approve' && !isObject(value)) return 'arguments are an object'
  const checked = await (type === 'approve' ? tool?.check(value) : tool?.checkAnswer?.(value))
  return checked && !checked.ok ? checked.issues : undefined
}
