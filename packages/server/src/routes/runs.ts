import { z } from 'zod'
import { defined } from '../defined.ts'
import { type Route, type RouteRequest, route } from '../http/route.ts'
import { eventId, placeAfter, START } from '../runs/event-id.ts'
import { EventReader } from '../runs/read-events.ts'
import { runParams } from '../schemas/common.ts'
import { runResult } from '../schemas/run-options.ts'
import {
  answerBody,
  approveBody,
  declineBody,
  eventsQuery,
  runList,
  runsQuery,
  runView,
  storedEvents,
} from '../schemas/runs.ts'
import { cancelRun } from '../work/cancel-run.ts'
import { type Decision, decideRun, goOn } from '../work/decide.ts'
import { flatEvents, legResponse, wantsEvents } from '../work/leg-response.ts'
import { listRuns } from '../work/list-runs.ts'
import { factsJson, viewRun } from '../work/view-run.ts'

const followed = { 200: { description: 'What the run came to since.', schema: runResult, stream: 'also' } } as const

export const runRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/runs',
    owner: 'list',
    tag: 'runs',
    summary:
      'The runs that go on, wait, or are kept: first those on which this process works, then the others; the oldest first.',
    query: runsQuery,
    answers: { 200: { description: 'A page of them.', schema: runList } },
    handle: async ({ services, scope, query: { resourceId: _, ...filter } }) => {
      const { items, unreadable, next } = await listRuns(services, defined({ ...filter, resourceId: scope.resourceId }))
      return Response.json({ runs: items.map(factsJson), unreadable, ...(next === undefined ? {} : { next }) })
    },
  }),
  route({
    method: 'get',
    path: '/api/runs/:runId',
    owner: 'run',
    tag: 'runs',
    summary: 'A run, with what it waits for, or what it came to.',
    params: runParams,
    answers: { 200: { description: 'The run.', schema: runView } },
    handle: async ({ services, scope }) => Response.json(await viewRun(services, scope.run)),
  }),
  route({
    method: 'get',
    path: '/api/runs/:runId/events',
    owner: 'run',
    tag: 'runs',
    summary: 'The events of a run, from its start or after one; as a stream, as long as it goes on.',
    params: runParams,
    query: eventsQuery,
    answers: {
      200: { description: 'The events; in JSON, those that there are.', schema: storedEvents, stream: 'also' },
      204: { description: 'There is nothing after that event, and nothing will come.' },
    },
    handle: runEvents,
  }),
  decisionRoute('approve', 'Approves a call that waits, and goes on.', approveBody, (body) => {
    return { type: 'approve', ...body }
  }),
  decisionRoute('decline', 'Declines a call that waits, and goes on.', declineBody, (body) => {
    return { type: 'decline', ...body }
  }),
  decisionRoute('resume', 'Answers a call that was suspended, and goes on.', answerBody, (body) => {
    return { type: 'answer', ...body, data: body.data }
  }),
  route({
    method: 'post',
    path: '/api/runs/:runId/recover',
    owner: 'run',
    tag: 'runs',
    summary: 'Goes on with a durable run that a process died over.',
    params: runParams,
    answers: followed,
    handle: async ({ services, scope, request }) =>
      legResponse(services, await goOn(services, scope.caller, scope.run), request),
  }),
  route({
    method: 'post',
    path: '/api/runs/:runId/cancel',
    owner: 'run',
    tag: 'runs',
    summary: 'Ends a run that goes on, or waits.',
    params: runParams,
    answers: { 200: { description: 'It has ended.', schema: z.object({ runId: z.string() }) } },
    handle: async ({ services, scope: { run } }) => {
      await cancelRun(services, run)
      return Response.json({ runId: run.runId })
    },
  }),
]

function decisionRoute<Body extends z.ZodType>(
  name: 'approve' | 'decline' | 'resume',
  summary: string,
  body: Body,
  decision: (body: z.output<Body>) => Decision,
): Route {
  return route({
    method: 'post',
    path: `/api/runs/:runId/${name}`,
    owner: 'run',
    tag: 'runs',
    summary,
    params: runParams,
    body,
    answers: followed,
    handle: async ({ services, scope: { caller, run }, body: given, request }) =>
      legResponse(services, await decideRun(services, caller, run, decision(given)), request),
  })
}

async function runEvents({
  services,
  scope: { run },
  query,
  request,
}: RouteRequest<'run', unknown, z.output<typeof eventsQuery>, unknown>): Promise<Response> {
  const after = placeAfter(request.headers.get('last-event-id') ?? query.after) ?? START
  const { runId, tracked } = run
  const reader = new EventReader(services.storage, runId, tracked, after)
  if (wantsEvents(request)) {
    // Who has it all, of a run on which nobody works, need not come back: that is what 204 tells an EventSource.
    const isOver = !tracked?.log.isOpen && run.status !== 'running' && !(await hasMore(reader))
    return isOver ? new Response(null, { status: 204 }) : flatEvents(services, { runId, tracked, after })
  }
  const events: { id: string; chunk: unknown }[] = []
  do {
    for (let event = reader.take(); event; event = reader.take())
      events.push({ id: eventId(event), chunk: event.chunk })
  } while (!reader.isAtEnd && (await reader.wait()))
  return Response.json({ events })
}

async function hasMore(reader: EventReader): Promise<boolean> {
  for (;;) {
    if (reader.take()) return true
    if (!(await reader.wait())) return false
  }
}
