import { forkContext } from '../context/request-context.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import { brandEnvelope, type DelegationEnvelope } from '../events/envelope.ts'
import { addUsage } from '../events/usage.ts'
import { DELEGATION } from '../loop/budget.ts'
import type { DelegationHookContext } from '../loop/delegation-settings.ts'
import type { OpenDelegation } from '../loop/open-delegation.ts'
import { type CallRef, emit, type Run, WAITING } from '../loop/run.ts'
import type { Reference } from '../loop/run-state.ts'
import { usageSoFar } from '../loop/usage-so-far.ts'
import { countCall, stoppedBelow } from '../loop/within-budget.ts'
import { disarm } from '../messages/framework-note.ts'
import { ABORTED } from '../shared/abort.ts'
import type { DelegatedRequest, DelegatedResult, DelegateTarget } from './delegate-target.ts'
import { threadFor } from './delegation-thread.ts'
import type { HookErrors } from './hooks.ts'
import { type Prepared, prepare, promptOf } from './prepare-delegation.ts'
import { keepReference, newReference, referredMessages } from './references.ts'
import { askForReview, type Delegated, ended } from './review.ts'
import { cancelledResult, failedResult, rejectedEnvelope, settle } from './settle.ts'
import { toModelText } from './to-model-text.ts'
import { work } from './work.ts'

/** A delegation that may be made: under which key, and what the parent's model asked for. */
export interface DelegationOrder {
  readonly key: string
  readonly prompt: string
  readonly input: unknown
  /** Ids of earlier results that the child is handed. */
  readonly references: readonly string[]
}

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
  const open = call.delegation as OpenDelegation
  const { facts, errors, thread } = open
  const { key } = facts
  const request = requestOf(run, call, target, open)
  const started = { toolCallId: call.toolCallId, key, agentId: target.id, runId: open.runId }
  if (!call.calledOff) emit(run, 'delegation-start', { ...started, prompt: facts.prompt })
  const result = call.calledOff ? calledOff(open) : await work(run, key, target, request)
  if (result.finishReason === 'suspended' && open.child) return WAITING
  const settled = settle(result, thread)
  const reference = referenceFor(run, key, settled)
  const envelope = reference ? brandEnvelope({ ...settled, ref: reference.id }) : settled
  const reviewed = await askForReview(run, facts, envelope, result, open.begun, errors)
  // What a hook put in its place is what the id stands for.
  if (reference && reviewed.resultText !== undefined) reference.text = disarm(reviewed.resultText)
  emit(run, 'delegation-end', { ...started, status: envelope.status, usage: envelope.totalUsage })
  call.apply = () => {
    addUsage(run.state.totalUsage, result.totalUsage)
    accountFor(run, open.runId, result)
    if (reference) keepReference(run, reference)
  }
  return reviewed
}

/** How a delegation ends that waits for a person, and that its parent needs no more: with what it has. */
function calledOff({ child }: OpenDelegation): DelegatedResult {
  if (!child) return cancelledResult()
  const { text, usage, messages } = child.state
  return { text, finishReason: 'aborted', usage, totalUsage: usageSoFar(child), messages }
}

/** Asks hooks and filter, and opens the delegation; how it ended, where it does not begin. */
function begin(run: Run, call: CallRef, target: DelegateTarget, order: DelegationOrder): Begun | Promise<Begun> {
  const errors: HookErrors = []
  const requestContext = forkContext(run.requestContext)
  const facts = factsOf(run, call, target, order)
  const thread = threadFor(run, order.key)
  const failing = (thrown: unknown): Begun => ended(settle(failedResult(thrown, order.key), thread), errors)
  const opening = ({ decision, messages }: Prepared): Begun => {
    if (decision.proceed === false) return ended(rejectedEnvelope(decision.rejectionReason, thread), errors)
    // Only now is it sure to begin; whatever was counted before could be rejected.
    const over = countCall(run, 'delegations', DELEGATION, order.key)
    if (over) return over
    const { modifiedPrompt, modifiedInstructions, modifiedMaxSteps } = decision
    const { references, input } = order
    run.root.children += 1
    call.delegation = {
      facts: { ...facts, prompt: promptOf(facts, decision) },
      runId: `${run.root.runId}.${run.root.children}`,
      thread,
      requestContext,
      // What a hook put in the prompt's place stands in the input's place too: it may have taken something out.
      input: modifiedPrompt === undefined ? input : undefined,
      instructions: modifiedInstructions,
      maxSteps: modifiedMaxSteps,
      messages: references.length === 0 ? messages : [...messages, ...referredMessages(run, references)],
      errors,
      begun: run.delegation.onDelegationComplete ? run.root.effects.now() : 0,
      child: undefined,
      saved: undefined,
    }
    return undefined
  }
  try {
    const preparing = prepare(run, target, facts, requestContext, errors)
    if (!(preparing instanceof Promise)) return opening(preparing)
    const cancelled = (): Begun => ended(settle(cancelledResult(), thread), errors)
    return run.scope.race(preparing).then((ready) => (ready === ABORTED ? cancelled() : opening(ready)), failing)
  } catch (thrown) {
    return failing(thrown)
  }
}

/** Nothing: the delegation is open. */
type Begun = Delegated | RetinueError | undefined

/** The id under which a completed result can be handed on, where the parent has them. */
function referenceFor(run: Run, key: string, envelope: DelegationEnvelope): Reference | undefined {
  if (!run.delegation.enableResultReferences || envelope.status !== 'completed') return undefined
  return newReference(run, key, toModelText(key, envelope))
}

function factsOf(
  run: Run,
  { toolCallId }: CallRef,
  target: DelegateTarget,
  { key, prompt, input, references }: DelegationOrder,
): DelegationHookContext {
  return {
    primitiveId: target.id,
    primitiveType: 'agent',
    key,
    prompt,
    ...(input === undefined ? {} : { input }),
    ...(references.length === 0 ? {} : { contextFromRefs: references }),
    iteration: run.state.iteration,
    runId: run.state.runId,
    toolCallId,
    parentAgentId: run.agentId,
    ...(run.thread ? { threadId: run.thread.threadId, resourceId: run.thread.resourceId } : {}),
    path: run.state.path,
  }
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
function accountFor(run: Run, childRunId: string, { error, totalUsage }: DelegatedResult): void {
  const isOurs = run.root.begun.has(childRunId)
  if (run.budget.metered && !isOurs) run.budget.spend('', totalUsage)
  // What a budget of ours stopped; the budgets of others are theirs.
  if (isOurs && error?.code === 'budget-spent' && error.data['own'] === false) stoppedBelow(run, error)
}
