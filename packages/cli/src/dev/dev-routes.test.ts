import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { ScheduleRunner } from '@retinue/project/runtime'
import { createHandler } from '@retinue/server'
import { expect, test } from 'vitest'
import { devRoutes } from './dev-routes.ts'

/** What a development answers, with one schedule. */
function asked(settings: { token?: string; auth?: () => undefined } = {}) {
  const desk = new Agent({ id: 'desk', instructions: 'Work.', model: 'offline/echo' })
  const app = new Retinue({ agents: { desk }, storage: new InMemoryStorage({ id: 's' }) })
  const schedule = { cron: '0 9 * * *', prompt: 'x' }
  const schedules = new ScheduleRunner({ app, schedules: [{ agent: 'desk', key: 'daily', schedule }] })
  const state = () => ({ generation: 1, status: 'ok', findings: [] }) as const
  const handler = createHandler({
    app,
    settings: { middleware: [devRoutes({ settings, state, schedules: () => schedules })] },
  })
  return async (method: string, path: string) => {
    const response = await handler.fetch(new Request(`http://127.0.0.1${path}`, { method }))
    return [response.status, await response.json()]
  }
}

test('B11.13 every error of what dev answers says what to do', async () => {
  const ask = asked()
  const envelope = { requestId: expect.any(String), message: expect.any(String), path: expect.any(String) }
  expect(await ask('POST', '/api/schedules/desk/nightly/fire')).toEqual([
    404,
    { ...envelope, code: 'schedule-unknown', hint: 'Its schedules are desk/daily.' },
  ])
  expect(await ask('GET', '/api/schedules/desk/daily/fire')).toEqual([
    405,
    { ...envelope, code: 'method-not-allowed', hint: 'Ask with POST.' },
  ])
  expect(await ask('DELETE', '/api/dev')).toEqual([
    405,
    { ...envelope, code: 'method-not-allowed', hint: 'Ask with GET.' },
  ])
  for (const settings of [{ token: 'secret' }, { auth: () => undefined }]) {
    const hint = expect.stringMatching(/Bearer|auth/)
    expect(await asked(settings)('GET', '/api/dev')).toEqual([401, { ...envelope, code: 'auth-required', hint }])
  }
})
