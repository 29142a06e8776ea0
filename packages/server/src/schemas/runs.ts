import { z } from 'zod'
import { id, limit, resourceId, unreadable } from './common.ts'
import { pendingCall, runResult } from './run-options.ts'

const runFacts = z.object({
  runId: z.string(),
  agentId: z.string(),
  status: z.enum(['running', 'suspended', 'ended']),
  threadId: z.string().optional(),
  resourceId: z.string().optional(),
  createdAt: z.number().describe('Milliseconds since 1970.'),
  updatedAt: z.number(),
})

export const runList = z.object({
  runs: z.array(runFacts),
  unreadable,
  next: z.string().optional().describe('The cursor of the next page.'),
})

export const runView = runFacts.extend({
  pendingCalls: z.array(pendingCall).describe('What it waits for.'),
  result: runResult.optional().describe('What it came to, as long as that is known.'),
})

export const runsQuery = z.strictObject({
  resourceId,
  agentId: id.optional(),
  threadId: id.optional(),
  status: z.enum(['running', 'suspended', 'ended']).optional(),
  limit,
  cursor: z.string().max(1000).optional(),
})

export const eventsQuery = z.strictObject({
  after: z.string().max(40).optional().describe('The id of the last event that was read; as `Last-Event-ID`.'),
})

const toolCallId = id.optional().describe('Can be left out while one call waits.')

export const approveBody = z.strictObject({ toolCallId, args: z.record(z.string(), z.unknown()).optional() }).optional()
export const declineBody = z.strictObject({ toolCallId, reason: z.string().max(10_000).optional() }).optional()
export const answerBody = z.strictObject({ toolCallId, data: z.unknown() })

export const storedEvents = z.object({
  events: z.array(z.object({ id: z.string(), chunk: z.looseObject({ type: z.string() }) })),
})

export const approvalsQuery = z.strictObject({
  resourceId,
  agentId: id.optional(),
  threadId: id.optional(),
  runId: id.optional(),
  status: z.enum(['pending', 'approved', 'declined', 'started', 'done', 'unknown', 'cancelled', 'void']).optional(),
  limit,
  cursor: z.string().max(1000).optional(),
})

export const approvalList = z.object({
  approvals: z.array(
    z.looseObject({
      runId: z.string().describe('The run that it is decided with.'),
      taskId: z.string().optional().describe('The background task that asks.'),
      toolCallId: z.string(),
      toolName: z.string(),
      status: z.string(),
    }),
  ),
  unreadable,
  next: z.string().optional(),
})
