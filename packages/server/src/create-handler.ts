import type { Retinue } from '@retinue/core'
import type { ChooseModel } from '@retinue/core/agent'
import { isRetinueError, RetinueError } from '@retinue/core/errors'
import { thrownMessage, warn as warnProcess, withoutSecrets } from '@retinue/core/memory'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { errorResponse, type RequestPlace } from './errors/error-response.ts'
import { methodNotAllowed, routeNotFound } from './errors/request-errors.ts'
import { toldThrown } from './errors/told-error.ts'
import { assertHost } from './guard/check-host.ts'
import { assertOrigin } from './guard/check-origin.ts'
import type { Route } from './http/route.ts'
import { serveRoute } from './http/serve-route.ts'
import type { Services } from './http/services.ts'
import { withOpenApi } from './routes/open-api.ts'
import { ROUTES } from './routes/routes.ts'
import { RunHub } from './runs/run-hub.ts'
import { TaskFeeds } from './runs/task-feeds.ts'
import { checkedSettings } from './settings/checked-settings.ts'
import type { ServerSettings } from './settings/settings.ts'
import { recoverRuns } from './work/recover-runs.ts'

/** A server, wherever it runs. */
export interface RetinueServer {
  /** Answers a request, with an error too: it does not reject. */
  fetch(request: Request): Promise<Response>
  /**
   * Goes on with the durable runs that a process died over; they are found under their run ids, and their events go on where they
   * stopped. To be called once, when the process starts.
   */
  recover(): Promise<void>
  /**
   * Takes no new work, waits for the runs and background tasks that go on (at most `shutdownMs`), ends those that are kept nowhere, and
   * ends every stream. Durable runs that go on still are left as they are: who starts next recovers them. To call it again is harmless.
   */
  close(): Promise<void>
}

export interface HandlerOptions {
  /** It needs a storage. */
  readonly app: Retinue
  readonly settings?: ServerSettings
  /** Decides which model each agent runs on, in place of what the configs declare: in every run, also one that goes on. */
  readonly resolveModel?: ChooseModel | undefined
}

interface Env {
  Bindings: { readonly place: RequestPlace }
}

/**
 * Makes a server of an application: a web fetch handler, for Node (`@retinue/server/node`), Hono, and whatever takes one. Throws
 * `server-settings-invalid`, `server-unprotected` or `application-invalid`.
 */
export function createHandler({ app, settings: given, resolveModel }: HandlerOptions): RetinueServer {
  const settings = checkedSettings(given)
  const { storage } = app
  if (!storage) throw noStorage()
  const log = logOf(app)
  const hub = new RunHub({ storage, detachMs: settings.detachMs, settled: () => app.tasks.settled(), warn: log })
  const feeds = new TaskFeeds((taskId, signal) => app.tasks.watch(taskId, { signal }), log)
  const services: Services = { app, storage, hub, feeds, settings, resolveModel, said: new Map() }
  const routes = routed(services, withOpenApi(ROUTES), log)
  let closing: Promise<void> | undefined
  return {
    fetch: async (request) => {
      const place = placeOf(request)
      try {
        assertHost(request, settings)
        assertOrigin(request, settings)
        assertNoHead(request, place)
        return named(await routes.fetch(request, { place }), place)
      } catch (thrown) {
        return named(failure(thrown, place, log), place)
      }
    },
    recover: () => recoverRuns(services),
    close: () => {
      closing ??= hub.close(settings.shutdownMs).finally(() => feeds.close())
      return closing
    },
  }
}

/** A stream that was begun for nobody would go on for ever: of what can be read, only the health of the server has a head. */
function assertNoHead({ method }: Request, { path }: RequestPlace): void {
  if (method === 'HEAD' && path !== '/healthz' && path !== '/readyz') throw methodNotAllowed(method, path, ['GET'])
}

type Log = (code: string, thrown: unknown) => void

function routed(services: Services, table: readonly Route[], log: Log): Hono<Env> {
  const { settings } = services
  const hono = new Hono<Env>()
  if (settings.cors.origins.length > 0) hono.use(corsOf(settings.cors))
  for (const middleware of settings.middleware) hono.use(middleware)
  for (const route of table)
    hono.on(route.method, route.path, (c) => serveRoute(route, services, c.req.raw, c.req.param(), c.env.place))
  for (const [path, methods] of methodsByPath(table))
    hono.all(path, (c) => {
      throw methodNotAllowed(c.req.method, c.req.path, methods)
    })
  hono.notFound((c) => failure(routeNotFound(c.req.method, c.req.path), c.env.place, log))
  hono.onError((thrown, c) => failure(thrown, c.env.place, log))
  return hono
}

function corsOf({ origins, credentials }: { readonly origins: readonly string[]; readonly credentials: boolean }) {
  return cors({
    origin: [...origins],
    credentials,
    exposeHeaders: ['x-request-id', 'x-retinue-run-id'],
    maxAge: 600,
  })
}

function methodsByPath(table: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method } of table) methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()])
  return methods
}

/** The answer to a request that failed. What it does not say of a failure of the server, the log does. */
function failure(thrown: unknown, place: RequestPlace, log: Log): Response {
  const told = toldThrown(thrown)
  const allowed = isRetinueError(thrown, 'method-not-allowed') ? thrown.data['allowed'] : undefined
  const response = errorResponse(told, place, Array.isArray(allowed) ? { allow: allowed.join(', ') } : {})
  if (response.status >= 500 && told.code !== 'server-closing') log(`${told.code}, request ${place.requestId}`, thrown)
  return response
}

function placeOf(request: Request): RequestPlace {
  const given = request.headers.get('x-request-id') ?? ''
  const requestId = /^[\w.:-]{1,100}$/.test(given) ? given : crypto.randomUUID()
  return { path: new URL(request.url).pathname, requestId }
}

/** Headers of every answer. */
function named(response: Response, { requestId }: RequestPlace): Response {
  const headers = new Headers(response.headers)
  headers.set('x-request-id', requestId)
  headers.set('x-content-type-options', 'nosniff')
  const { status, statusText, body } = response
  return new Response(body, { status, statusText, headers })
}

function noStorage(): RetinueError {
  return new RetinueError({
    code: 'application-invalid',
    message: 'The application has no storage, so a server could not find its runs and approvals again.',
    hint: "new Retinue({ agents, storage: new LibSQLStore({ id: 'app', url: 'file:app.db' }) }), or new InMemoryStorage() of @retinue/core/storage",
  })
}

/** Where the application wants its warnings. An error's cause may hold secrets, and stays out of it. */
function logOf({ logger }: Retinue): Log {
  return (code, thrown) => {
    const message = withoutSecrets(logText(thrown))
    if (logger === undefined) warnProcess(code, message)
    else if (logger) logger.warn(`[${code}] ${message}`)
  }
}

/** Of what nobody expected, where it came from, too. */
function logText(thrown: unknown): string {
  if (isRetinueError(thrown) || !(thrown instanceof Error)) return thrownMessage(thrown)
  return thrown.stack ?? thrown.message
}
