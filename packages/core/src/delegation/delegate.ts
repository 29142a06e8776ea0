import { forkContext } from '../context/request-context.ts'
import { isRetinueError, RetinueError } from '../errors/retinue-error.ts'
import { addUsage } from '../events/usage.ts'
import { type CallRef, emit, type Run } from '../loop/run.ts'
import type { Message } from '../messages/message.ts'
import { ABORTED } from '../shared/abort.ts'
import { checkedResult } from './checked-result.ts'
import type { DelegatedRequest, DelegatedResult, DelegateTarget } from './delegate-target.ts'
import { brandEnvelope, type DelegationEnvelope } from './envelope.ts'
import { type DelegationFacts, selectMessages } from './select-messages.ts'
import { cancelledResult, errorOf, failedResult, settle } from './settle.ts'

/** A delegation that may be made: to whom, and what the parent's model asked for. */
export interface Delegation {
  readonly key: string
  readonly target: DelegateTarget
  readonly prompt: string
  readonly input: unknown
}

/**
 * One delegation, from the call to its outcome: select what the child may see, open its run, let it work while its events flow into
 * the tree's log, settle. It never throws.
 */
export async function delegate(run: Run, call: CallRef, delegation: Delegation): Promise<DelegationEnvelope> {
  const { key, target, prompt } = delegation
  const requestContext = forkContext(run.requestContext)
  const facts: DelegationFacts = { primitiveId: target.id, key, prompt, toolCallId: call.toolCallId, requestContext }
  let messages: readonly Message[]
  try {
    const selecting = selectMessages(run, facts)
    const selected = selecting instanceof Promise ? await run.root.abort.race(selecting) : selecting
    if (selected === ABORTED) return settle(cancelledResult(), unopenedThread(run, call))
    messages = selected
  } catch (thrown) {
    return filterFailure(run, call, thrown, key)
  }
  const request = open(run, call, delegation, messages, requestContext)
  const started = { toolCallId: call.toolCallId, key, agentId: target.id, runId: request.runId }
  emit(run, 'delegation-start', { ...started, prompt })
  const result = await work(run, delegation, request)
  addUsage(run.state.totalUsage, result.totalUsage)
  const envelope = settle(result, request.runId)
  emit(run, 'delegation-end', { ...started, status: envelope.status, usage: envelope.totalUsage })
  return envelope
}

function open(
  run: Run,
  { toolCallId, toolName }: CallRef,
  { key, target, prompt, input }: Delegation,
  messages: readonly Message[],
  requestContext: DelegatedRequest['requestContext'],
): DelegatedRequest {
  const { root, state } = run
  root.children += 1
  const runId = `${root.runId}.${root.children}`
  const path = [...state.path, key]
  root.log?.addScope(runId, { toolCallId, toolName, parentRunId: state.runId, path })
  const lineage = [...run.lineage, target]
  return { prompt, input, messages, runId, path, requestContext, abortSignal: root.abort.signal, root, lineage }
}

/** The child's work. A child that throws, or gives something that is no result, has failed. */
async function work(run: Run, { key, target }: Delegation, request: DelegatedRequest): Promise<DelegatedResult> {
  const { abort, begun } = run.root
  const working = attempt(key, target, request)
  const result = await abort.race(working)
  if (result !== ABORTED) return result
  // A run of this package ends by itself, with what it did so far. What else may ignore the signal is not waited for.
  return begun.has(request.runId) ? working : cancelledResult()
}

async function attempt(key: string, target: DelegateTarget, request: DelegatedRequest): Promise<DelegatedResult> {
  try {
    return checkedResult(await target.runDelegated(request), key)
  } catch (thrown) {
    return request.abortSignal.aborted ? cancelledResult() : failedResult(thrown, key)
  }
}

function filterFailure(run: Run, call: CallRef, thrown: unknown, key: string): DelegationEnvelope {
  const error = isRetinueError(thrown)
    ? thrown
    : new RetinueError({
        code: 'message-filter-failed',
        message: `The messageFilter failed for "${key}".`,
        cause: thrown,
      })
  const envelope = settle(failedResult(error, key), unopenedThread(run, call))
  return brandEnvelope({ ...envelope, hookErrors: [errorOf(error)] })
}

/** A thread id for a delegation whose child never ran. */
function unopenedThread({ state }: Run, { toolCallId }: CallRef): string {
  return `${state.runId}-${toolCallId}`
}
