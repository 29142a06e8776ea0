import { expect, test } from 'vitest'
import { forkContext, RequestContext } from './request-context.ts'

test('B4.1 a fork has the entries without identity keys and the reserved prefix, and shares only the values', () => {
  const value = { a: 1 }
  const parent = new RequestContext([
    ['value', value],
    ['threadId', 't'],
    ['resourceId', 'r'],
    ['runId', 'x'],
    ['retinue.', 'p'],
    ['retinue.memory', 'm'],
    ['retinue', 'kept'],
    ['ThreadId', 'kept too'],
    ['constructor', 'a key like others'],
  ])
  const [one, two] = [forkContext(parent), forkContext(parent)]
  expect([...one.keys()]).toEqual(['value', 'retinue', 'ThreadId', 'constructor'])
  expect(one.get('value')).toBe(value)
  one.set('value', 'changed').set('new', 1)
  one.delete('retinue')
  expect([parent.get('value'), two.get('value'), parent.has('new'), two.has('new'), two.has('retinue')]).toEqual([
    value,
    value,
    false,
    false,
    true,
  ])
  expect(parent.size).toBe(9)
})

test('B4.1 a context of another copy of this package can be forked', () => {
  const foreign = new Map<string, unknown>([
    ['tenant', 'acme'],
    ['runId', 'x'],
  ])
  expect([...forkContext(foreign)]).toEqual([['tenant', 'acme']])
})

test('B4.1 it gives undefined for what it does not have, and is a list of its entries', () => {
  const context = new RequestContext([['a', 1]])
  expect([context.get('toString'), context.has('toString'), [...context.entries()]]).toEqual([
    undefined,
    false,
    [['a', 1]],
  ])
})
