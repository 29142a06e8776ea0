import type { AgentMemory, RememberedMessage } from '@retinue/core/memory'
import type { Fields, ThreadKey } from '@retinue/core/storage'
import { z } from 'zod'
import { currentRun } from '../chat/current-run.ts'
import { toUiMessages } from '../chat/to-ui-messages.ts'
import { withQuestions } from '../chat/with-questions.ts'
import { defined } from '../defined.ts'
import { requestInvalid } from '../errors/request-errors.ts'
import { toldMessage } from '../errors/told-message.ts'
import { type Route, route } from '../http/route.ts'
import { agentOf, type Services } from '../http/services.ts'
import { plain } from '../runs/wire-chunk.ts'
import { id, limit, place, resourceId, unreadable } from '../schemas/common.ts'
import { withLateAnswers } from '../work/late-answers.ts'
import { recallTurns } from '../work/recall-turns.ts'

const threadParams = z.strictObject({ threadId: id })
const threadQuery = z.strictObject({
  resourceId,
  agentId: id.optional().describe('In whose memory the thread is. Default: the first agent that has one.'),
})
const title = z.string().max(1000)
/** Plain JSON, as a body is. */
const metadata = z.record(z.string(), z.unknown()) as unknown as z.ZodType<Fields>

const thread = z.object({
  id: z.string(),
  resourceId: z.string(),
  title: z.string().optional(),
  metadata: metadata.optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
})

const messagesQuery = threadQuery.extend({
  limit,
  before: place.describe('Only messages with a smaller sequence; of a UI: the `before` of the page after it.'),
  after: place.describe('Only messages with a greater sequence. Not of a UI.'),
  format: z
    .enum(['messages', 'ui'])
    .optional()
    .describe(
      '`ui`: as useChat begins with them, in whole turns, without what a run that goes on is saying. Default: messages.',
    ),
})

const oneThread = { 200: { description: 'The thread.', schema: thread } }

