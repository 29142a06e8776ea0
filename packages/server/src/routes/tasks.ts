import { taskEnded } from '@retinue/core/storage'
import { z } from 'zod'
import { defined } from '../defined.ts'
import { type Route, type RouteRequest, route } from '../http/route.ts'
import { placeAfter } from '../runs/event-id.ts'
import { taskParams } from '../schemas/common.ts'
import { answerBody, eventsQuery } from '../schemas/runs.ts'
import {
  cancelTaskBody,
  questionsQuery,
  taskList,
  taskMessageBody,
  taskQuestions,
  tasksQuery,
  taskView,
} from '../schemas/tasks.ts'
import { decideRun } from '../work/decide.ts'
import { legEvents, wantsEvents } from '../work/leg-response.ts'
import { listQuestions } from '../work/list-approvals.ts'
import { TASK_END, taskEvents } from '../work/task-events.ts'
import { taskJson, viewTask } from '../work/view-task.ts'

export const taskRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/tasks',
    owner: 'list',
    tag: 'tasks',
    summary: 'The background tasks, in the order in which they were begun.',
    query: tasksQuery,
    answers: { 200: { description: 'A page of them.', schema: taskList } },
    handle: async ({ services, scope, query: { runId, resourceId: _, ...filter } }) => {
      const { items, unreadable, next } = await services.app.tasks.list(
        defined({ ...filter, rootRunId: runId, resourceId: scope.resourceId }),
      )
      return Response.json({ tasks: items.map(taskJson), unreadable, ...(next === undefined ? {} : { next }) })
    },
  }),
  // Before the route of one task: it is none of that name.
  route({
    method: 'get',
    path: '/api/tasks/questions',
    owner: 'list',
    tag: 'tasks',
    summary:
      'What background tasks ask of people, in the order in which they asked: calls that want an approval, and questions that want an answer.',
    query: questionsQuery,
    answers: { 200: { description: 'A page of it.', schema: taskQuestions } },
    handle: async ({ services, scope, query: { resourceId: _, ...filter } }) => {
      const own = defined({ ...filter, resourceId: scope.resourceId })
      const { items: questions, unreadable, next } = await listQuestions(services, own)
      return Response.json({ questions, unreadable, ...(next === undefined ? {} : { next }) })
    },
  }),
  route({
    method: 'get',
    path: '/api/tasks/:taskId',
    owner: 'task',
    tag: 'tasks',
    summary: 'A background task, with what it waits for, or what came of it.',
    params: taskParams,
    answers: { 200: { description: 'The task.', schema: taskView } },
    handle: async ({ services, scope }) => Response.json(await viewTask(services, scope.task)),
  }),
  route({
    method: 'get',
    path: '/api/tasks/:taskId/events',
    owner: 'task',
    tag: 'tasks',
    summary:
      'What happens in a background task from now on, to its end: first how it stands. Or what happened after an event, as long as this process knows that.',
    params: taskParams,
    query: eventsQuery,
    answers: {
      200: { description: 'The events. Of a task that another process works on, its states alone.', stream: 'only' },
      204: { description: 'Its end was read, and nothing will come.' },
    },
    handle: ({ services, scope: { task }, query, request }) => {
      const id = request.headers.get('last-event-id') ?? query.after
      if (id === TASK_END && task.endedAt !== undefined) return new Response(null, { status: 204 })
      return taskEvents(services, task, id === TASK_END ? undefined : placeAfter(id))
    },
  }),
  route({
    method: 'post',
    path: '/api/tasks/:taskId/cancel',
    owner: 'task',
    tag: 'tasks',
    summary: 'Ends a background task. Whoever waits for it is told.',
    params: taskParams,
    body: cancelTaskBody,
    answers: {
      200: {
        description: 'It has ended; false if it had before.',
        schema: z.object({ taskId: z.string(), cancelled: z.boolean() }),
      },
    },
    handle: async ({ services, scope: { task }, body }) => {
      const { taskId } = task
      return Response.json({ taskId, cancelled: await services.app.tasks.cancel(taskId, body?.reason) })
    },
  }),
  route({
    method: 'post',
    path: '/api/tasks/:taskId/messages',
    owner: 'task',
    tag: 'tasks',
    summary: 'Says something to a background task while it runs.',
    params: taskParams,
    body: taskMessageBody,
    answers: {
      202: { description: 'Its agent reads it before its next model call.', schema: z.object({ taskId: z.string() }) },
    },
    handle: async ({ services, scope: { task }, body }) => {
      await services.app.tasks.send(task.taskId, body.text)
      return Response.json({ taskId: task.taskId }, { status: 202 })
    },
  }),
  route({
    method: 'post',
    path: '/api/tasks/:taskId/answer',
    owner: 'task',
    tag: 'tasks',
    summary: 'Answers what a background task asks, and lets it go on.',
    params: taskParams,
    body: answerBody,
    answers: {
      202: { description: 'It goes on.', schema: z.object({ taskId: z.string(), runId: z.string() }) },
      200: { description: 'The events of the run that waited for it and goes on; else of the task.', stream: 'only' },
    },
    handle: answered,
  }),
]

/** Whoever answers need not wait for what comes of it: the task goes on in the background. */
async function answered({
  services,
  scope: { caller, task },
  body: { toolCallId, data },
  request,
}: RouteRequest<'task', unknown, unknown, z.output<typeof answerBody>>): Promise<Response> {
  const { taskId, rootRunId: runId, agentId, threadId, resourceId, endedAt } = task
  if (endedAt !== undefined) throw taskEnded(taskId)
  const asking = { runId: taskId, agentId, threadId, resourceId }
  const leg = await decideRun(services, caller, asking, { type: 'answer', toolCallId, data })
  return wantsEvents(request) ? legEvents(services, leg) : Response.json({ taskId, runId }, { status: 202 })
}
