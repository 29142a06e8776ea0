import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import type { Schedule } from '@retinue/core/schedules'
import { InMemoryStorage, type Storage } from '@retinue/core/storage'
import { scriptedModel } from '@retinue/core/testing'
import { Memory } from '@retinue/memory'
import { expect, test } from 'vitest'
import { FakeClock } from '../../test-support/fake-clock.ts'
import { type ScheduleEvent, ScheduleRunner } from './schedule-runner.ts'

const START = Date.parse('2026-03-28T08:59:30Z')
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

interface Setting {
  readonly clock: FakeClock
  readonly storage: Storage
  readonly app: Retinue
  readonly runner: ScheduleRunner
  readonly told: string[]
}

function told({ schedule, outcome }: ScheduleEvent): string {
  if (outcome === undefined) return `${schedule} begins`
  const { outcome: what, count, error, by } = outcome
  return [schedule, what, ...(count === undefined ? [] : [count]), ...(by === 'time' ? [] : [by]), error?.message]
    .filter((part) => part !== undefined)
    .join(' ')
}

interface Over extends Partial<Pick<Setting, 'clock' | 'storage'>> {
  readonly agent?: string
  /** Hears what is told, as it is told. */
  readonly hear?: (runner: ScheduleRunner) => void
}

/** An application with one agent and one schedule or none, which is being started. */
function prepared(schedule: Schedule | undefined, over: Over = {}): Setting & { readonly starting: Promise<void> } {
  const { clock = new FakeClock(START), storage = new InMemoryStorage({ id: 's' }), agent = 'sup', hear } = over
  const model = scriptedModel(Array.from({ length: 20 }, () => ({ text: 'Done.' })))
  const sup = new Agent({ id: agent, instructions: 'Work.', model })
  const app = new Retinue({ agents: { [agent]: sup }, storage, memory: new Memory() })
  const events: string[] = []
  const runner = new ScheduleRunner({
    app,
    schedules: schedule === undefined ? [] : [{ agent, key: 'daily', schedule }],
    clock,
    tell: (event) => {
      events.push(told(event))
      hear?.(runner)
    },
  })
  return { clock, storage, app, runner, told: events, starting: runner.start() }
}

async function started(schedule: Schedule | undefined, over: Over = {}): Promise<Setting> {
  const setting = prepared(schedule, over)
  await setting.starting
  return setting
}

/** A handler that is let go by hand. */
function held(): { handler: () => Promise<void>; release: () => void; begun: () => number } {
  const waiting: (() => void)[] = []
  let begun = 0
  return {
    handler: () => {
      begun++
      return new Promise((resolve) => waiting.push(resolve))
    },
    release: () => waiting.shift()?.(),
    begun: () => begun,
  }
}

test('B11.2 a prompt is asked when it is due, once each time, in a conversation of its own that is kept', async () => {
  const { clock, storage, runner, told } = await started({ cron: '0 9 * * *', prompt: 'Sum up.' })
  expect(told).toEqual([])
  await clock.advance(MINUTE)
  expect(told).toEqual(['sup/daily begins', 'sup/daily completed'])
  await clock.advance(DAY)
  expect(told).toHaveLength(4)
  const threads = await storage.threads.list({ resourceId: 'schedule:sup/daily' })
  expect(threads.items.map(({ title }) => title)).toEqual([
    'sup/daily, 2026-03-29T09:00:00.000Z',
    'sup/daily, 2026-03-28T09:00:00.000Z',
  ])
  const [state] = await runner.list()
  expect(state).toMatchObject({ agent: 'sup', key: 'daily', timeZone: 'UTC', isRunning: false })
  expect(state?.next).toBe(Date.parse('2026-03-30T09:00:00Z'))
  expect(state?.outcomes.map(({ due, outcome }) => [due, outcome])).toEqual([
    [Date.parse('2026-03-29T09:00:00Z'), 'completed'],
    [Date.parse('2026-03-28T09:00:00Z'), 'completed'],
  ])
  await runner.stop()
})

test('B11.2 the fields are read in the time zone, over the change of the clocks', async () => {
  const { runner, clock } = await started({ cron: '30 9 * * *', timeZone: 'Europe/Paris', prompt: 'x' })
  expect((await runner.list())[0]?.next).toBe(Date.parse('2026-03-29T07:30:00Z'))
  await clock.advance(DAY)
  expect((await runner.list())[0]?.next).toBe(Date.parse('2026-03-30T07:30:00Z'))
  await runner.stop()
})

