import { forkContext } from '../context/request-context.ts'
import { isRetinueError, type RetinueError } from '../errors/retinue-error.ts'
import { brandEnvelope, type DelegationEnvelope } from '../events/envelope.ts'
import { addUsage } from '../events/usage.ts'
import { DELEGATION } from '../loop/budget.ts'
import type { DelegationHookContext, DelegationStartDecision } from '../loop/delegation-settings.ts'
import { type CallRef, emit, type Run } from '../loop/run.ts'
import type { Reference } from '../loop/run-state.ts'
import { countCall, stoppedBelow } from '../loop/within-budget.ts'
import type { ThreadIds } from '../memory/kept-conversation.ts'
import { disarm } from '../messages/framework-note.ts'
import type { Message } from '../messages/message.ts'
import { ABORTED } from '../shared/abort.ts'
import type { DelegatedRequest, DelegatedResult, DelegateTarget } from './delegate-target.ts'
import { threadFor } from './delegation-thread.ts'
import { askStartHook, failsClosed, type HookErrors } from './hooks.ts'
import { addReference, referredMessages } from './references.ts'
import { askForReview, type Delegated, ended } from './review.ts'
import { selectMessages } from './select-messages.ts'
import { cancelledResult, failedResult, rejectedEnvelope, settle } from './settle.ts'
import { toModelText } from './to-model-text.ts'
import { work } from './work.ts'

/** A delegation that may be made: to whom, and what the parent's model asked for. */
export interface DelegationOrder {
  readonly key: string
  readonly target: DelegateTarget
  readonly prompt: string
  readonly input: unknown
  /** Ids of earlier results that the child is handed. */
  readonly references: readonly string[]
}

/**
 * One delegation, from the call to its outcome: decide (start hook), select what the child may see, open its run, let it work while
 * its events flow into the tree's log, settle, review (complete hook). It never throws; an error is what the budget has no room for.
 */
export async function delegate(
  run: Run,
  call: CallRef,
  delegation: DelegationOrder,
): Promise<Delegated | RetinueError> {
  const errors: HookErrors = []
  const requestContext = forkContext(run.requestContext)
  const facts = factsOf(run, call, delegation)
  const thread = threadFor(run, delegation.key)
  let prepared: Prepared
  try {
    const preparing = prepare(run, delegation.target, facts, requestContext, errors)
    const ready = preparing instanceof Promise ? await run.scope.race(preparing) : preparing
    if (ready === ABORTED) return ended(settle(cancelledResult(), thread), errors)
    prepared = ready
  } catch (thrown) {
    return ended(settle(failedResult(thrown, delegation.key), thread), errors)
  }
  const { decision, messages } = prepared
  if (decision.proceed === false) {
    return ended(rejectedEnvelope(decision.rejectionReason, thread), errors)
  }
  // Only now is it sure to begin; whatever was counted before could be rejected.
  const over = countCall(run, 'delegations', DELEGATION, delegation.key)
  if (over) return over
  const asked = { ...facts, prompt: promptOf(facts, decision) }
  const request = open(run, call, delegation, asked.prompt, decision, messages, requestContext, thread)
  const started = {
    toolCallId: call.toolCallId,
    key: delegation.key,
    agentId: delegation.target.id,
    runId: request.runId,
  }
  emit(run, 'delegation-start', { ...started, prompt: asked.prompt })
  const begun = run.delegation.onDelegationComplete ? run.root.effects.now() : 0
  const result = await work(run, delegation.key, delegation.target, request)
  addUsage(run.state.totalUsage, result.totalUsage)
  accountFor(run, request.runId, result)
  const settled = settle(result, thread)
  const reference = referenceFor(run, delegation.key, settled)
  const envelope = reference ? brandEnvelope({ ...settled, ref: reference.id }) : settled
  const reviewed = await askForReview(run, asked, envelope, result, begun, errors)
  // What a hook put in its place is what the id stands for.
  if (reference && reviewed.resultText !== undefined) reference.text = disarm(reviewed.resultText)
  emit(run, 'delegation-end', { ...started, status: envelope.status, usage: envelope.totalUsage })
  return reviewed
}

