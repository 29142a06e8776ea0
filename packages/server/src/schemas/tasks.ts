import { z } from 'zod'
import { id, limit, resourceId, unreadable } from './common.ts'
import { pendingCall } from './run-options.ts'

const status = z.enum(['pending', 'running', 'suspended', 'completed', 'failed', 'cancelled', 'timed-out'])

const taskFacts = z.object({
  taskId: z.string(),
  runId: z.string().describe('The run that somebody began, and that it belongs to.'),
  parentRunId: z.string().describe('The run that made the call: `runId`, or one below it.'),
  agentId: z.string(),
  path: z.array(z.string()).describe('The agents that lead to the one that made the call.'),
  toolName: z.string(),
  toolCallId: z.string(),
  threadId: z.string().optional(),
  resourceId: z.string().optional(),
  status,
  attempts: z.number(),
  createdAt: z.number().describe('Milliseconds since 1970.'),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  deliveredAt: z.number().optional().describe('When whoever waited for it was told how it ended.'),
  error: z.object({ code: z.string(), message: z.string() }).optional().describe('Why it did not complete.'),
})

/** What narrows a list of tasks. */
const taskFilter = {
  resourceId,
  agentId: id.optional(),
  threadId: id.optional(),
  runId: id.optional().describe('The run that somebody began.'),
}

export const tasksQuery = z.strictObject({
  ...taskFilter,
  status: status.optional(),
  limit,
  cursor: z.string().max(1000).optional(),
})

export const questionsQuery = z.strictObject({ ...taskFilter, limit, cursor: z.string().max(1000).optional() })

export const taskList = z.object({
  tasks: z.array(taskFacts),
  unreadable,
  next: z.string().optional().describe('The cursor of the next page.'),
})

export const taskView = taskFacts.extend({
  args: z.unknown(),
  result: z.unknown().optional().describe('What came of it: of a delegation the whole envelope.'),
  pendingCalls: z.array(pendingCall).describe('What it waits for.'),
})

export const taskQuestions = z.object({
  questions: z.array(pendingCall.extend({ taskId: z.string() })),
  unreadable,
  next: z.string().optional().describe('The cursor of the next page.'),
})

export const cancelTaskBody = z.strictObject({ reason: z.string().min(1).max(10_000).optional() }).optional()

export const taskMessageBody = z.strictObject({
  text: z
    .string()
    .max(100_000)
    .regex(/\S/, 'it is a text')
    .describe('What its agent reads before its next model call.'),
})
