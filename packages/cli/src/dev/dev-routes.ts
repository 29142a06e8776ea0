import type { ScheduleRunner } from '@retinue/project/runtime'
import type { ServerSettings } from '@retinue/server'
import type { DevState } from './protocol.ts'

type Middleware = NonNullable<ServerSettings['middleware']>[number]

export interface DevRoutes {
  readonly settings: ServerSettings
  /** How it stands now. */
  state(): DevState
  schedules(): ScheduleRunner | undefined
}

/**
 * What `retinue dev` answers beside the server's own routes: how it stands with the folder, with its findings, and its schedules, which
 * can be fired by hand. They are for who has the machine: where callers must say who they are, a caller that does not is refused.
 */
export function devRoutes({ settings, state, schedules }: DevRoutes): Middleware {
  return async (c, next) => {
    const { method } = c.req
    const path = decoded(c.req.path)
    const fired = /^\/api\/schedules\/([^/]+)\/(.+)\/fire$/.exec(path)
    const isOurs = path === '/api/dev' || path === '/api/schedules' || fired !== null
    if (!isOurs) return next()
    const request = { path: c.req.path, requestId: crypto.randomUUID() }
    if (!(await isOperator(c.req.raw, settings)))
      return c.json({ code: 'auth-required', message: 'Who asks is not known.', ...request }, 401)
    if (method === 'GET' && path === '/api/dev') return c.json(state())
    if (method === 'GET' && path === '/api/schedules') return c.json({ schedules: (await schedules()?.list()) ?? [] })
    const [, agent = '', key = ''] = fired ?? []
    const known = await schedules()?.list()
    if (method !== 'POST' || fired === null)
      return c.json({ code: 'method-not-allowed', message: `${method} is not for ${path}.`, ...request }, 405)
    if (!known?.some((schedule) => schedule.agent === agent && schedule.key === key))
      return c.json({ code: 'schedule-unknown', message: `There is no schedule "${agent}/${key}".`, ...request }, 404)
    return c.json(await schedules()?.fire(agent, key))
  }
}

/** What can't be decoded is no path of ours. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

async function isOperator(request: Request, { token, auth }: ServerSettings): Promise<boolean> {
  if (auth) return (await auth(request))?.sees === 'all'
  return token === undefined || request.headers.get('authorization') === `Bearer ${token}`
}
