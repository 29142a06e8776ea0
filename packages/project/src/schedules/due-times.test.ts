import { expect, test } from 'vitest'
import { DueTimes } from './due-times.ts'

interface Span {
  readonly timeZone: string
  readonly from: string
  readonly until: string
}

/** The times of a schedule within a span, as month, day, hour and minute in UTC. */
function times(cron: string, { timeZone, from, until }: Span): string[] {
  const due = new DueTimes({ cron, timeZone })
  const found: string[] = []
  for (let time = due.after(Date.parse(from)); time !== undefined; time = due.after(time)) {
    if (time > Date.parse(until)) break
    found.push(new Date(time).toISOString().slice(5, 16))
  }
  return found
}

/** At 2:00 in New York it is 3:00, which is 7:00 in UTC. */
const SPRING = { timeZone: 'America/New_York', from: '2026-03-08T05:00Z', until: '2026-03-09T04:00Z' }
/** At 2:00 in New York it is 1:00 again, which is 6:00 in UTC. */
const AUTUMN = { timeZone: 'America/New_York', from: '2026-11-01T04:00Z', until: '2026-11-01T07:59Z' }

test.each([
  ['0 2 * * *', ['03-08T07:00']],
  ['30 2 * * *', ['03-08T07:00']],
  ['0,30 2 * * *', ['03-08T07:00', '03-08T07:01']],
  ['0 2,3 * * *', ['03-08T07:00', '03-08T07:01']],
  ['30 1,2 * * *', ['03-08T06:30', '03-08T07:00']],
  ['30 2 * * 0', ['03-08T07:00']],
  ['30 2 9 * *', []],
])('B11.2 where the clocks are set forward, fixed times come once each, after the gap: %s', (cron, expected) => {
  expect(times(cron, SPRING)).toEqual(expected)
})

test.each([
  ['0,30 1 * * *', ['11-01T05:00', '11-01T05:30']],
  ['0 1,2 * * *', ['11-01T05:00', '11-01T07:00']],
  ['30 0,1 * * *', ['11-01T04:30', '11-01T05:30']],
  ['0 0-2 * * *', ['11-01T05:00', '11-01T07:00']],
])('B11.2 where the clocks are set back, fixed times come once each: %s', (cron, expected) => {
  expect(times(cron, AUTUMN)).toEqual(expected)
})

test('B11.2 a star or a step over it in the minutes or the hours goes by the clock', () => {
  expect(times('*/30 2 * * *', SPRING)).toEqual([])
  expect(times('0 */2 * * *', { ...SPRING, until: '2026-03-08T10:00Z' })).toEqual(['03-08T08:00', '03-08T10:00'])
  expect(times('*/30 1 * * *', AUTUMN)).toEqual(['11-01T05:00', '11-01T05:30', '11-01T06:00', '11-01T06:30'])
  expect(times('0 * * * *', AUTUMN)).toEqual(['11-01T05:00', '11-01T06:00', '11-01T07:00'])
})

test('B11.2 clocks that are set by half an hour, or never', () => {
  const zone = { timeZone: 'Australia/Lord_Howe' }
  const spring = { ...zone, from: '2026-10-03T14:00Z', until: '2026-10-03T17:00Z' }
  // There 2:00 is 2:30, which is 15:30 in UTC.
  expect(times('15 2 * * *', spring)).toEqual(['10-03T15:30'])
  expect(times('0,15,30 2 * * *', spring)).toEqual(['10-03T15:30', '10-03T15:31', '10-03T15:32'])
  const autumn = { ...zone, from: '2026-04-04T14:00Z', until: '2026-04-04T16:00Z' }
  // There 2:00 is 1:30 again, which is 15:00 in UTC.
  expect(times('15,45 1 * * *', autumn)).toEqual(['04-04T14:15', '04-04T14:45'])
  expect(times('*/15 1 * * *', autumn)).toEqual(
    ['14:15', '14:30', '14:45', '15:00', '15:15'].map((time) => `04-04T${time}`),
  )
  const never = { timeZone: 'Asia/Kolkata', from: '2026-03-07T20:00Z', until: '2026-03-08T20:59Z' }
  expect(times('0,30 2 * * *', never)).toEqual(['03-07T20:30', '03-07T21:00', '03-08T20:30'])
})

test('B11.2 on every day of a year, in zones of every kind, a fixed time comes once', () => {
  for (const timeZone of ['UTC', 'Europe/Berlin', 'America/Santiago', 'Africa/Cairo', 'Africa/Casablanca', '+05:45']) {
    for (const cron of ['0 0 * * *', '30 2 * * *']) {
      const found = times(cron, { timeZone, from: '2026-01-01T12:00Z', until: '2027-01-01T12:00Z' })
      expect([timeZone, cron, found.length]).toEqual([timeZone, cron, 365])
    }
  }
})

test('B11.2 of very many times the last one is found, also over a change of the clocks', () => {
  const due = new DueTimes({ cron: '*/5 1-3 * * *', timeZone: 'America/New_York' })
  const between = due.between(Date.parse('2026-09-01T00:00Z'), Date.parse('2026-11-01T12:00Z'))
  expect(between).toEqual({ last: Date.parse('2026-11-01T08:55Z'), count: 100, isMore: true })
  expect(new DueTimes({ cron: '0 0 30 2 *' }).after(0)).toBeUndefined()
  expect(new DueTimes({ cron: '0 0 29 2 *' }).after(Date.parse('2026-01-01T00:00Z'))).toBe(Date.parse('2028-02-29'))
})

test('B11.2 blanks around the fields and between them mean nothing', () => {
  expect(new DueTimes({ cron: ' 0  9 * *\t1 ' }).after(0)).toBe(Date.parse('1970-01-05T09:00:00Z'))
})

test.each(['0-59 0-23 * * *', '0-59 7-23,0-6 * * *', '0-59/1 0-11,12-23 * * *', '*/1 0-23 * * *', '0-59 1-3 * * *'])(
  'B11.2 every minute goes by the clock however it is said, also where the clocks are set: %s',
  (cron) => {
    const zone = 'America/New_York'
    const spring = times(cron, { timeZone: zone, from: '2026-03-08T06:57Z', until: '2026-03-08T07:02Z' })
    expect(spring).toEqual(['03-08T06:58', '03-08T06:59', '03-08T07:00', '03-08T07:01', '03-08T07:02'])
    const autumn = times(cron, { timeZone: zone, from: '2026-11-01T05:58Z', until: '2026-11-01T06:01Z' })
    expect(autumn).toEqual(['11-01T05:59', '11-01T06:00', '11-01T06:01'])
  },
)

test('B11.2 all hours but one have each of their times once where the clocks are set', () => {
  const day = { timeZone: 'America/New_York', from: '2026-03-08T04:59Z', until: '2026-03-09T03:59Z' }
  expect(times('0 0-22 * * *', day)).toHaveLength(23)
})

test('B11.2 every hour goes by the clock however it is said: an hour that is shown twice has its time twice', () => {
  expect(times('30 0-23 * * *', { ...AUTUMN, from: '2026-11-01T05:00Z' })).toEqual([
    '11-01T05:30',
    '11-01T06:30',
    '11-01T07:30',
  ])
})