test('B11.2 a handler gets its agent and its time; what it throws is the outcome, and the next time comes', async () => {
  let times = 0
  const handler = async ({ run, due, key, agent }: Parameters<NonNullable<Schedule['handler']>>[0]): Promise<void> => {
    if (times++ === 0) throw new Error(`no ${key} of ${agent.id} at ${due.toISOString()}`)
    expect((await run('Go on.')).text).toBe('Done.')
  }
  const { clock, runner, told } = await started({ cron: '0 * * * *', handler })
  await clock.advance(MINUTE)
  await clock.advance(60 * MINUTE)
  expect(told).toEqual([
    'sup/daily begins',
    'sup/daily failed no daily of sup at 2026-03-28T09:00:00.000Z',
    'sup/daily begins',
    'sup/daily completed',
  ])
  await runner.stop()
})

test('B11.2 what is still running when it is due again is left out, and that is told and kept', async () => {
  const { handler, release, begun } = held()
  const { clock, runner, told } = await started({ cron: '* * * * *', handler })
  await clock.advance(MINUTE)
  await clock.advance(MINUTE)
  expect([begun(), told]).toEqual([1, ['sup/daily begins', 'sup/daily left-out']])
  release()
  await clock.advance(MINUTE)
  expect(begun()).toBe(2)
  release()
  await clock.settle()
  const [state] = await runner.list()
  expect(state?.outcomes.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'left-out'])
  await runner.stop()
})

test('B11.2 overlap is allowed where the schedule says so', async () => {
  const { handler, release, begun } = held()
  const { clock, runner } = await started({ cron: '* * * * *', handler, allowOverlap: true })
  await clock.advance(MINUTE)
  await clock.advance(MINUTE)
  expect(begun()).toBe(2)
  release()
  release()
  await runner.stop()
})

test('B11.2 what is to come keeps no process alive; what runs does', async () => {
  const { handler, release } = held()
  const { clock, runner } = await started({ cron: '0 9 * * *', handler })
  expect(clock.keepsAlive).toBe(false)
  await clock.advance(MINUTE)
  expect(clock.keepsAlive).toBe(true)
  release()
  await clock.settle()
  expect(clock.keepsAlive).toBe(false)
  await runner.stop()
})

test('B11.2 of two processes over one storage one runs each time', async () => {
  let begun = 0
  const schedule = { cron: '* * * * *', handler: () => void begun++ }
  const first = await started(schedule)
  const second = await started(schedule, first)
  for (let minute = 0; minute < 5; minute++) await first.clock.advance(MINUTE)
  expect(begun).toBe(5)
  expect([...first.told, ...second.told].filter((line) => line.endsWith('completed'))).toHaveLength(5)
  await Promise.all([first.runner.stop(), second.runner.stop()])
})

test('B11.2 what was missed while nothing ran is told once, with how many, and not run', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const schedule = { cron: '0 * * * *', prompt: 'x' }
  const before = await started(schedule, { storage })
  expect(before.told).toEqual([])
  await before.runner.stop()
  const later = new FakeClock(START + DAY)
  const after = await started(schedule, { storage, clock: later })
  expect(after.told).toEqual(['sup/daily missed 24'])
  await after.runner.stop()
  const again = await started(schedule, { storage, clock: later })
  expect(again.told).toEqual([])
  expect((await again.runner.list())[0]?.outcomes).toMatchObject([{ outcome: 'missed', count: 24 }])
  await again.runner.stop()
})

test('B11.2 of many times that were missed a hundred are counted, and the last one is found all the same', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const schedule = { cron: '* * * * *', prompt: 'x' }
  await (await started(schedule, { storage })).runner.stop()
  const later = START + 3 * 365 * DAY
  const { runner } = await started(schedule, { storage, clock: new FakeClock(later) })
  // The last minute is not missed: it is still in time.
  const due = later - (later % MINUTE) - MINUTE
  const missed = { outcome: 'missed', due, count: 100, isMore: true }
  expect((await runner.list())[0]?.outcomes.at(-1)).toMatchObject(missed)
  await runner.stop()
  // Of exactly so many there are no more.
  const again = await started(schedule, { storage, clock: new FakeClock(later + 101 * MINUTE) })
  const newest = (await again.runner.list())[0]?.outcomes.find(({ outcome }) => outcome === 'missed')
  expect([newest?.count, newest?.isMore]).toEqual([100, undefined])
  await again.runner.stop()
})

test('B11.2 catchUp runs it once for all that was missed', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const schedule = { cron: '0 * * * *', prompt: 'x', catchUp: true }
  await (await started(schedule, { storage })).runner.stop()
  const { clock, told, runner } = await started(schedule, { storage, clock: new FakeClock(START + DAY) })
  await clock.settle()
  expect(told).toEqual(['sup/daily missed 24', 'sup/daily begins', 'sup/daily completed catch-up'])
  await runner.stop()
  // A time that comes now does for them.
  const later = await started(schedule, { storage, clock: new FakeClock(START + 2 * DAY + 45_000) })
  await later.clock.settle()
  expect(later.told).toEqual(['sup/daily missed 24', 'sup/daily begins', 'sup/daily completed'])
  await later.runner.stop()
})

