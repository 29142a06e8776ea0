import { z } from 'zod'
import { id, resourceId } from './common.ts'
import { untilIdle } from './run-options.ts'

/** What `useChat` sends, and what its `body` may add. */
export const chatBody = z.strictObject({
  id: id.describe('The chat, which is the thread.'),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'tool']) })).max(10_000),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  messageId: z.string().nullish(),
  resourceId,
  untilIdle,
  approvals: z
    .array(
      z.strictObject({
        toolCallId: id,
        approved: z.boolean(),
        reason: z.string().max(10_000).optional(),
        args: z.record(z.string(), z.unknown()).optional().describe('What the call runs with instead.'),
      }),
    )
    .max(100)
    .optional()
    .describe('Decisions on calls of subagents, which the message has as `data-tool-call-approval`.'),
  answers: z
    .array(z.strictObject({ toolCallId: id, data: z.unknown() }))
    .max(100)
    .optional()
    .describe('Answers to calls that were suspended: `data-tool-call-suspended`.'),
})

export type ChatBody = z.output<typeof chatBody>
