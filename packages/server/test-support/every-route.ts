import type { Route } from '../src/http/route.ts'
import { withOpenApi } from '../src/routes/open-api.ts'
import { ROUTES } from '../src/routes/routes.ts'

/** The table that the server serves. */
export const TABLE: readonly Route[] = withOpenApi(ROUTES)

/** Ids to put into a path. */
export interface Ids {
  readonly runId: string
  readonly threadId: string
  readonly taskId?: string
  readonly agentId?: string
}

/** A path of a route with ids in the place of its parameters. */
export function pathOf({ path }: Route, { runId, threadId, taskId = 'none', agentId = 'sup' }: Ids): string {
  return path
    .replace(':agentId', agentId)
    .replace(':chatId', encodeURIComponent(threadId))
    .replace(':runId', encodeURIComponent(runId))
    .replace(':taskId', encodeURIComponent(taskId))
    .replace(':threadId', encodeURIComponent(threadId))
    .replace(':modelId', 'sup')
}

/** A body that a route takes; undefined for one that takes none. */
export function bodyOf({ method, path }: Route, { threadId }: Ids): unknown {
  if (method === 'get' || method === 'delete') return undefined
  if (path.endsWith('/generate') || path.endsWith('/stream')) return { input: 'Hi.', threadId }
  if (path === '/api/chat/:agentId')
    return { id: threadId, messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }] }
  if (path === '/v1/chat/completions') return { model: 'sup', messages: [{ role: 'user', content: 'Hi.' }] }
  if (path === '/v1/responses') return { model: 'sup', input: 'Hi.', conversation: threadId }
  if (path.endsWith('/resume') || path.endsWith('/answer')) return { data: 1 }
  if (path === '/api/tasks/:taskId/messages') return { text: 'Hurry.' }
  if (path === '/api/threads/:threadId' && method === 'patch') return { title: 'New' }
  return {}
}
