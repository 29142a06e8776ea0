import type { Storage } from '../../storage/storage.ts'
import type { NewTask } from '../../storage/tasks.ts'
import type { Value } from '../../storage/values.ts'
import { expectError, expectSame, expectTrue } from './expectations.ts'
import { type StorageCase, storageCase } from './storage-case.ts'
import { task, taskMove } from './task-case.ts'

/** What tasks hold comes back as it was, or is refused. */
export const taskValueCases: readonly StorageCase[] = [
  storageCase('B9.3 any value comes back as it was from every place of a task', values),
  storageCase('B9.3 what would not come back as it was is refused, with its place, and nothing is written', refused),
]

/** Texts that some database or serialization somewhere does not carry. */
const TEXTS = ['', '\0', 'a\0b', '\ud800', 'a\udc00b', '😀é', '__proto__', '\u2028\ufeff', '$retinue', "'; --"]

const VALUES: readonly unknown[] = [
  ...TEXTS,
  ...TEXTS.map((text) => Object.fromEntries([[text, [text]]])),
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  { $retinue: 'url', value: 'x', list: [{ $retinue: { $retinue: 'object' } }] },
  { bytes: Uint8Array.of(0, 255, 128), url: new URL('https://example.com/ä?q=%20#x') },
  ...[false, 0, -0, null, [], {}, 5e-324],
  'é'.repeat(1_000_000),
]

async function values({ tasks }: Storage): Promise<void> {
  for (const [n, given] of VALUES.entries()) {
    const what = `value ${n}: ${String(JSON.stringify(given)).slice(0, 40)}`
    const [taskId, value] = [`t${n}`, given as Value]
    await tasks.create(task(taskId, { args: value, terms: value }))
    const ended = await tasks.change(taskMove(taskId, [['pending'], 'completed'], { outcome: value }))
    const { args, terms, outcome } = await tasks.get(taskId)
    expectSame([args, terms, outcome, ended?.outcome], [value, value, value, value], what)
    const [claimed] = await tasks.claim({ taskIds: [taskId], by: 'a', until: 2, at: 1 })
    expectSame(claimed?.outcome, value, `${what}, claimed`)
  }
  await tasks.create(task('texts', { toolName: 'a\0\ud800', path: TEXTS }))
  const { toolName, path } = await tasks.get('texts')
  expectSame([toolName, path], ['a\0\ud800', TEXTS], 'the tool and the path')
  for (const [n, text] of TEXTS.entries()) {
    await tasks.create(task(`error${n}`))
    const error = { code: text, message: text }
    await tasks.change(taskMove(`error${n}`, [['pending'], 'failed'], { error }))
    expectSame((await tasks.get(`error${n}`)).error, error, `the error ${JSON.stringify(text)}`)
  }
  for (const taskId of ['constructor', '__proto__', "'; DROP TABLE x; --", '😀', ' t1']) {
    await tasks.create(task(taskId))
    expectSame((await tasks.get(taskId)).taskId, taskId, 'an odd id')
  }
  expectTrue(!('polluted' in {}), 'prototypes are clean')
  const list = [1]
  const keys = ['sup']
  await tasks.create(task('copy', { args: { list }, path: keys }))
  list.push(2)
  keys.push('x')
  const read = await tasks.get('copy')
  ;(read.args as { list: number[] }).list.push(3)
  ;(read.path as string[]).push('y')
  const after = await tasks.get('copy')
  expectSame([after.args, after.path], [{ list: [1] }, ['sup']], 'what is handed over and read is a copy')
}

async function refused({ tasks }: Storage): Promise<void> {
  const circle: unknown[] = []
  circle.push(circle)
  const odd: Record<string, Partial<NewTask>> = {
    'args.f': { args: { f: (() => 1) as never } },
    args: { args: undefined as never },
    terms: { terms: new Date(0) as never },
    'terms[0]': { terms: [Number.NaN] },
    'path[1]': { path: ['a', 1 as never] },
    path: { path: 'sup' as never },
    toolName: { toolName: null as never },
    at: { at: 0.5 },
  }
  const names = ['taskId', 'rootRunId', 'parentTree', 'parentRunId', 'agentId', 'toolCallId', 'threadId', 'resourceId']
  const cases: [string, Partial<NewTask>][] = Object.entries(odd)
  for (const name of names)
    for (const id of ['', 'a\0', '\ud800', 'x'.repeat(1025), 1]) cases.push([name, { [name]: id }])
  for (const [place, changed] of cases) {
    const error = await expectError(tasks.create(task('x', changed)), 'storage-value-refused', place)
    expectSame(error.data['place'], place, 'the place')
  }
  await expectError(tasks.create(task('x', { tells: 'nobody' as never })), 'option-invalid', 'tells')
  await expectError(tasks.get('x'), 'task-not-found', 'what was refused')
  await tasks.create(task('y'))
  for (const [place, changed] of Object.entries({
    'outcome[0]': { outcome: circle as never, at: 1 },
    'error.code': { error: { code: 1 as never, message: 'm' } },
    'error.message': { error: { code: 'c', message: undefined as never } },
    at: { at: Number.NaN },
    taskId: { taskId: '' },
  })) {
    const move = tasks.change(taskMove('y', [['pending'], 'failed'], changed))
    const error = await expectError(move, 'storage-value-refused', place)
    expectTrue(String(error.data['place']).startsWith(place), `the place ${place}`)
  }
  expectSame((await tasks.get('y')).status, 'pending', 'nothing was written')
}
