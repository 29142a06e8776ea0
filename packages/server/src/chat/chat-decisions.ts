import { isRetinueError, RetinueError } from '@retinue/core/errors'
import type { Approval } from '@retinue/core/storage'
import { ofStored } from '../http/known-run.ts'
import type { Services } from '../http/services.ts'
import { isObject } from '../is-object.ts'
import type { Leg } from '../runs/run-hub.ts'
import type { ChatBody } from '../schemas/chat-body.ts'
import type { Caller } from '../settings/caller.ts'
import type { ClientMessage } from '../work/client-messages.ts'
import { type Decision, decideRun } from '../work/decide.ts'
import { assertFits, nothingWaits, ofTwoRuns, openDecisions } from './open-decisions.ts'

/** A decision on a call that it names. */
export type Named = Decision & { readonly toolCallId: string }

/** A conversation, as the server knows whose it is. */
export interface Chat {
  readonly agentId: string
  readonly threadId: string
  readonly resourceId: string
}

/** What a request decides. */
export interface Decisions {
  /** As `addToolApprovalResponse` wrote it into a message: pages repeat it, so one that was taken before is no error. */
  readonly written: readonly Named[]
  /** What the body says of calls further down. */
  readonly given: readonly Named[]
}

/**
 * What a request decides: what the person chose in the message that `messageId` names, or else in the last one, and what the body says. It
 * names calls, and no more: whether they are asked about at all, the ledger knows.
 */
export function decisionsOf({ messages, messageId, approvals = [], answers = [] }: ChatBody): Decisions {
  const named: ClientMessage | undefined = messages.find(({ id }) => typeof id === 'string' && id === messageId)
  const last: ClientMessage | undefined = named?.['role'] === 'assistant' ? named : messages.at(-1)
  const parts = last?.['role'] === 'assistant' && Array.isArray(last['parts']) ? last['parts'] : []
  return {
    written: parts.flatMap((part: unknown) => (isObject(part) ? decisionIn(part) : [])),
    given: [
      ...approvals.map(({ toolCallId, approved, reason, args }): Named => {
        return approved ? { type: 'approve', toolCallId, args } : { type: 'decline', toolCallId, reason }
      }),
      ...answers.map(({ toolCallId, data }): Named => ({ type: 'answer', toolCallId, data })),
    ],
  }
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
  /** Decisions that could not be taken although nothing was known against them: complete when `last` has resolved. */
  readonly failures: readonly RetinueError[]
}

/**
 * Decides one after the other what waits in a conversation. What can be known to be wrong with any of it is wrong before: then it rejects,
 * and nothing has changed.
 */
export async function decideChat(
  services: Services,
  caller: Caller,
  chat: Chat,
  decisions: Decisions,
): Promise<Decided> {
  const standing = await openDecisions(services, chat, decisions)
  const [first, ...rest] = standing
  if (!first) throw nothingWaits()
  const { approval } = first
  if (rest.some((other) => other.approval.runId !== approval.runId)) throw ofTwoRuns()
  for (const each of standing) await assertFits(services, each.approval, each.decision)
  const leg = await decide(services, caller, approval, first.decision)
  const failures: RetinueError[] = []
  const others = rest.map(({ decision }) => decision)
  return { first: leg, last: decideRest(services, caller, approval, leg, others, failures), failures }
}

async function decideRest(
  services: Services,
  caller: Caller,
  run: Approval,
  first: Leg,
  rest: readonly Named[],
  failures: RetinueError[],
): Promise<Leg> {
  let last = first
  for (const decision of rest) {
    await last.result
    try {
      last = await decide(services, caller, run, decision)
    } catch (thrown) {
      // What was decided before it goes on, and is told.
      failures.push(isRetinueError(thrown) ? thrown : notTaken(decision, thrown))
    }
  }
  return last
}

async function decide(services: Services, caller: Caller, { runId }: Approval, decision: Named): Promise<Leg> {
  const stored = await services.storage.runs.get(runId)
  return decideRun(services, caller, ofStored(stored, services.hub.get(runId)), decision)
}

function notTaken({ toolCallId }: Named, cause: unknown): RetinueError {
  return new RetinueError({
    code: 'server-failed',
    message: `What was decided on the call "${toolCallId}" could not be taken.`,
    hint: 'It waits still: decide it again.',
    cause,
  })
}