export const threadRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/threads',
    owner: 'threads',
    tag: 'threads',
    summary: 'The threads of a resource: the newest first, or the last used first.',
    query: threadQuery.extend({
      order: z.enum(['created', 'updated']).optional(),
      limit,
      cursor: z.string().max(1000).optional(),
    }),
    answers: {
      200: {
        description: 'A page of them.',
        schema: z.object({ threads: z.array(thread), unreadable, next: z.string().optional() }),
      },
    },
    handle: async ({ scope: { memory, resourceId: owner }, query }) => {
      const { agentId: _, resourceId: _resource, ...request } = query
      const { items, unreadable: damaged, next } = await memory.listThreads({ ...defined(request), resourceId: owner })
      return Response.json({ threads: items, unreadable: damaged, ...(next === undefined ? {} : { next }) })
    },
  }),
  route({
    method: 'post',
    path: '/api/threads',
    owner: 'threads',
    tag: 'threads',
    summary: 'Makes a thread.',
    query: threadQuery,
    body: z
      .strictObject({ threadId: id.optional(), title: title.optional(), metadata: metadata.optional(), resourceId })
      .optional(),
    answers: { 201: { description: 'The thread.', schema: thread } },
    handle: async ({ scope: { memory, resourceId: owner }, body }) => {
      const made = await memory.createThread({ ...defined({ ...body }), resourceId: owner })
      return Response.json(made, { status: 201 })
    },
  }),
  route({
    method: 'get',
    path: '/api/threads/:threadId',
    owner: 'thread',
    tag: 'threads',
    summary: 'A thread.',
    params: threadParams,
    query: threadQuery,
    answers: oneThread,
    handle: async ({ scope: { memory, key } }) => Response.json(await memory.getThread(key)),
  }),
  route({
    method: 'patch',
    path: '/api/threads/:threadId',
    owner: 'thread',
    tag: 'threads',
    summary: 'Renames a thread, or replaces its metadata; null takes either away.',
    params: threadParams,
    query: threadQuery,
    body: z.strictObject({ title: title.nullable().optional(), metadata: metadata.nullable().optional() }),
    answers: oneThread,
    handle: async ({ scope: { memory, key }, body }) =>
      Response.json(await memory.updateThread({ ...defined(body), ...key })),
  }),
  route({
    method: 'delete',
    path: '/api/threads/:threadId',
    owner: 'thread',
    tag: 'threads',
    summary: 'Deletes a thread with everything that hangs on it. A run that goes on in it goes on.',
    params: threadParams,
    query: threadQuery,
    answers: { 204: { description: 'It is gone.' } },
    handle: async ({ scope: { memory, key } }) => {
      await memory.deleteThread(key)
      return new Response(null, { status: 204 })
    },
  }),
  route({
    method: 'post',
    path: '/api/threads/:threadId/clone',
    owner: 'thread',
    tag: 'threads',
    summary: 'Copies a thread with its messages, for the same resource.',
    params: threadParams,
    query: threadQuery,
    body: z.strictObject({ newThreadId: id.optional(), title: title.nullable().optional() }).optional(),
    answers: { 201: { description: 'The copy.', schema: thread } },
    handle: async ({ scope: { memory, key }, body }) =>
      Response.json(await memory.cloneThread({ ...defined({ ...body }), ...key }), { status: 201 }),
  }),
  route({
    method: 'get',
    path: '/api/threads/:threadId/messages',
    owner: 'thread',
    tag: 'threads',
    summary: 'What was said in a thread, the oldest first: the last messages, or those before or after one.',
    params: threadParams,
    query: messagesQuery,
    answers: {
      200: {
        description: 'A page of it.',
        schema: z.object({
          messages: z.array(z.looseObject({ role: z.string() })),
          hasMore: z.boolean(),
          before: z.number().optional().describe('Of a UI, where there is more: asks for the page before this one.'),
          unreadable,
        }),
      },
    },
    handle: async ({ services, scope: { memory, key }, query }) => {
      const { limit: most, before, after, format, agentId } = query
      const range = defined({ limit: most, before })
      if (format !== 'ui') {
        const { messages, ...page } = await memory.recall({ ...key, ...range, ...defined({ after }) })
        return Response.json({ ...page, messages: plain(messages.map(toldMessage)) })
      }
      if (after !== undefined) throw requestInvalid('Messages of a UI are paged backwards alone.', 'Send before.')
      const { messages: turns, ...page } = await recallTurns(memory, { ...key, ...range })
      const kept = await withLateAnswers({ memory, ...key }, turns, before === undefined)
      const messages = kept.map(toldMessage)
      // What is being said comes whole, by the stream of the chat.
      const runIds = await beingSaid(services, memory, key, agentId)
      const said = messages.filter((_message, index) => !isAnswerOf(runIds, messages, index))
      const ofAgent = agentId === undefined ? {} : { agentId: agentOf(services, agentId).id }
      const waiting = await services.storage.approvals.list({ ...key, ...ofAgent, status: 'pending', limit: 1000 })
      const shown = withQuestions(toUiMessages(said), waiting.items)
      return Response.json({ ...page, messages: plain(shown), hasMore: page.before !== undefined })
    },
  }),
]

/** The runs of the last turn that go on, or wait. */
async function beingSaid(
  services: Services,
  memory: AgentMemory,
  key: ThreadKey,
  agentId: string | undefined,
): Promise<ReadonlySet<string>> {
  const agents = agentId === undefined ? Object.values(services.app.listAgents()) : [agentOf(services, agentId)]
  const runIds = new Set<string>()
  for (const agent of agents) {
    const run = await currentRun(services, { ...key, agentId: agent.id }, memory)
    if (run) runIds.add(run.runId)
  }
  return runIds
}

/** Whether a run said a message itself: what it began with, words of the person or results of his tools, comes before that. */
function isAnswerOf(runIds: ReadonlySet<string>, messages: readonly RememberedMessage[], index: number): boolean {
  const runId = messages[index]?.runId
  if (runId === undefined || !runIds.has(runId)) return false
  const first = messages.findIndex((message) => message.runId === runId && message.role === 'assistant')
  return first >= 0 && index >= first && messages[index]?.role !== 'user'
}