test('B11.13 a time that comes while one process takes over from another is run, once, and not missed', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const schedule = { cron: '0 9 * * *', prompt: 'x', catchUp: true }
  const old = await started(schedule, { storage })
  // The new one starts before the timer of the old one was served.
  old.clock.sleep(30_005)
  const fresh = await started(schedule, { storage, clock: old.clock })
  await old.clock.advance(0)
  await Promise.all([old.runner.stop(), fresh.runner.stop()])
  expect([...old.told, ...fresh.told]).toEqual(['sup/daily begins', 'sup/daily completed'])
  // The old one may be gone before the time, and the new one be there after it.
  const clock = new FakeClock(START + DAY)
  await (await started(schedule, { storage, clock })).runner.stop()
  clock.sleep(45_000)
  const next = await started(schedule, { storage, clock })
  await clock.settle()
  expect(next.told).toEqual(['sup/daily begins', 'sup/daily completed'])
  // Who is first seen after a time, or has it only since then, has not missed it.
  const first = await started({ ...schedule, cron: '0 7 * * *' }, { clock: new FakeClock(START) })
  const [late, own] = [new FakeClock(START + 45_000), first.storage]
  const changed = await started(schedule, { storage: own, clock: late })
  const unseen = await started(schedule, { clock: late })
  await late.settle()
  expect([first.told, changed.told, unseen.told]).toEqual([[], [], []])
  await Promise.all([next, first, changed, unseen].map(({ runner }) => runner.stop()))
})

test('B11.2 a machine that slept tells what it missed, and runs what is only just due', async () => {
  const { clock, told, runner } = await started({ cron: '0 * * * *', prompt: 'x' })
  clock.sleep(3 * 60 * MINUTE + 45_000)
  await clock.advance(0)
  expect(told).toEqual(['sup/daily missed 3', 'sup/daily begins', 'sup/daily completed'])
  clock.sleep(90 * MINUTE)
  await clock.advance(0)
  expect(told.slice(3)).toEqual(['sup/daily missed 1'])
  await runner.stop()
})

test('B11.2 a time whose process died is told as lost when its lease is over, and the next one runs', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const { handler } = held()
  const clock = new FakeClock(START)
  const dead = await started({ cron: '0 9 * * *', handler }, { storage, clock })
  await clock.advance(MINUTE)
  expect(dead.told).toEqual(['sup/daily begins'])
  // Nothing of it says that it is alive any more: another clock goes on.
  const later = new FakeClock(clock.now() + 2 * MINUTE)
  const next = await started({ cron: '0 9 * * *', prompt: 'x' }, { storage, clock: later })
  expect((await next.runner.list())[0]).toMatchObject({ isRunning: false, outcomes: [{ outcome: 'lost' }] })
  await later.advance(DAY)
  expect(next.told).toEqual(['sup/daily lost', 'sup/daily begins', 'sup/daily completed'])
  await next.runner.stop()
})

test('B11.2 a process that is back before its lease is over tells what was lost when it is over', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const { handler } = held()
  const schedule = { cron: '0 9 * * *', handler }
  const dying = new FakeClock(START)
  await started(schedule, { storage, clock: dying })
  await dying.advance(2 * MINUTE)
  const clock = new FakeClock(dying.now() + 5_000)
  const back = await started(schedule, { storage, clock })
  expect((await back.runner.list())[0]).toMatchObject({ isRunning: true, outcomes: [] })
  expect(clock.keepsAlive).toBe(false)
  await clock.advance(20_000)
  expect(back.told).toEqual([])
  // Who asks knows it before anybody has written it.
  clock.sleep(30_000)
  expect((await back.runner.list())[0]).toMatchObject({ isRunning: false, outcomes: [{ outcome: 'lost' }] })
  await clock.advance(10 * MINUTE)
  expect(back.told).toEqual(['sup/daily lost'])
  expect((await back.runner.list())[0]?.outcomes).toMatchObject([{ outcome: 'lost' }])
  await back.runner.stop()
})

test('B11.2 a process beside one that dies tells what was lost when its lease is over, not when it is due again', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const { handler } = held()
  const schedule = { cron: '0 9 * * *', handler }
  const [dying, clock] = [new FakeClock(START), new FakeClock(START)]
  await started(schedule, { storage, clock: dying })
  const beside = await started(schedule, { storage, clock })
  await dying.advance(MINUTE)
  await clock.advance(10 * MINUTE)
  expect(beside.told).toEqual(['sup/daily lost'])
  await beside.runner.stop()
})

/** How often something is written from now on. */
function writesOf(storage: Storage): () => number {
  let writes = 0
  const { set } = storage.workingMemory
  storage.workingMemory.set = async (...args) => {
    const kept = await set.apply(storage.workingMemory, args)
    writes++
    return kept
  }
  return () => writes
}

