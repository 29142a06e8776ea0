import type { z } from 'zod'
import type { RequestPlace } from '../errors/error-response.ts'
import { requestInvalid } from '../errors/request-errors.ts'
import { authenticate } from '../guard/authenticate.ts'
import { readBody } from '../guard/read-body.ts'
import { isObject } from '../is-object.ts'
import type { Caller } from '../settings/caller.ts'
import type { Route } from './route.ts'
import { type Named, SCOPES } from './scope.ts'
import type { Services } from './services.ts'

/** Serves a request of a route: who asks, what they send, what they may work on, and then the route itself. Rejects with typed errors. */
export async function serveRoute(
  route: Route,
  services: Services,
  request: Request,
  params: Readonly<Record<string, string>>,
  place: RequestPlace,
): Promise<Response> {
  const { settings } = services
  const caller = route.owner === 'public' ? undefined : await authenticate(request, settings)
  const given = {
    params: checked(route.params, params, 'path'),
    query: checked(route.query, queryOf(request), 'query'),
    body: await bodyOf(route, request, settings.bodyLimit),
  }
  const scope = await scopeOf(route, services, caller, given)
  return route.handle({ services, scope: scope as never, ...given, request, place } as never)
}

async function scopeOf(
  { owner }: Route,
  services: Services,
  caller: Caller | undefined,
  { params, query, body }: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
): Promise<object> {
  if (owner === 'public' || !caller) return {}
  // A body says for whom something begins; nothing else of it names what is worked on.
  const resource = isObject(body) && typeof body['resourceId'] === 'string' ? { resourceId: body['resourceId'] } : {}
  const named: Named = { ...resource, ...asNamed(query), ...asNamed(params) }
  return SCOPES[owner](services, caller, named)
}

function asNamed(given: unknown): Named {
  return isObject(given) ? (given as Named) : {}
}

async function bodyOf({ body, method }: Route, request: Request, limit: number): Promise<unknown> {
  if (method === 'get') return undefined
  const given = await readBody(request, limit)
  return checked(body, given, 'body')
}

function queryOf(request: Request): Record<string, string> {
  const { searchParams } = new URL(request.url)
  return Object.fromEntries(searchParams)
}

/** Most that is said to be wrong at once. */
const MOST_ISSUES = 10

function checked(schema: z.ZodType | undefined, given: unknown, where: 'path' | 'query' | 'body'): unknown {
  if (!schema) {
    // A route without a query says so; one without a body passes over an empty object, which clients like to send.
    const names = isObject(given) ? Object.keys(given) : given === undefined ? [] : ['it']
    if (where === 'path' || names.length === 0) return undefined
    throw requestInvalid(`The ${where} has more than the route takes: ${names.join(', ')}.`, 'Leave it out.')
  }
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const issues = result.error.issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => (path.length > 0 ? `${path.map(String).join('.')}: ${message}` : message))
  throw requestInvalid(
    `The ${where} does not fit: ${issues.join('; ')}.`,
    'GET /openapi.json says what the route takes.',
    issues,
  )
}