/** The id under which a completed result can be handed on, where the parent has them. */
function referenceFor(run: Run, key: string, envelope: DelegationEnvelope): Reference | undefined {
  if (!run.delegation.enableResultReferences || envelope.status !== 'completed') return undefined
  return addReference(run, key, toModelText(key, envelope))
}

interface Prepared {
  readonly decision: DelegationStartDecision
  readonly messages: readonly Message[]
}

/** Asks the start hook, then the filter. At once where there is neither. */
function prepare(
  run: Run,
  target: DelegateTarget,
  facts: DelegationHookContext,
  requestContext: DelegatedRequest['requestContext'],
  errors: HookErrors,
): Prepared | Promise<Prepared> {
  if (!run.delegation.onDelegationStart) return selected(run, target, facts, {}, requestContext, errors)
  return askStartHook(run, facts, requestContext, errors).then((decision) =>
    decision.proceed === false
      ? { decision, messages: [] }
      : selected(run, target, { ...facts, prompt: promptOf(facts, decision) }, decision, requestContext, errors),
  )
}

function selected(
  run: Run,
  target: DelegateTarget,
  facts: DelegationHookContext,
  decision: DelegationStartDecision,
  requestContext: DelegatedRequest['requestContext'],
  errors: HookErrors,
): Prepared | Promise<Prepared> {
  const selecting = selectMessages(run, { ...facts, requestContext }, target)
  if (!(selecting instanceof Promise)) return { decision, messages: selecting }
  return selecting.then(
    (messages) => ({ decision, messages }),
    (error: unknown) => {
      if (isRetinueError(error)) errors.push(error)
      if (failsClosed(run)) throw error
      // A filter that failed hands over nothing, whatever the strategy.
      return { decision, messages: [] }
    },
  )
}

function factsOf(
  run: Run,
  { toolCallId }: CallRef,
  { key, target, prompt, input, references }: DelegationOrder,
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

function promptOf({ prompt }: DelegationHookContext, { modifiedPrompt }: DelegationStartDecision): string {
  return modifiedPrompt === undefined ? prompt : disarm(modifiedPrompt)
}

function open(
  run: Run,
  { toolCallId, toolName }: CallRef,
  { key, target, input, references }: DelegationOrder,
  prompt: string,
  { modifiedPrompt, modifiedInstructions, modifiedMaxSteps }: DelegationStartDecision,
  messages: readonly Message[],
  requestContext: DelegatedRequest['requestContext'],
  thread: ThreadIds,
): DelegatedRequest {
  const { root, state, scope } = run
  root.children += 1
  const runId = `${root.runId}.${root.children}`
  const path = Object.freeze([...state.path, key])
  root.log?.addScope(runId, { toolCallId, toolName, parentRunId: state.runId, path })
  return {
    prompt,
    // What a hook put in the prompt's place stands in the input's place too: it may have taken something out.
    input: modifiedPrompt === undefined ? input : undefined,
    messages: references.length === 0 ? messages : [...messages, ...referredMessages(run, references)],
    instructions: modifiedInstructions,
    maxSteps: modifiedMaxSteps,
    runId,
    path,
    requestContext,
    abortSignal: scope.signal,
    scope,
    root,
    thread,
    budget: run.budget,
    lineage: [...run.lineage, target],
  }
}

/** What a child's end means for the budget of its parent: what only the result tells of was not counted while it was used. */
function accountFor(run: Run, childRunId: string, { error, totalUsage }: DelegatedResult): void {
  const isOurs = run.root.begun.has(childRunId)
  if (run.budget.metered && !isOurs) run.budget.spend('', totalUsage)
  // What a budget of ours stopped; the budgets of others are theirs.
  if (isOurs && error?.code === 'budget-spent' && error.data['own'] === false) stoppedBelow(run, error)
}
