import type { Agent } from '@retinue/core/agent'
import { RetinueError } from '@retinue/core/errors'
import { compileSchema } from '@retinue/core/memory'
import type { Approval } from '@retinue/core/storage'
import { requestInvalid } from '../errors/request-errors.ts'
import { agentOf, type Services } from '../http/services.ts'
import type { Chat, Decisions, Named } from './chat-decisions.ts'

/** A decision, and what it is about. */
export interface OpenDecision {
  readonly decision: Named
  readonly approval: Approval
}

/**
 * The decisions of a request on what waits in a conversation. Those that were taken before, and stand in a message as they were taken, are
 * left out. Rejects with `approval-not-found` for a call that nothing asks about, `approval-decided` for one that was decided otherwise.
 */
export async function openDecisions(
  { storage }: Services,
  chat: Chat,
  { written, given }: Decisions,
): Promise<OpenDecision[]> {
  const { items } = await storage.approvals.list({ ...chat, status: 'pending', limit: 1000 })
  const pending = new Map(items.map((approval) => [approval.toolCallId, approval]))
  const open = new Map<string, OpenDecision>()
  let decided: ReadonlyMap<string, Approval> | undefined
  const add = async (decision: Named, isRepeated: boolean): Promise<void> => {
    const approval = pending.get(decision.toolCallId)
    if (approval) {
      open.set(decision.toolCallId, { decision, approval })
      return
    }
    decided ??= await decidedIn(storage, chat)
    const before = decided.get(decision.toolCallId)
    if (!before) throw notFound(decision)
    if (!isRepeated || isDeclined(before) !== (decision.type === 'decline')) throw isDecided(before)
  }
  for (const decision of written) await add(decision, true)
  // What the body says of a call says more.
  for (const decision of given) await add(decision, false)
  return [...open.values()]
}

/** What was decided in a conversation, by call: the last time that it was asked about. */
async function decidedIn({ approvals }: Services['storage'], chat: Chat): Promise<ReadonlyMap<string, Approval>> {
  const found = new Map<string, Approval>()
  let cursor: string | undefined
  do {
    const page = await approvals.list({ ...chat, limit: 1000, ...(cursor === undefined ? {} : { cursor }) })
    for (const approval of page.items) found.set(approval.toolCallId, approval)
    cursor = page.next
  } while (cursor !== undefined)
  return found
}

function isDeclined({ status }: Approval): boolean {
  return status === 'declined' || status === 'cancelled'
}

/**
 * Throws `decision-invalid` for a decision of another kind than is asked for, or with what does not fit the tool, as far as it can be
 * known.
 */
export async function assertFits(services: Services, approval: Approval, decision: Named): Promise<void> {
  const { toolCallId, toolName, kind } = approval
  if (decision.type === 'decline') return
  if ((decision.type === 'answer') !== (kind === 'suspension'))
    throw decisionInvalid(
      kind === 'suspension'
        ? `The call "${toolCallId}" of "${toolName}" wants an answer, and no approval.`
        : `The call "${toolCallId}" of "${toolName}" waits for an approval, and no answer.`,
      kind === 'suspension' ? 'Send it in `answers`.' : 'Send it in `approvals`.',
    )
  const value = decision.type === 'approve' ? decision.args : decision.data
  if (decision.type === 'approve' && value === undefined) return
  const schema = schemaOf(agentOf(services, approval.agentId), approval, decision.type)
  const checked = schema && (await compileSchema(schema, toolName).check(value))
  if (checked?.ok === false)
    throw decisionInvalid(
      `What was given to the call "${toolCallId}" does not fit "${toolName}": ${checked.issues}`,
      'Give what the schema of the tool wants. Nothing was decided.',
    )
}

/** What a tool wants, where its agent was made with it; else the run itself looks when it goes on. */
function schemaOf(root: Agent, { path, toolName }: Approval, type: 'approve' | 'answer') {
  let found: Agent | undefined = root
  for (const key of path.slice(1)) {
    const agents: unknown = found?.options.agents
    found =
      agents !== null && typeof agents === 'object' && Object.hasOwn(agents, key) ? agentAt(agents, key) : undefined
  }
  const tools = found?.options.tools
  if (typeof tools !== 'object' || !Object.hasOwn(tools, toolName)) return undefined
  const tool = tools[toolName] as { inputSchema?: unknown; resumeSchema?: unknown }
  const schema = type === 'approve' ? tool.inputSchema : tool.resumeSchema
  return schema as Parameters<typeof compileSchema>[0] | undefined
}

function agentAt(agents: object, key: string): Agent | undefined {
  const agent: unknown = (agents as Record<string, unknown>)[key]
  return agent !== null && typeof agent === 'object' && 'options' in agent ? (agent as Agent) : undefined
}

function decisionInvalid(message: string, hint: string): RetinueError {
  return new RetinueError({ code: 'decision-invalid', message, hint })
}

function notFound({ toolCallId }: Named): RetinueError {
  return new RetinueError({
    code: 'approval-not-found',
    message: `Nothing in the conversation waits for a decision on the call "${toolCallId}". Nothing was decided.`,
    hint: 'GET /api/approvals lists what waits.',
    data: { toolCallId },
  })
}

function isDecided({ toolCallId, status }: Approval): RetinueError {
  return new RetinueError({
    code: 'approval-decided',
    message: `The call "${toolCallId}" was decided before, and stands at "${status}". Nothing else was decided.`,
    hint: 'Leave it out: GET /api/approvals lists what waits.',
    data: { toolCallId, status },
  })
}

export function nothingWaits(): RetinueError {
  return new RetinueError({
    code: 'approval-not-found',
    message: 'Nothing in the conversation waits for what was decided.',
    hint: 'It may have been decided already, or have expired: GET /api/approvals lists what waits.',
  })
}

export function ofTwoRuns(): RetinueError {
  return requestInvalid(
    'The decisions are on calls of two runs. Nothing was decided.',
    'Send a request for each: one stream tells of one run.',
  )
}
