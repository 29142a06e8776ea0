import { z } from 'zod'
import { contextOf } from '../http/caller-context.ts'
import { type Route, type RouteRequest, route } from '../http/route.ts'
import { agentOf, type Services } from '../http/services.ts'
import { Answer } from '../openai/answer.ts'
import { beginAsked } from '../openai/begin.ts'
import { askedByCompletion, completion, completionHead, completionTelling } from '../openai/completions.ts'
import { askedByResponse, response, responseHead, responseTelling, threadOf } from '../openai/responses.ts'
import { type CompletionBody, completionBody, type ResponseBody, responseBody } from '../openai/schemas.ts'
import { EventReader } from '../runs/read-events.ts'
import type { Leg } from '../runs/run-hub.ts'
import { id } from '../schemas/common.ts'
import { legResult, RUN_HEADER, runStream, type Telling } from '../work/leg-response.ts'

const model = z.object({ id: z.string(), object: z.literal('model'), created: z.number(), owned_by: z.string() })

export const openAiRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/models',
    owner: 'caller',
    tag: 'openai',
    summary: 'The agents, as models.',
    answers: {
      200: { description: 'All of them.', schema: z.object({ object: z.literal('list'), data: z.array(model) }) },
    },
    handle: ({ services }) => {
      const data = Object.values(services.app.listAgents()).map((agent) => modelOf(agent.id))
      return Response.json({ object: 'list', data })
    },
  }),
  route({
    method: 'get',
    path: '/v1/models/:modelId',
    owner: 'caller',
    tag: 'openai',
    summary: 'An agent, as a model.',
    params: z.strictObject({ modelId: id }),
    answers: { 200: { description: 'It.', schema: model } },
    handle: ({ services, params }) => Response.json(modelOf(agentOf(services, params.modelId).id)),
  }),
  route({
    method: 'post',
    path: '/v1/chat/completions',
    owner: 'begin',
    tag: 'openai',
    summary: 'OpenAI’s chat completions: the model is an agent, whose tools run here.',
    body: completionBody,
    answers: { 200: { description: 'A chat completion.', schema: z.looseObject({ id: z.string() }), stream: 'also' } },
    handle: completed,
  }),
  route({
    method: 'post',
    path: '/v1/responses',
    owner: 'begin',
    tag: 'openai',
    summary: 'OpenAI’s responses: the model is an agent, whose tools run here; a conversation is a thread.',
    body: responseBody,
    answers: { 200: { description: 'A response.', schema: z.looseObject({ id: z.string() }), stream: 'also' } },
    handle: responded,
  }),
]

function modelOf(agentId: string): z.output<typeof model> {
  return { id: agentId, object: 'model', created: 0, owned_by: 'retinue' }
}

async function completed({
  services,
  scope,
  body,
  request,
}: RouteRequest<'begin', unknown, unknown, CompletionBody>): Promise<Response> {
  const asked = askedByCompletion(body)
  const isTyped = asked.options.structuredOutput !== undefined
  const leg = await beginAsked(services, scope, asked)
  const { runId, createdAt } = leg.run
  const head = completionHead(runId, body.model, createdAt)
  if (body.stream)
    return told(services, leg, completionTelling(runId, head, body.stream_options?.include_usage ?? false, isTyped))
  return whole(runId, completion(head, await answered(services, leg, request, isTyped)))
}

async function responded({
  services,
  scope,
  body,
  request,
}: RouteRequest<'begin', unknown, unknown, ResponseBody>): Promise<Response> {
  const agent = agentOf(services, body.model)
  const memory = await agent.getMemory({ requestContext: contextOf(scope.caller) })
  const threadId = threadOf(body, memory !== undefined)
  const asked = askedByResponse(body, threadId)
  const isTyped = asked.options.structuredOutput !== undefined
  const leg = await beginAsked(services, scope, asked)
  const { runId, createdAt } = leg.run
  const head = responseHead(runId, threadId, body.model, createdAt)
  if (body.stream) return told(services, leg, responseTelling(runId, head, isTyped))
  return whole(runId, response(head, await answered(services, leg, request, isTyped)))
}

function told(services: Services, { run, from }: Leg, telling: Telling): Response {
  return runStream(services, { runId: run.runId, tracked: run, after: from }, telling)
}

function whole(runId: string, body: Record<string, unknown>): Response {
  return Response.json(body, { headers: { [RUN_HEADER]: runId } })
}

/** What a leg came to, as the streams of it tell it. Rejects with the error that it ended with. */
async function answered(services: Services, leg: Leg, request: Request, isTyped: boolean): Promise<Answer> {
  await legResult(services, leg, request)
  const answer = new Answer(leg.run.runId, isTyped)
  const reader = new EventReader(services.storage, leg.run.runId, leg.run, leg.from)
  for (let event = reader.take(); event; event = reader.take()) answer.take(event.chunk)
  return answer
}