test('B11.2 what another process is at, and ends, is not lost; and who only looks writes nothing', async () => {
  const { handler, release } = held()
  const schedule = { cron: '0 * * * *', handler }
  const first = await started(schedule)
  const { clock, storage } = first
  const beside = await started(schedule, first)
  const takes = writesOf(storage)
  await clock.advance(45_000)
  expect(takes()).toBe(1)
  const later = await started(schedule, first)
  const renews = writesOf(storage)
  for (let third = 0; third < 9; third++) await clock.advance(20_000)
  expect(renews()).toBe(9)
  const ends = writesOf(storage)
  release()
  await clock.advance(20 * MINUTE)
  expect(ends()).toBe(1)
  const all = [first, beside, later]
  expect(all.flatMap(({ told }) => told)).toEqual(['sup/daily begins', 'sup/daily completed'])
  await Promise.all(all.map(({ runner }) => runner.stop()))
})

test('B11.2 a clock that was years ahead once switches no schedule off, neither later nor in a process that lives on', async () => {
  const years = 4 * 365 * DAY
  const schedule = { cron: '0 9 * * *', prompt: 'x', catchUp: true }
  const ran = ['sup/daily begins', 'sup/daily completed']
  const clock = new FakeClock(START + years)
  const alive = await started(schedule, { clock })
  await clock.advance(MINUTE)
  clock.set(START + MINUTE)
  await clock.advance(DAY)
  expect(alive.told).toEqual([...ran, ...ran])
  await alive.runner.stop()
  // What it was at then has long ended.
  const storage = new InMemoryStorage({ id: 's' })
  const wrong = { storage, clock: new FakeClock(START + years) }
  await started({ cron: '0 9 * * *', handler: held().handler }, wrong)
  await wrong.clock.advance(MINUTE)
  const right = await started(schedule, { storage })
  await right.clock.advance(DAY)
  expect(right.told).toEqual(['sup/daily lost', ...ran])
  await right.runner.stop()
  // A version without it began then.
  await (await started(undefined, wrong)).runner.stop()
  const again = await started(schedule, { storage, clock: new FakeClock(START + DAY + MINUTE) })
  await again.clock.advance(DAY)
  expect(again.told).toEqual([...ran, ...ran])
  await again.runner.stop()
})

test('B11.2 a time that runs long stays alive for others', async () => {
  const { handler, release } = held()
  const { clock, storage, runner } = await started({ cron: '0 9 * * *', handler })
  await clock.advance(MINUTE)
  for (let minute = 0; minute < 10; minute++) await clock.advance(MINUTE / 2)
  const other = await started({ cron: '0 9 * * *', handler }, { storage, clock })
  expect((await other.runner.list())[0]).toMatchObject({ isRunning: true, outcomes: [] })
  release()
  await Promise.all([runner.stop(), other.runner.stop()])
})

test('B11.2 fired by hand: it runs at once, and its own times stay; not while it is running', async () => {
  const { clock, runner, told } = await started({ cron: '0 9 * * *', prompt: 'x' })
  expect(await runner.fire('sup/daily')).toMatchObject({ ran: true, outcome: 'completed', text: 'Done.' })
  await clock.advance(MINUTE)
  expect(told).toEqual(['sup/daily begins', 'sup/daily completed hand', 'sup/daily begins', 'sup/daily completed'])
  await expect(runner.fire('sup/nightly')).rejects.toMatchObject({ code: 'schedule-unknown' })
  await runner.stop()
  const { handler, release } = held()
  const busy = await started({ cron: '0 9 * * *', handler })
  const first = busy.runner.fire('sup/daily')
  await busy.clock.settle()
  expect(await busy.runner.fire('sup/daily')).toMatchObject({ ran: false })
  release()
  expect(await first).toMatchObject({ ran: true })
  await busy.runner.stop()
})

test('B11.2 stopping begins nothing, waits for what runs, and aborts it after the grace', async () => {
  let aborted = false
  const handler = ({ abortSignal }: { abortSignal: AbortSignal }): Promise<void> =>
    new Promise((_resolve, reject) => {
      abortSignal.addEventListener('abort', () => {
        aborted = true
        reject(abortSignal.reason)
      })
    })
  const { clock, runner, told } = await started({ cron: '* * * * *', handler })
  await clock.advance(MINUTE)
  const stopped = runner.stop(5_000)
  await clock.advance(4_000)
  expect(aborted).toBe(false)
  await clock.advance(MINUTE)
  await stopped
  expect([aborted, told]).toEqual([true, ['sup/daily begins', 'sup/daily aborted']])
})

/** A storage that refuses what is written from now on; gives how it is mended. */
function refusing(storage: Storage): () => void {
  const { set } = storage.workingMemory
  storage.workingMemory.set = () => Promise.reject(new Error('the disk is full'))
  return () => {
    storage.workingMemory.set = set
  }
}

