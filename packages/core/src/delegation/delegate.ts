import type { ErrorInfo, RetinueError } from '../errors/retinue-error.ts'
import { brandEnvelope, type DelegationEnvelope } from '../events/envelope.ts'
import { addUsage, type Usage } from '../events/usage.ts'
import type { OpenDelegation } from '../loop/open-delegation.ts'
import { type CallRef, emit, type Run, WAITING } from '../loop/run.ts'
import type { Reference } from '../loop/run-state.ts'
import { usageSoFar } from '../loop/usage-so-far.ts'
import { stoppedBelow } from '../loop/within-budget.ts'
import { disarm } from '../messages/framework-note.ts'
import { begin, type DelegationOrder } from './begin-delegation.ts'
import type { DelegatedRequest, DelegatedResult, DelegateTarget } from './delegate-target.ts'
import { threadFor } from './delegation-thread.ts'
import { keepReference, newReference } from './references.ts'
import { askForReview, type Delegated } from './review.ts'
import { cancelledResult, settle } from './settle.ts'
import { toModelText } from './to-model-text.ts'
import { work } from './work.ts'

/**
 * One delegation, from the call to its outcome: decide (start hook), select what the child may see, open its run, let it work while
 * its events flow into the tree's log, settle, review (complete hook). It never throws; an error is what the budget has no room for.
 * `WAITING`: the child waits for a person. Called again with the same call, the delegation goes on, and needs no order.
 */
export async function delegate(
  run: Run,
  call: CallRef,
  target: DelegateTarget,
  order: DelegationOrder | undefined,
): Promise<Delegated | RetinueError | typeof WAITING> {
  if (order) {
    const beginning = begin(run, call, target, order)
    const begun = beginning instanceof Promise ? await beginning : beginning
    if (begun) return begun
  }
  for (;;) {
    const open = call.delegation as OpenDelegation
    const request = requestOf(run, call, target, open)
    if (!call.calledOff) emit(run, 'delegation-start', { ...startedAs(call, target, open), prompt: open.facts.prompt })
    const result = call.calledOff ? calledOff(open) : await work(run, open.facts.key, target, request)
    if (result.finishReason === 'suspended' && open.child) return WAITING
    const settled = settle(result, open.thread)
    if (!call.again || settled.status !== 'failed' || !(await call.again(failureIn(settled))))
      return reviewed(run, call, target, open, result, settled)
    tryAgain(run, call, target, open, result, settled)
  }
}

/** The end of a delegation: its hook has its say, and what it used and left is on the call. */
async function reviewed(
  run: Run,
  call: CallRef,
  target: DelegateTarget,
  open: OpenDelegation,
  result: DelegatedResult,
  settled: DelegationEnvelope,
): Promise<Delegated> {
  const { facts, errors } = open
  const { key } = facts
  const reference = referenceFor(run, key, settled)
  const envelope = reference ? brandEnvelope({ ...settled, ref: reference.id }) : settled
  const said = await askForReview(run, facts, envelope, result, open.begun, errors)
  // What a hook put in its place is what the id stands for.
  if (reference && said.resultText !== undefined) reference.text = disarm(said.resultText)
  const { status, totalUsage: usage } = envelope
  emit(run, 'delegation-end', { ...startedAs(call, target, open), status, usage })
  open.ended = { totalUsage: result.totalUsage, error: result.error, reference }
  return said
}

function startedAs({ toolCallId }: CallRef, { id: agentId }: DelegateTarget, { facts, runId }: OpenDelegation) {
  return { toolCallId, key: facts.key, agentId, runId }
}

/** Another attempt is another run, in a thread of its own; what the one before used is used all the same. */
function tryAgain(
  run: Run,
  call: CallRef,
  target: DelegateTarget,
  open: OpenDelegation,
  { totalUsage, error }: DelegatedResult,
  { status }: DelegationEnvelope,
): void {
  emit(run, 'delegation-end', { ...startedAs(call, target, open), status, usage: totalUsage })
  addUsage(run.state.totalUsage, totalUsage)
  accountFor(run, open.runId, totalUsage, error)
  run.root.children += 1
  const runId = `${run.root.runId}.${run.root.children}`
  call.delegation = { ...open, runId, thread: threadFor(run, open.facts.key), child: undefined, saved: undefined }
}

/** Why an attempt failed, as it can be told. */
function failureIn({ error, finishReason }: DelegationEnvelope): ErrorInfo {
  return error ?? { code: 'delegation-failed', message: `It ended with the finish reason ${finishReason}.` }
}

/**
 * Takes down what a delegation used and left, together with the outcome of its call: whatever is saved has both, or none. It is no closure
 * that the call carries: see `keepRoot`.
 */
export function takeDown({ delegation }: CallRef, run: Run): void {
  if (!delegation?.ended) return
  const { totalUsage, error, reference } = delegation.ended
  addUsage(run.state.totalUsage, totalUsage)
  accountFor(run, delegation.runId, totalUsage, error)
  if (reference) keepReference(run, reference)
}

/** How a delegation ends that waits for a person, and that its parent needs no more: with what it has. */
function calledOff({ child }: OpenDelegation): DelegatedResult {
  if (!child) return cancelledResult()
  const { text, usage, messages } = child.state
  return { text, finishReason: 'aborted', usage, totalUsage: usageSoFar(child), messages }
}

/** The id under which a completed result can be handed on, where the parent has them. */
function referenceFor(run: Run, key: string, envelope: DelegationEnvelope): Reference | undefined {
  if (!run.delegation.enableResultReferences || envelope.status !== 'completed') return undefined
  return newReference(run, key, toModelText(key, envelope))
}

/** The work as the child is handed it. */
function requestOf(
  run: Run,
  { toolCallId, toolName }: CallRef,
  target: DelegateTarget,
  open: OpenDelegation,
): DelegatedRequest {
  const { root, state, scope } = run
  const { facts, runId, messages, input, instructions, maxSteps, requestContext, thread, saved } = open
  const path = Object.freeze([...state.path, facts.key])
  root.log?.addScope(runId, { toolCallId, toolName, parentRunId: state.runId, path })
  return {
    prompt: facts.prompt,
    input,
    messages,
    instructions,
    maxSteps,
    runId,
    path,
    requestContext,
    abortSignal: scope.signal,
    scope,
    root,
    thread,
    budget: run.budget,
    gates: run.gates,
    lineage: [...run.lineage, target],
    saved,
    opened: (child) => {
      open.child = child
    },
  }
}

/** What a child's end means for the budget of its parent: what only the result tells of was not counted while it was used. */
function accountFor(run: Run, childRunId: string, totalUsage: Usage, error: RetinueError | undefined): void {
  const isOurs = run.root.begun.has(childRunId)
  if (run.budget.metered && !isOurs) run.budget.spend('', totalUsage)
  // What a budget of ours stopped; the budgets of others are theirs.
  if (isOurs && error?.code === 'budget-spent' && error.data['own'] === false) stoppedBelow(run, error)
}
