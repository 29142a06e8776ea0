import { expect, test } from 'vitest'
import { ApartCallIds } from './apart-call-ids.ts'
import { CallIds } from './call-ids.ts'

/** The ids that a tree gives to calls which their provider calls alike, in answers after each other. */
function idsOf(taken: Map<string, number>, count: number): string[] {
  return Array.from({ length: count }, () => new CallIds(taken).made('call0'))
}

test('B7.2 trees that go on apart never give two calls one id, in whatever order they were opened, and however often', () => {
  const before = new Map([['call0', 1]])
  // Each is opened with what the one before had taken down, by ids that begin high and low.
  const all: string[] = []
  let taken: ReadonlyMap<string, number> = before
  for (const id of ['ffffffff-1', '00000001-2', '7fffffff-3', '00000000-4', 'ffffffff-5']) {
    const apart = new ApartCallIds(id)
    for (const [known, times] of taken) apart.set(known, times)
    all.push(...idsOf(apart, 3))
    taken = new Map([...apart].map(([known]) => [known, apart.get(known)]))
  }
  expect(new Set(all).size).toBe(15)
  expect(all).not.toContain('call0')
  for (const id of all) expect(id.length).toBeLessThan(40)
})

test('B7.2 an id that is taken is never given again', () => {
  const apart = new ApartCallIds('00000001-0')
  const [first] = idsOf(apart, 1)
  expect(apart.has(first as string)).toBe(true)
  expect(apart.has('call0')).toBe(true)
  expect(apart.has('somebody_2')).toBe(true)
})
