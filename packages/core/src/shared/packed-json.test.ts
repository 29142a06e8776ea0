import { expect, test } from 'vitest'
import { brandEnvelope, isEnvelope } from '../events/envelope.ts'
import { type MarkedKind, packJson, unpackJson } from './packed-json.ts'

const there = (value: unknown, kinds: readonly MarkedKind[] = []): unknown =>
  unpackJson(JSON.parse(JSON.stringify(packJson(value, kinds))), kinds)

const LONG = 'a text that is long enough to be worth a place of its own'

test.each<[string, unknown]>([
  ['a text', 'x'],
  ['a number', -1.5],
  ['nothing', null],
  ['a list with holes in its meaning', [1, null, 'x', false]],
  ['names like our marks', { $text: 0, $shared: 1, $kind: 'envelope', value: { $text: [0] } }],
  ['a text twice', [LONG, { again: LONG }]],
  ['names that objects have', { ['__proto__']: { polluted: true }, constructor: 1, toString: 'x' }],
  ['lone surrogates and NUL', ['\ud800', '\0', `${LONG}\udfff`, `${LONG}\udfff`]],
])('%s comes back equal', (_name, value) => {
  expect(there(value)).toEqual(value)
})

test('what occurs several times stands once, and is one object again', () => {
  const message = { role: 'user', text: LONG }
  const packed = packJson({ one: message, two: [message], text: LONG })
  expect(JSON.stringify(packed).split(LONG)).toHaveLength(2)
  const back = there({ one: message, two: [message] }) as { one: object; two: object[] }
  expect(back.two[0]).toBe(back.one)
})

test('an object of a marked kind is of that kind again, wherever it stands', () => {
  const kind: MarkedKind = { name: 'envelope', is: isEnvelope, mark: (value) => brandEnvelope(value as never) }
  const inner = brandEnvelope({ status: 'completed', text: LONG } as never)
  const outer = brandEnvelope({ status: 'failed', text: 'x', nested: [inner, inner] } as never)
  const back = there({ outer }, [kind]) as { outer: { nested: unknown[] } }
  expect([isEnvelope(back.outer), isEnvelope(back.outer.nested[1]), isEnvelope(back)]).toEqual([true, true, false])
})

test('what JSON can’t carry says so in its place, and takes nothing else with it', () => {
  const circle: Record<string, unknown> = { name: 'circle' }
  circle['self'] = circle
  const value = {
    circle,
    map: new Map(),
    big: 5n,
    nan: Number.NaN,
    run: () => 1,
    gone: undefined,
    day: new Date(0),
    kept: 1,
  }
  expect(there(value)).toEqual({
    circle: { name: 'circle', self: expect.stringContaining('circle') },
    map: expect.stringContaining('Map'),
    big: expect.stringContaining('bigint'),
    nan: expect.stringContaining('NaN'),
    run: expect.stringContaining('function'),
    day: '1970-01-01T00:00:00.000Z',
    kept: 1,
  })
})

test('bytes and URLs are left to whoever writes them', () => {
  const value = { bytes: new Uint8Array([1, 2]), url: new URL('https://a.example/x') }
  expect(unpackJson(packJson(value))).toEqual(value)
})
