import { z } from 'zod'
import { assertKeepable } from '../chat/said-anew.ts'
import { memoryMissing, requestInvalid } from '../errors/request-errors.ts'
import { contextOf } from '../http/caller-context.ts'
import { type Route, type RouteRequest, route } from '../http/route.ts'
import { agentOf } from '../http/services.ts'
import type { Leg } from '../runs/run-hub.ts'
import { agentParams } from '../schemas/common.ts'
import { type RunBody, runBody, runResult } from '../schemas/run-options.ts'
import { beginRun } from '../work/begin-run.ts'
import { messagesFromClient } from '../work/client-messages.ts'
import { describeAgents } from '../work/describe-agent.ts'
import { legEvents, legResponse } from '../work/leg-response.ts'

const agent = z.looseObject({ id: z.string(), key: z.string(), name: z.string(), hasMemory: z.boolean() })

export const agentRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/agents',
    owner: 'caller',
    tag: 'agents',
    summary: 'The agents, with those that they delegate to.',
    answers: { 200: { description: 'The trees.', schema: z.object({ agents: z.array(agent) }) } },
    handle: ({ services }) => Response.json({ agents: describeAgents(services.app.listAgents()) }),
  }),
  route({
    method: 'get',
    path: '/api/agents/:agentId',
    owner: 'caller',
    tag: 'agents',
    summary: 'One agent, with those that it delegates to.',
    params: agentParams,
    answers: { 200: { description: 'The tree.', schema: agent } },
    handle: ({ services, params }) => {
      const found = agentOf(services, params.agentId)
      const key = Object.entries(services.app.listAgents()).find(([, each]) => each === found)?.[0] ?? found.id
      return Response.json(describeAgents({ [key]: found })[0])
    },
  }),
  route({
    method: 'post',
    path: '/api/agents/:agentId/generate',
    owner: 'begin',
    tag: 'agents',
    summary: 'Runs an agent, and answers when it has ended, or waits for a person.',
    params: agentParams,
    body: runBody,
    answers: { 200: { description: 'What the run came to.', schema: runResult, stream: 'also' } },
    handle: async (request) => legResponse(request.services, await begun(request), request.request),
  }),
  route({
    method: 'post',
    path: '/api/agents/:agentId/stream',
    owner: 'begin',
    tag: 'agents',
    summary: 'Runs an agent, and streams its events, flat. The run goes on without a reader.',
    params: agentParams,
    body: runBody,
    answers: { 200: { description: 'The events; GET /api/runs/{runId}/events resumes them.', stream: 'only' } },
    handle: async (request) => legEvents(request.services, await begun(request)),
  }),
]

/** The run that a body asks for. */
async function begun({
  services,
  scope: { caller, resourceId },
  params: { agentId },
  body,
}: RouteRequest<'begin', { agentId: string }, unknown, RunBody>): Promise<Leg> {
  const { input, messages, threadId, onBusy, replaceFrom } = body
  if ((input === undefined) === (messages === undefined))
    throw requestInvalid('The body has neither or both of input and messages.', 'Send { "input": "…" }.')
  if (replaceFrom !== undefined && threadId === undefined)
    throw requestInvalid('The body has replaceFrom, and no threadId.', 'Name the thread that has the message.')
  const found = agentOf(services, agentId)
  const requestContext = contextOf(caller)
  const memory = threadId === undefined ? undefined : await found.getMemory({ requestContext })
  if (threadId !== undefined && !memory) throw memoryMissing(found.id)
  const thread = threadId !== undefined && memory ? { memory, threadId, resourceId } : undefined
  if (messages && thread) await assertKeepable(thread, messages, replaceFrom)
  const said = messages ? await messagesFromClient(messages, { agent: found, requestContext, thread }) : (input ?? '')
  return beginRun(services, {
    agent: found,
    input: said,
    caller,
    resourceId,
    threadId,
    onBusy,
    replaceFrom,
    keepMessageIds: true,
    options: body,
  })
}