test('B11.2 a storage that refuses for a moment costs no time: it is taken as soon as it can be', async () => {
  const { clock, runner, told, storage } = await started({ cron: '0 9 * * *', prompt: 'x' })
  const mend = refusing(storage)
  await clock.advance(MINUTE)
  expect(told).toEqual([])
  mend()
  await clock.advance(MINUTE / 2)
  expect(told).toEqual(['sup/daily begins', 'sup/daily completed'])
  await runner.stop()
})

test('B11.2 a time that a storage refused for too long is told, missed, and not the times after it', async () => {
  const { clock, runner, told, storage } = await started({ cron: '0 * * * *', prompt: 'x' })
  const mend = refusing(storage)
  await clock.advance(2 * MINUTE)
  expect(told).toEqual(['sup/daily failed the disk is full'])
  mend()
  await clock.advance(60 * MINUTE)
  expect(told.slice(1)).toEqual(['sup/daily missed 1', 'sup/daily begins', 'sup/daily completed'])
  await runner.stop()
})

test('B11.2 what came of a time is kept although the storage refuses it for a moment, and told in any case', async () => {
  const { handler, release } = held()
  const { clock, runner, told, storage } = await started({ cron: '0 * * * *', handler })
  await clock.advance(MINUTE)
  const mend = refusing(storage)
  release()
  await clock.advance(10_000)
  expect(told).toEqual(['sup/daily begins'])
  mend()
  await clock.advance(20_000)
  expect(told).toEqual(['sup/daily begins', 'sup/daily completed'])
  expect((await runner.list())[0]).toMatchObject({ isRunning: false, outcomes: [{ outcome: 'completed' }] })
  await clock.advance(60 * MINUTE)
  const never = refusing(storage)
  release()
  await clock.advance(2 * MINUTE)
  expect(told.slice(2)).toEqual(['sup/daily begins', 'sup/daily completed', 'sup/daily failed the disk is full'])
  never()
  await runner.stop()
})

/** A storage whose nth write from now on does what is said beside being written, or instead of it. */
function atWrite(storage: Storage, nth: number, what: 'refused' | 'kept, and nobody hears so'): void {
  const { set } = storage.workingMemory
  let writes = 0
  storage.workingMemory.set = async (...args) => {
    const isIt = ++writes === nth
    if (isIt && what === 'refused') throw new Error('the disk is full')
    const kept = await set.apply(storage.workingMemory, args)
    if (isIt) throw new Error('the connection is gone')
    return kept
  }
}

test('B11.2 a storage that refuses a catch-up for a moment does not cost it', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const schedule = { cron: '0 9 * * *', prompt: 'x', catchUp: true }
  await (await started(schedule, { storage })).runner.stop()
  const clock = new FakeClock(START + 90 * MINUTE)
  // The first write settles what is past, the second takes it.
  atWrite(storage, 2, 'refused')
  const { told, runner } = await started(schedule, { storage, clock })
  await clock.advance(MINUTE)
  expect(told).toEqual(['sup/daily missed 1', 'sup/daily begins', 'sup/daily completed catch-up'])
  await runner.stop()
})

test.each([1, 2])(
  'B11.2 a write that was kept although the storage said otherwise counts once: the %dth of a time',
  async (nth) => {
    const { clock, told, runner, storage } = await started({ cron: '0 9 * * *', prompt: 'x' })
    atWrite(storage, nth, 'kept, and nobody hears so')
    await clock.advance(5 * MINUTE)
    expect(told).toEqual(['sup/daily begins', 'sup/daily completed'])
    expect((await runner.list())[0]).toMatchObject({ isRunning: false, outcomes: [{ outcome: 'completed' }] })
    expect((await runner.list())[0]?.outcomes).toHaveLength(1)
    await runner.stop()
  },
)

test('B11.2 a sign of life that the storage refuses for a moment is given again, and nothing is told of it', async () => {
  const { handler, release } = held()
  const setting = await started({ cron: '0 9 * * *', handler })
  const { clock, told, runner, storage } = setting
  await clock.advance(45_000)
  const mend = refusing(storage)
  await clock.advance(20_000)
  mend()
  await clock.advance(MINUTE)
  const other = await started({ cron: '0 9 * * *', handler }, setting)
  expect((await other.runner.list())[0]).toMatchObject({ isRunning: true, outcomes: [] })
  release()
  await clock.settle()
  expect(told).toEqual(['sup/daily begins', 'sup/daily completed'])
  await Promise.all([runner.stop(), other.runner.stop()])
})

test('B11.2 who fires by hand hears at once that the storage refuses it', async () => {
  const { runner, storage } = await started({ cron: '0 9 * * *', prompt: 'x' })
  refusing(storage)
  await expect(runner.fire('sup/daily')).rejects.toThrow('the disk is full')
})

