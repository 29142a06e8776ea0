import { RetinueError } from '@retinue/core/errors'
import type { Approval } from '@retinue/core/storage'
import { ofStored } from '../http/known-run.ts'
import type { Services } from '../http/services.ts'
import { isObject } from '../is-object.ts'
import type { Leg } from '../runs/run-hub.ts'
import type { ChatBody } from '../schemas/chat-body.ts'
import type { Caller } from '../settings/caller.ts'
import type { ClientMessage } from '../work/client-messages.ts'
import { type Decision, decideRun } from '../work/decide.ts'

type Named = Decision & { readonly toolCallId: string }

/** A conversation, as the server knows whose it is. */
export interface Chat {
  readonly agentId: string
  readonly threadId: string
  readonly resourceId: string
}

/**
 * What a request decides: what the person chose in the last message, as `addToolApprovalResponse` writes it there, and what the body
 * says of calls further down. It names calls, and no more: whether they are asked about at all, the ledger knows.
 */
export function decisionsOf({ messages, approvals = [], answers = [] }: ChatBody): Named[] {
  const last: ClientMessage | undefined = messages.at(-1)
  const parts = last?.['role'] === 'assistant' && Array.isArray(last['parts']) ? last['parts'] : []
  return [
    ...parts.flatMap((part: unknown) => (isObject(part) ? decisionIn(part) : [])),
    ...approvals.map(({ toolCallId, approved, reason, args }): Named => {
      return approved ? { type: 'approve', toolCallId, args } : { type: 'decline', toolCallId, reason }
    }),
    ...answers.map(({ toolCallId, data }): Named => ({ type: 'answer', toolCallId, data })),
  ]
}

function decisionIn({ state, approval, toolCallId }: Record<string, unknown>): Named[] {
  if (state !== 'approval-responded' || !isObject(approval) || typeof toolCallId !== 'string') return []
  const { approved, reason } = approval
  if (approved === true) return [{ type: 'approve', toolCallId }]
  if (approved !== false) return []
  return [{ type: 'decline', toolCallId, ...(typeof reason === 'string' ? { reason } : {}) }]
}

/** The legs that follow from decisions. */
export interface Decided {
  readonly first: Leg
  /** The last one, which goes on: it begins when those before it have ended. It does not reject. */
  readonly last: Promise<Leg>
}

/** Decides one after the other what waits in a conversation. Rejects, and nothing has changed, if nothing of it could be decided. */
export async function decideChat(
  services: Services,
  caller: Caller,
  chat: Chat,
  decisions: readonly Named[],
): Promise<Decided> {
  const pending = await pendingIn(services, chat)
  const known = decisions.filter(({ toolCallId }) => pending.has(toolCallId))
  const run = pending.get(known[0]?.toolCallId ?? '')
  if (!run) throw nothingWaits()
  // A conversation waits for one run at a time; what another one asked is decided there.
  const own = known.filter(({ toolCallId }) => pending.get(toolCallId)?.runId === run.runId)
  const [decision, ...rest] = own as [Named, ...Named[]]
  const first = await decide(services, caller, run, decision)
  return { first, last: decideRest(services, caller, run, first, rest) }
}

async function decideRest(
  services: Services,
  caller: Caller,
  run: Approval,
  first: Leg,
  rest: readonly Named[],
): Promise<Leg> {
  let last = first
  for (const decision of rest) {
    await last.result
    try {
      last = await decide(services, caller, run, decision)
    } catch {
      // What was decided before it goes on, and is told.
    }
  }
  return last
}

async function decide(services: Services, caller: Caller, { runId }: Approval, decision: Named): Promise<Leg> {
  const stored = await services.storage.runs.get(runId)
  return decideRun(services, caller, ofStored(stored, services.hub.get(runId)), decision)
}

/** What waits in a conversation, by call. */
async function pendingIn({ storage }: Services, chat: Chat): Promise<ReadonlyMap<string, Approval>> {
  const { items } = await storage.approvals.list({ ...chat, status: 'pending', limit: 1000 })
  return new Map(items.map((approval) => [approval.toolCallId, approval]))
}

function nothingWaits(): RetinueError {
  return new RetinueError({
    code: 'approval-not-found',
    message: 'Nothing in the conversation waits for what was decided.',
    hint: 'It may have been decided already, or have expired: GET /api/approvals lists what waits.',
  })
}
