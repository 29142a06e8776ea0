import { forkContext } from '../context/request-context.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import { DELEGATION } from '../loop/budget.ts'
import type { DelegationHookContext } from '../loop/delegation-settings.ts'
import type { CallRef, Run } from '../loop/run.ts'
import { countCall } from '../loop/within-budget.ts'
import type { ThreadIds } from '../memory/kept-conversation.ts'
import { ABORTED } from '../shared/abort.ts'
import type { DelegatedRequest, DelegatedResult, DelegateTarget } from './delegate-target.ts'
import { threadFor } from './delegation-thread.ts'
import type { HookErrors } from './hooks.ts'
import { type Prepared, prepare, promptOf } from './prepare-delegation.ts'
import { referredMessages } from './references.ts'
import { type Delegated, ended } from './review.ts'
import { cancelledResult, failedResult, rejectedEnvelope, settle } from './settle.ts'

/** A delegation that may be made: under which key, and what the parent's model asked for. */
export interface DelegationOrder {
  readonly key: string
  readonly prompt: string
  readonly input: unknown
  /** Ids of earlier results that the child is handed. */
  readonly references: readonly string[]
}

/** What of a delegation is there before hooks and filter are asked. */
interface Beginning {
  readonly run: Run
  readonly call: CallRef
  readonly order: DelegationOrder
  readonly facts: DelegationHookContext
  readonly thread: ThreadIds
  readonly requestContext: DelegatedRequest['requestContext']
  readonly errors: HookErrors
}

/**
 * Asks hooks and filter, and opens the delegation; how it ended, where it does not begin. No closure is made that is hardly ever called:
 * see `keepRoot`.
 */
export function begin(run: Run, call: CallRef, target: DelegateTarget, order: DelegationOrder): Begun | Promise<Begun> {
  const beginning: Beginning = {
    run,
    call,
    order,
    facts: factsOf(run, call, target, order),
    thread: threadFor(run, order.key),
    requestContext: forkContext(run.requestContext),
    errors: [],
  }
  try {
    const preparing = prepare(run, target, beginning.facts, beginning.requestContext, beginning.errors)
    return preparing instanceof Promise ? prepared(beginning, preparing) : opened(beginning, preparing)
  } catch (thrown) {
    return notBegun(beginning, failedResult(thrown, order.key))
  }
}

async function prepared(beginning: Beginning, preparing: Promise<Prepared>): Promise<Begun> {
  try {
    const ready = await beginning.run.scope.race(preparing)
    return ready === ABORTED ? notBegun(beginning, cancelledResult()) : opened(beginning, ready)
  } catch (thrown) {
    return notBegun(beginning, failedResult(thrown, beginning.order.key))
  }
}

function notBegun({ thread, errors }: Beginning, result: DelegatedResult): Delegated {
  return ended(settle(result, thread), errors)
}

function opened(beginning: Beginning, { decision, messages }: Prepared): Begun {
  const { run, call, order, facts, thread, requestContext, errors } = beginning
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
    ended: undefined,
  }
  return undefined
}

/** Nothing: the delegation is open. */
type Begun = Delegated | RetinueError | undefined

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
