import { isRetinueError } from '@retinue/core/errors'
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
    const fired = /^\/api\/schedules\/([^/]+\/.+)\/fire$/.exec(path)
    const isOurs = path === '/api/dev' || path === '/api/schedules' || fired !== null
    if (!isOurs) return next()
    const refused = (code: string, message: string, hint: string): object => {
      return { code, message, hint, path: c.req.path, requestId: crypto.randomUUID() }
    }
    if (!(await isOperator(c.req.raw, settings))) {
      const hint = settings.auth
        ? 'Ask as somebody who sees all: that is what auth in server.ts says.'
        : 'Send "authorization: Bearer <token>", with the token of the server.'
      return c.json(refused('auth-required', 'Who asks is not known.', hint), 401)
    }
    if (method === 'GET' && path === '/api/dev') return c.json(state())
    const runner = schedules()
    if (method === 'GET' && path === '/api/schedules') return c.json({ schedules: (await runner?.list()) ?? [] })
    if (method !== 'POST' || fired === null) {
      const allowed = fired === null ? 'GET' : 'POST'
      const message = `${method} is not for ${path}.`
      return c.json(refused('method-not-allowed', message, `Ask with ${allowed}.`), 405, { allow: allowed })
    }
    const [, name = ''] = fired
    if (runner === undefined) {
      const hint = 'Mend what GET /api/dev tells, and ask again.'
      return c.json(refused('schedule-unknown', `There is no schedule "${name}": no version loads yet.`, hint), 404)
    }
    try {
      return c.json(await runner.fire(name))
    } catch (error) {
      if (!isRetinueError(error, 'schedule-unknown')) throw error
      return c.json(refused(error.code, error.message, error.hint ?? ''), 404)
    }
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