test('B11.13 a cron that was changed while nothing ran has missed its old times, and none of its new ones', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const at = (time: string) => ({ storage, clock: new FakeClock(Date.parse(`2026-03-28T${time}Z`)) })
  const before = await started({ cron: '0 12 * * *', prompt: 'Sum up.' }, at('08:00:00'))
  await before.runner.stop()
  const changed = await started({ cron: '30 9 * * *', catchUp: true, prompt: 'Sum up.' }, at('10:00:00'))
  expect(changed.told).toEqual([])
  await changed.runner.stop()
  const old = { storage: new InMemoryStorage({ id: 's' }), clock: new FakeClock(START) }
  await (await started({ cron: '0,30 9 * * *', prompt: 'Sum up.' }, old)).runner.stop()
  old.clock.sleep(60 * MINUTE)
  const since = await started({ cron: '15,20,25 9 * * *', prompt: 'Sum up.' }, old)
  expect(since.told).toEqual(['sup/daily missed 2'])
  await since.runner.stop()
  const unchanged = await started({ cron: '30 9 * * *', prompt: 'Sum up.' }, at('23:00:00'))
  expect(unchanged.told).toEqual([])
  await unchanged.runner.stop()
  const later = at('23:00:00')
  await later.clock.advance(DAY)
  const missed = await started({ cron: '30 9 * * *', prompt: 'Sum up.' }, later)
  expect(missed.told).toEqual(['sup/daily missed 1'])
  await missed.runner.stop()
})

test('B11.13 a handler that pays no heed to its signal does not keep the process', async () => {
  const { handler, begun } = held()
  const { clock, runner } = await started({ cron: '0 9 * * *', handler })
  await clock.advance(MINUTE)
  expect(begun()).toBe(1)
  let hasStopped = false
  const stopped = runner.stop(5_000).then(() => {
    hasStopped = true
  })
  await clock.advance(5_000)
  expect(hasStopped).toBe(false)
  await clock.advance(1_000)
  await stopped
  expect(hasStopped).toBe(true)
})

test('B11.13 what is given up at the end is kept as aborted, and no process takes it for running', async () => {
  const { handler, begun } = held()
  const setting = await started({ cron: '0 9 * * *', handler })
  const { clock, runner, told } = setting
  await clock.advance(MINUTE)
  const byHand = runner.fire('sup/daily')
  const stopped = runner.stop(0)
  await clock.advance(1_000)
  await stopped
  expect([begun(), (await byHand).ran]).toEqual([1, false])
  expect(told.slice(-1)).toEqual(['sup/daily aborted'])
  const next = await started({ cron: '* * * * *', prompt: 'x' }, setting)
  const [state] = await next.runner.list()
  expect([state?.isRunning, state?.outcomes[0]]).toMatchObject([false, { outcome: 'aborted', by: 'time' }])
  await clock.advance(MINUTE)
  expect(next.told).toEqual(['sup/daily begins', 'sup/daily completed'])
  await next.runner.stop()
})

test('B11.13 what is fired after it was to stop is kept as aborted, and does not begin', async () => {
  const { handler, begun, release } = held()
  const { runner, clock } = await started({ cron: '0 9 * * *', handler, allowOverlap: true })
  await clock.advance(MINUTE)
  // What runs gets its time to end; what comes now gets none.
  const stopped = runner.stop(60_000)
  expect([await runner.fire('sup/daily'), begun()]).toEqual([{ ran: true, outcome: 'aborted' }, 1])
  release()
  await stopped
  const [state] = await runner.list()
  const outcomes = [{ outcome: 'completed' }, { outcome: 'aborted', by: 'hand' }]
  expect(state).toMatchObject({ isRunning: false, outcomes })
})

test('B11.13 a stop while it starts: nothing begins, a time is left to whoever starts next, and a catch-up is kept as aborted', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const schedule = { cron: '0 * * * *', prompt: 'x', catchUp: true }
  await (await started(schedule, { storage })).runner.stop()
  for (const [after, left, next] of [
    [DAY + 45_000, ['missed 24'], ['begins', 'completed']],
    [2 * DAY, ['missed 23', 'begins', 'aborted catch-up'], []],
  ] as const) {
    const setting = { storage, clock: new FakeClock(START + after) }
    const ending = await started(schedule, { ...setting, hear: (runner) => void runner.stop(0) })
    await setting.clock.settle()
    expect(ending.told).toEqual(left.map((line) => `sup/daily ${line}`))
    const later = await started(schedule, setting)
    await setting.clock.settle()
    expect(later.told).toEqual(next.map((line) => `sup/daily ${line}`))
    await later.runner.stop()
  }
})

