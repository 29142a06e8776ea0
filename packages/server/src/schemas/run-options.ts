import { z } from 'zod'
import { id, resourceId } from './common.ts'

const modelSettings = z
  .strictObject({
    temperature: z.number().optional(),
    topP: z.number().optional(),
    maxOutputTokens: z.number().int().positive().optional(),
    seed: z.number().int().optional(),
    stopSequences: z.array(z.string()).max(16).optional(),
  })
  .optional()

/** A message of an AI SDK UI, or a model message. What a client may say in it is checked later: `messagesFromClient`. */
const clientMessage: z.ZodType<Record<string, unknown>> = z.looseObject({
  role: z.enum(['user', 'assistant', 'tool']),
})

/** The longest time that a timer can wait. */
const LONGEST_MS = 2_147_483_647

export const untilIdle: z.ZodOptional<z.ZodType<boolean | { maxIdleMs?: number | undefined }>> = z
  .union([z.boolean(), z.strictObject({ maxIdleMs: z.number().int().min(1).max(LONGEST_MS).optional() })])
  .optional()
  .describe(
    'The run stays open until its background tasks have ended and it has answered to them; or until nothing of them changed for so long.',
  )

/** What a client may decide about a run. It can only narrow what the agent allows. */
export const runBody = z.strictObject({
  input: z.string().optional().describe('What is asked, as text. Instead of `messages`.'),
  messages: z.array(clientMessage).min(1).max(10_000).optional(),
  threadId: id.optional().describe('The conversation that it belongs to. Default: none is kept.'),
  resourceId,
  replaceFrom: id
    .optional()
    .describe(
      'The id of a message of the person in the thread: this is said in the place of it and of all that came after it, which is deleted. Runs that wait there end, with their background tasks.',
    ),
  maxSteps: z.number().int().min(1).optional().describe('At most what the agent allows.'),
  modelSettings,
  structuredOutput: z
    .strictObject({ schema: z.record(z.string(), z.unknown()) })
    .optional()
    .describe('What the answer must be: `{ schema }`, a JSON Schema.'),
  untilIdle,
  requireToolApproval: z.literal(true).optional().describe('Every call of a tool waits for a person.'),
  onBusy: z
    .enum(['wait', 'reject'])
    .optional()
    .describe('While another run goes on in the thread: wait for it, at most 10 s, or be told at once. Default: wait.'),
})

export type RunBody = z.output<typeof runBody>

/** The options of a call that a client may set. */
export type ClientOptions = Pick<
  RunBody,
  'maxSteps' | 'modelSettings' | 'structuredOutput' | 'requireToolApproval' | 'untilIdle'
>

const usage = z.looseObject({}).describe('Tokens, and how many calls reported them.')

const errorInfo = z.object({ code: z.string(), message: z.string(), hint: z.string().optional() })

export const pendingCall = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  args: z.unknown(),
  path: z.array(z.string()).describe('The agents that lead to the one that asks.'),
  requiresApproval: z.boolean().describe('False: it was suspended, and wants an answer.'),
  suspendPayload: z.unknown().optional(),
  expiresAt: z.number().optional(),
})

/** What a run came to. */
export const runResult = z.object({
  runId: z.string(),
  threadId: z.string().optional(),
  text: z.string(),
  object: z.unknown().optional(),
  finishReason: z.string(),
  usage,
  totalUsage: usage,
  toolCalls: z.array(z.looseObject({})),
  toolResults: z.array(z.looseObject({})),
  sources: z.array(z.looseObject({})),
  files: z.array(z.looseObject({})),
  warnings: z.array(z.string()),
  pendingCalls: z.array(pendingCall).optional().describe('What it waits for, where it is suspended.'),
  error: errorInfo.optional().describe('What is wrong with an answer that it ended with.'),
})
