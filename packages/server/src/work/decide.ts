import type { RunStream } from '@retinue/core/agent'
import { contextOf } from '../http/caller-context.ts'
import type { KnownRun } from '../http/known-run.ts'
import { agentOf, type Services } from '../http/services.ts'
import type { Leg } from '../runs/run-hub.ts'
import type { Caller } from '../settings/caller.ts'

/** What somebody decides on a call of a run. */
export type Decision = { readonly toolCallId?: string | undefined } & (
  | { readonly type: 'approve'; readonly args?: unknown }
  | { readonly type: 'decline'; readonly reason?: string | undefined }
  | { readonly type: 'answer'; readonly data: unknown }
)

/** What a decision is about: a run, or a background task. */
export type Decided = Pick<KnownRun, 'runId' | 'agentId' | 'threadId' | 'resourceId'>

/**
 * Decides, and goes on with the run. Rejects, and nothing has changed, with `approval-…`, `decision-invalid`, `run-…`. It is the ledger
 * that knows what is asked: nothing that a client says of a call counts but which one it is.
 */
export async function decideRun(services: Services, caller: Caller, run: Decided, decision: Decision): Promise<Leg> {
  services.hub.assertOpen()
  const stream = await decided(services, caller, run, decision)
  const { agentId, threadId, resourceId } = run
  return services.hub.track(stream, { agentId, threadId, resourceId })
}

function decided(services: Services, caller: Caller, run: Decided, decision: Decision): Promise<RunStream> {
  const agent = agentOf(services, run.agentId)
  const { toolCallId } = decision
  const options = {
    runId: run.runId,
    decidedBy: caller.resourceId,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...given(services, caller, run),
  }
  switch (decision.type) {
    case 'approve':
      return agent.approveToolCall({ ...options, ...(decision.args === undefined ? {} : { args: decision.args }) })
    case 'decline':
      return agent.declineToolCall({
        ...options,
        ...(decision.reason === undefined ? {} : { reason: decision.reason }),
      })
    case 'answer':
      return agent.resumeStream(decision.data, options)
  }
}

/** Goes on with a run that somebody died over. */
export async function goOn(services: Services, caller: Caller, run: KnownRun): Promise<Leg> {
  services.hub.assertOpen()
  const { runId, agentId, threadId, resourceId } = run
  const stream = await agentOf(services, agentId).resumeRun({ runId, ...given(services, caller, run) })
  return services.hub.track(stream, { agentId, threadId, resourceId })
}

/** What a run goes on with. The values of somebody else must not come into it: a run is its owner's, whoever decides. */
function given({ resolveModel }: Services, caller: Caller, run: Decided) {
  const isOwn = caller.context !== undefined && caller.resourceId === run.resourceId
  return {
    ...(resolveModel ? { resolveModel } : {}),
    ...(isOwn ? { requestContext: contextOf(caller) } : {}),
  }
}