test('B11.13 a stop while a time is taken: what it slept through is told, and that one is kept as aborted', async () => {
  const setting = { storage: new InMemoryStorage({ id: 's' }), clock: new FakeClock(START) }
  const schedule = { cron: '0 * * * *', prompt: 'x' }
  const asleep = await started(schedule, { ...setting, hear: (runner) => void runner.stop(0) })
  setting.clock.sleep(3 * 60 * MINUTE + 45_000)
  await setting.clock.advance(0)
  expect(asleep.told).toEqual(['sup/daily missed 3', 'sup/daily begins', 'sup/daily aborted'])
  const next = await started(schedule, setting)
  await setting.clock.settle()
  expect(next.told).toEqual([])
  await next.runner.stop()
})

test('B11.13 a stop waits for what a start settles', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const { promise, resolve } = Promise.withResolvers<void>()
  const get = storage.workingMemory.get.bind(storage.workingMemory)
  storage.workingMemory.get = async (...args) => {
    await promise
    return get(...args)
  }
  const { runner, clock, starting } = prepared({ cron: '0 9 * * *', prompt: 'x' }, { storage })
  let hasStopped = false
  const stopped = runner.stop(5_000).then(() => {
    hasStopped = true
  })
  await clock.settle()
  expect(hasStopped).toBe(false)
  resolve()
  await Promise.all([stopped, starting])
})

test('B11.13 a stop waits for what begins after it: a catch-up of a start that was at work is kept', async () => {
  const storage = new InMemoryStorage({ id: 's' })
  const schedule = { cron: '0 * * * *', prompt: 'x', catchUp: true }
  await (await started(schedule, { storage })).runner.stop()
  const { set } = storage.workingMemory
  let isOpen = true
  // Each write takes a while, as on a disk.
  storage.workingMemory.set = async (...args) => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    if (!isOpen) throw new Error('the storage is closed')
    return set.apply(storage.workingMemory, args)
  }
  const ending = prepared(schedule, { storage, clock: new FakeClock(START + DAY) })
  await ending.runner.stop(5_000)
  isOpen = false
  await ending.clock.settle()
  expect(ending.told).toEqual(['sup/daily missed 24', 'sup/daily begins', 'sup/daily aborted catch-up'])
})

test.each([
  [{ cron: undefined, prompt: 'x' }, 'says not when: it has no cron', 'write five fields'],
  [{ cron: '99 * * * *', prompt: 'x' }, "has a cron that can't be read", 'write five fields'],
  [{ cron: 'constructor', prompt: 'x' }, 'has a cron that has 1 field, and not five', 'write five fields'],
  [{ cron: '2026-12-05T00:00:00', prompt: 'x' }, 'is a date or a time of day', 'write five fields'],
  [{ cron: '* * * * * *', prompt: 'x' }, 'has 6 fields', 'write five fields'],
  [{ cron: '', prompt: 'x' }, 'is empty', 'write five fields'],
  [{ cron: '@daily', prompt: 'x' }, 'is a shorthand', "write cron: '0 0 \\* \\* \\*'"],
  [{ cron: '0 0 30 2 *', prompt: 'x' }, 'never comes', 'name a day'],
  [{ cron: '0 9 * * *', timeZone: 'Mars/Base', prompt: 'x' }, 'a time zone that is not known', 'write an IANA name'],
  [{ cron: '0 9 * * *' }, 'it has neither a prompt nor a handler', 'write prompt'],
  [undefined, 'says not when', 'write five fields'],
])('B11.2 a schedule that says when it runs what it did not say to check: %j', (schedule, message, fix) => {
  const app = new Retinue({ agents: {}, storage: new InMemoryStorage({ id: 's' }) })
  const owned = { agent: 'sup', key: 'daily', schedule: schedule as unknown as Schedule }
  expect(() => new ScheduleRunner({ app, schedules: [owned] })).toThrow(
    expect.objectContaining({
      code: 'application-invalid',
      message: expect.stringMatching(new RegExp(`^The schedule "sup/daily" .*${message}`)),
      hint: expect.stringMatching(new RegExp(`^In schedules/daily of "sup", ${fix}`)),
    }),
  )
})

test('B11.2 what goes wrong otherwise than by an outcome leaves nothing that says it is alive', async () => {
  const setting = await started({ cron: '0 9 * * *', prompt: 'x' })
  const { clock, runner, storage } = setting
  setting.app.getAgent = () => {
    throw { toString: null }
  }
  await clock.advance(MINUTE)
  expect(setting.told).toEqual(['sup/daily begins', 'sup/daily failed something was thrown that has no text'])
  let writes = 0
  const set = storage.workingMemory.set.bind(storage.workingMemory)
  storage.workingMemory.set = (...args) => {
    writes++
    return set(...args)
  }
  await clock.advance(10 * MINUTE)
  expect(writes).toBe(0)
  await runner.stop()
})

