import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { ScheduleRunner } from '@retinue/project/runtime'
import { expect, test } from 'vitest'
import { VersionSchedules } from './version-schedules.ts'

test('B11.13 a version that rests and serves again waits at its end for what it began before', async () => {
  const desk = new Agent({ id: 'desk', instructions: 'Work.', model: 'offline/echo' })
  const app = new Retinue({ agents: { desk }, storage: new InMemoryStorage({ id: 's' }) })
  const { promise, resolve } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const handler = () => {
    begun.resolve()
    return promise
  }
  const schedule = { cron: '0 0 1 1 *', handler }
  const version = new VersionSchedules(
    () => new ScheduleRunner({ app, schedules: [{ agent: 'desk', key: 'held', schedule }] }),
  )
  await version.current.start()
  const before = version.current
  const fired = before.fire('desk/held')
  await begun.promise
  version.rest()
  await version.resume()
  expect(version.current).not.toBe(before)
  expect(await version.current.fire('desk/held')).toMatchObject({ ran: false, outcome: 'left-out' })
  let hasStopped = false
  const stopped = version.stop(60_000).then(() => {
    hasStopped = true
  })
  await version.current.list()
  expect(hasStopped).toBe(false)
  resolve()
  expect(await fired).toMatchObject({ ran: true, outcome: 'completed' })
  await stopped
  expect(await version.current.find('desk/held')).toMatchObject({ isRunning: false })
})

test('B11.13 what a version began before it rested is aborted when its time is up', async () => {
  const desk = new Agent({ id: 'desk', instructions: 'Work.', model: 'offline/echo' })
  const app = new Retinue({ agents: { desk }, storage: new InMemoryStorage({ id: 's' }) })
  const begun = Promise.withResolvers<void>()
  const handler = ({ abortSignal }: { abortSignal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      begun.resolve()
      abortSignal.addEventListener('abort', () => reject(abortSignal.reason))
    })
  const owned = { agent: 'desk', key: 'held', schedule: { cron: '0 0 1 1 *', handler } }
  const version = new VersionSchedules(() => new ScheduleRunner({ app, schedules: [owned] }))
  await version.current.start()
  const fired = version.current.fire('desk/held')
  await begun.promise
  version.rest()
  await version.resume()
  await version.stop(0)
  expect(await fired).toEqual({ ran: true, outcome: 'aborted' })
})
