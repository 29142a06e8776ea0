import { z } from 'zod'
import { type Chat, decideChat, decisionsOf } from '../chat/chat-decisions.ts'
import { chatStopped } from '../chat/chat-stopped.ts'
import { currentRun } from '../chat/current-run.ts'
import { replayed } from '../chat/replayed.ts'
import { saidIn } from '../chat/said-anew.ts'
import { say } from '../chat/say.ts'
import { uiTelling } from '../chat/ui-telling.ts'
import { requestInvalid } from '../errors/request-errors.ts'
import { contextOf } from '../http/caller-context.ts'
import { type Route, type RouteRequest, route } from '../http/route.ts'
import { agentOf } from '../http/services.ts'
import { START } from '../runs/event-id.ts'
import { type ChatBody, chatBody } from '../schemas/chat-body.ts'
import { agentParams, id, resourceId } from '../schemas/common.ts'
import type { Recipient } from '../work/client-messages.ts'
import { runStream } from '../work/leg-response.ts'

const chatParams = z.strictObject({ agentId: id, chatId: id })
const chatQuery = z.strictObject({ resourceId })

export const chatRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/chat/:agentId',
    owner: 'begin',
    tag: 'chat',
    summary: 'What useChat sends: what a person says, once or anew, or decides on calls that wait.',
    params: agentParams,
    body: chatBody,
    answers: { 200: { description: 'A UI message stream of the AI SDK.', stream: 'only' } },
    handle: chatted,
  }),
  route({
    method: 'get',
    path: '/api/chat/:agentId/:chatId/stream',
    owner: 'begin',
    tag: 'chat',
    summary: 'The message that is being said in a chat, or that waits for a person, from its start.',
    params: chatParams,
    query: chatQuery,
    answers: {
      200: { description: 'A UI message stream of the AI SDK.', stream: 'only' },
      204: { description: 'Nothing is being said.' },
    },
    handle: async ({ services, scope, params }) => {
      const agent = agentOf(services, params.agentId)
      const memory = await agent.getMemory({ requestContext: contextOf(scope.caller) })
      const run = await currentRun(services, chatOf(agent.id, params.chatId, scope.resourceId), memory)
      if (!run) return new Response(null, { status: 204 })
      const { runId, tracked } = run
      return runStream(services, { runId, tracked, after: START }, uiTelling(runId))
    },
  }),
  route({
    method: 'post',
    path: '/api/chat/:agentId/:chatId/stop',
    owner: 'begin',
    tag: 'chat',
    summary: 'Ends the run of a chat.',
    params: chatParams,
    query: chatQuery,
    answers: {
      200: { description: 'Whether there was one.', schema: z.object({ stopped: z.boolean(), runId: id.optional() }) },
    },
    handle: async ({ services, scope, params }) => {
      const agent = agentOf(services, params.agentId)
      const memory = await agent.getMemory({ requestContext: contextOf(scope.caller) })
      return Response.json(await chatStopped(services, chatOf(agent.id, params.chatId, scope.resourceId), memory))
    },
  }),
]

function chatOf(agentId: string, threadId: string, ofResource: string): Chat {
  return { agentId, threadId, resourceId: ofResource }
}

async function chatted({
  services,
  scope: { caller, resourceId: owner },
  params,
  body,
}: RouteRequest<'begin', { agentId: string }, unknown, ChatBody>): Promise<Response> {
  const agent = agentOf(services, params.agentId)
  const threadId = body.id
  const requestContext = contextOf(caller)
  const memory = await agent.getMemory({ requestContext })
  const thread = memory ? { memory, threadId, resourceId: owner } : undefined
  const chat = chatOf(agent.id, threadId, owner)
  const decisions = decisionsOf(body)
  if (decisions.written.length + decisions.given.length > 0) {
    await assertOnlyDecides(thread, body)
    const decided = await decideChat(services, caller, chat, decisions)
    const { run, from } = decided.first
    const reading = { runId: run.runId, tracked: run, after: from, begun: decided.last }
    return runStream(services, reading, uiTelling(run.runId, decided))
  }
  const heard = await say(services, { chat, body, to: { agent, requestContext, thread }, agent, caller })
  return heard.kept ? replayed(heard.runId, heard.kept) : runStream(services, heard, uiTelling(heard.runId))
}

/** A run that waits can't hear what is said beside a decision, and what is said is lost by nobody: throws `request-invalid`. */
async function assertOnlyDecides(thread: Recipient['thread'], body: ChatBody): Promise<void> {
  if (body.messages.at(-1)?.role !== 'user') return
  if (thread && (await saidIn(thread, { ...body, messageId: undefined })).type === 'again') return
  throw requestInvalid(
    'The request decides, and says something new as well. Neither was done.',
    'Send the decision first, without the message, and the message when the answer to it has ended.',
  )
}