test('B11.13 a storage that does not answer does not keep what is to end', async () => {
  const { handler } = held()
  const { clock, runner, storage } = await started({ cron: '0 9 * * *', handler })
  await clock.advance(MINUTE)
  storage.workingMemory.set = () => new Promise(() => {})
  let hasStopped = false
  const stopped = runner.stop(0).then(() => {
    hasStopped = true
  })
  await clock.advance(1_999)
  expect([hasStopped, clock.keepsAlive]).toEqual([false, true])
  await clock.advance(1)
  await stopped
})

test('B11.13 a schedule that was taken out and is back has missed no time of when it was not there, and that is told', async () => {
  const setting = { storage: new InMemoryStorage({ id: 's' }), clock: new FakeClock(START) }
  const schedule = { cron: '0 * * * *', prompt: 'x', catchUp: true }
  const { clock } = setting
  await (await started(schedule, setting)).runner.stop()
  clock.sleep(150 * MINUTE)
  // At 9, 10 and 11 o'clock it was there, and nothing ran.
  const without = await started(undefined, setting)
  clock.sleep(5 * 60 * MINUTE)
  await without.runner.stop()
  const back = await started(schedule, setting)
  await clock.settle()
  const absent = 'sup/daily absent 5'
  expect(back.told).toEqual(['sup/daily missed 3', absent, 'sup/daily begins', 'sup/daily completed catch-up'])
  await back.runner.stop()
  // It is as any other again.
  clock.sleep(60 * MINUTE)
  const again = await started(schedule, setting)
  await clock.settle()
  expect(again.told).toEqual(['sup/daily missed 1', 'sup/daily begins', 'sup/daily completed catch-up'])
  await again.runner.stop()
})

test('B11.13 one that is back just after a time of it was not there for that time, and catches up on those before', async () => {
  const setting = { storage: new InMemoryStorage({ id: 's' }), clock: new FakeClock(START) }
  const schedule = { cron: '0 * * * *', prompt: 'x', catchUp: true }
  await (await started(schedule, setting)).runner.stop()
  setting.clock.sleep(15 * MINUTE)
  await (await started(undefined, setting)).runner.stop()
  setting.clock.sleep(45 * MINUTE + 45_000)
  const back = await started(schedule, setting)
  await setting.clock.settle()
  const past = ['sup/daily missed 1', 'sup/daily absent 1']
  expect(back.told).toEqual([...past, 'sup/daily begins', 'sup/daily completed catch-up'])
  expect((await back.runner.list())[0]?.outcomes.map(({ outcome }) => outcome)).toEqual([
    'completed',
    'absent',
    'missed',
  ])
  await back.runner.stop()
})

test('B11.13 an older version that starts beside the one that runs it hides no time: it is told as one of when it was not there', async () => {
  const setting = { storage: new InMemoryStorage({ id: 's' }), clock: new FakeClock(START) }
  const schedule = { cron: '0 * * * *', prompt: 'x' }
  const has = await started(schedule, setting)
  await (await started(undefined, setting)).runner.stop()
  await has.runner.stop()
  setting.clock.sleep(5 * MINUTE)
  const back = await started(schedule, setting)
  expect(back.told).toEqual(['sup/daily absent 1'])
  await back.runner.stop()
})

test('B11.13 a process that slept has missed its own times, whatever other versions have begun meanwhile', async () => {
  for (const other of [undefined, { cron: '30 7 * * *', prompt: 'x' }]) {
    const setting = { storage: new InMemoryStorage({ id: 's' }), clock: new FakeClock(START) }
    const asleep = await started({ cron: '0 * * * *', prompt: 'x' }, setting)
    await (await started(other, setting)).runner.stop()
    setting.clock.sleep(90 * MINUTE)
    await setting.clock.advance(0)
    expect(asleep.told).toEqual(['sup/daily missed 2'])
    await asleep.runner.stop()
  }
})

test('B11.13 an application that has had no schedule keeps nothing of any', async () => {
  const { runner, storage } = await started(undefined)
  expect(await storage.workingMemory.get({ resourceId: 'retinue.schedules' })).toBeUndefined()
  await runner.stop()
})

test('B11.13 of two processes, one with it and one without, what the first runs on with is there, and missed when it ends', async () => {
  const setting = { storage: new InMemoryStorage({ id: 's' }), clock: new FakeClock(START) }
  const schedule = { cron: '0 * * * *', prompt: 'x' }
  const has = await started(schedule, setting)
  const hasNot = await started(undefined, setting)
  await setting.clock.advance(MINUTE)
  expect(has.told).toEqual(['sup/daily begins', 'sup/daily completed'])
  await has.runner.stop()
  // Another application over the same storage says nothing of it.
  const other = await started(undefined, { ...setting, agent: 'other' })
  setting.clock.sleep(90 * MINUTE)
  const back = await started(schedule, setting)
  expect(back.told).toEqual(['sup/daily missed 1'])
  await Promise.all([hasNot, other, back].map(({ runner }) => runner.stop()))
})
