import { expect, test } from 'vitest'
import { ABORTED, AbortScope } from './abort.ts'
import { forEachLimited } from './for-each-limited.ts'
import { toJson } from './json.ts'
import { legalToolName } from './tool-name.ts'

test('plain JSON is handed back as it is, without a copy', () => {
  for (const value of [
    'x',
    0,
    -0,
    true,
    null,
    [1, [2]],
    { a: { b: [] } },
    Object.assign(Object.create(null), { a: 1 }),
  ]) {
    const json = toJson(value)
    expect(json.ok && json.value).toBe(value)
  }
})

test('a value with __proto__ as a key keeps it, and no prototype changes', () => {
  const value: unknown = JSON.parse('{"__proto__":{"polluted":1},"at":{"toJSON":1}}')
  const json = toJson({ value, at: new Date(0) })
  expect(JSON.stringify(json.ok && json.value)).toBe(
    '{"value":{"__proto__":{"polluted":1},"at":{"toJSON":1}},"at":"1970-01-01T00:00:00.000Z"}',
  )
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test('objects that share a part are no circle, and deep ones are refused whatever they are made of', () => {
  const part = { a: 1 }
  expect(toJson([part, part])).toMatchObject({ ok: true })
  let deep: unknown = new Date(0)
  for (let i = 0; i < 3000; i++) deep = { deep }
  expect(toJson(deep)).toEqual({ ok: false, reason: 'it is nested more than 1000 levels deep' })
})

test('B7.7 a scope that is aborted calls back once, at once when it already was, and not what was taken back', () => {
  const scope = new AbortScope()
  const seen: string[] = []
  scope.onAbort(() => seen.push('a'))
  scope.onAbort(() => seen.push('b'))()
  scope.abort('why')
  scope.abort('again')
  scope.onAbort(() => seen.push('late'))
  expect([seen, scope.signal.reason]).toEqual([['a', 'late'], 'why'])
})

test('B7.7 a race gives the outcome, or ABORTED as soon as the run is; a late rejection is nobody’s', async () => {
  const scope = new AbortScope()
  expect(await scope.race(Promise.resolve(1))).toBe(1)
  await expect(scope.race(Promise.reject(new Error('x')))).rejects.toThrow('x')
  const late = Promise.withResolvers<never>()
  const racing = scope.race(late.promise)
  scope.abort()
  expect(await racing).toBe(ABORTED)
  late.reject(new Error('late'))
  expect(await scope.race(new Promise(() => {}))).toBe(ABORTED)
})

test('B1.7 work is done for every index, at most so many at a time', async () => {
  for (const count of [0, 1, 7]) {
    const done: number[] = []
    let running = 0
    await forEachLimited(count, 3, async (index) => {
      running += 1
      expect(running).toBeLessThanOrEqual(3)
      await null
      running -= 1
      done.push(index)
    })
    expect(done.sort()).toEqual(Array.from({ length: count }, (_, i) => i))
  }
})

test('B1.7 every name has a legal form', () => {
  const names = ['ok-Name_1', 'my tool!', 'выборка', '', '__proto__', 'x'.repeat(100), 'a.b', '\0']
  for (const name of names) expect(legalToolName(name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  expect([legalToolName('ok-Name_1'), legalToolName('a.b'), legalToolName('__proto__')]).toEqual([
    'ok-Name_1',
    'a_b',
    'unknown_tool',
  ])
})
