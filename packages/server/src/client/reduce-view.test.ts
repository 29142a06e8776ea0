import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chunk } from '@retinue/core/agent'
import { expect, test } from 'vitest'
import { Random } from '../../test-support/core.ts'
import { deltaText, isDelta, withText } from '../runs/deltas.ts'
import { emptyView, reduceView } from './reduce-view.ts'
import type { RootView, RunView, ToolView } from './view.ts'

const RECORDINGS = ['nested-approval', 'parallel-and-denied', 'failed', 'background'] as const

function recording(name: (typeof RECORDINGS)[number]): Chunk[] {
  const file = join(import.meta.dirname, '../../test-support/recordings', `${name}.json`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** The views after each event. What one of them holds can't be changed by the next. */
function viewsOf(chunks: readonly Chunk[], first: RootView = emptyView()): RootView[] {
  const views: RootView[] = []
  let view = frozen(first)
  for (const chunk of chunks) {
    view = frozen(reduceView(view, frozen(chunk)))
    views.push(view)
  }
  return views
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const each of Object.values(value)) frozen(each)
  return Object.freeze(value)
}

function toolOf(run: RunView | undefined, toolCallId: string): ToolView {
  const item = run?.items.find((each) => each.type === 'tool' && each.toolCallId === toolCallId)
  if (item?.type !== 'tool') throw new Error(`there is no call ${toolCallId}`)
  return item
}

test('a view has what a run said and did, with its delegations in it and what waits for a person', () => {
  const chunks = recording('nested-approval')
  const views = viewsOf(chunks)
  const waiting = views[chunks.findIndex(({ type, path }) => type === 'finish' && path.length === 1)]
  expect(waiting).toMatchObject({ status: 'suspended', finishReason: 'suspended', text: 'I ask.' })
  expect(waiting?.pending).toEqual([
    { toolCallId: 'p1', toolName: 'pay', args: { euros: 5 }, path: ['sup', 'clerk'], kind: 'approval' },
  ])
  const clerk = toolOf(waiting, 'd1').delegation
  expect(clerk).toMatchObject({ key: 'clerk', prompt: 'Pay 5.', run: { status: 'suspended', path: ['sup', 'clerk'] } })
  expect(toolOf(clerk?.run, 'p1').state).toBe('waiting')
  const helper = toolOf(clerk?.run, 'h1').delegation
  expect(helper).toMatchObject({ status: 'completed', run: { status: 'finished', text: 'Nothing there.' } })
  // A part of the user interface takes the place of the one before.
  const data = helper?.run.items.filter(({ type }) => type === 'data')
  expect(data).toMatchObject([{ name: 'progress', id: 'l', data: 1 }])

  const last = views.at(-1)
  expect(last).toMatchObject({ status: 'finished', finishReason: 'stop', text: 'It is paid.', pending: [] })
  expect(last?.items.map(({ type, step }) => [type, step])).toEqual([
    ['reasoning', 1],
    ['text', 1],
    ['tool', 1],
    ['text', 2],
  ])
  const done = toolOf(last, 'd1').delegation
  expect(done).toMatchObject({ status: 'completed', run: { status: 'finished', text: 'Paid 5.' } })
  expect(toolOf(done?.run, 'p1')).toMatchObject({ state: 'done', result: { paid: 5 }, output: ['paying 5'] })
})

test('a view counts what was used: each call once, while it goes on as in the end', () => {
  const views = viewsOf(recording('nested-approval'))
  const tokens = views.map(({ totalUsage }) => totalUsage.totalTokens)
  expect(tokens.toSorted((one, other) => one - other)).toEqual(tokens)
  expect(views.at(-1)).toMatchObject({
    usage: { totalTokens: 30, calls: 2 },
    totalUsage: { totalTokens: 90, calls: 6 },
  })
})

test('a view tells runs apart that go on at the same time, and how calls failed', () => {
  const last = viewsOf(recording('parallel-and-denied')).at(-1)
  expect(toolOf(last, 'd1').delegation?.run.text).toBe('One is done.')
  expect(toolOf(last, 'd2').delegation?.run.text).toBe('Two is done.')
  expect(toolOf(last, 'f1')).toMatchObject({
    state: 'failed',
    error: { code: 'tool-failed', message: 'The tool failed.' },
  })
  expect(toolOf(last, 'p9')).toMatchObject({ state: 'denied', reason: expect.stringContaining('too much') })
  expect(last?.pending).toEqual([])
  expect(viewsOf(recording('failed')).at(-1)).toMatchObject({ status: 'failed', error: { code: 'model-call-failed' } })
})

test('who lags gets the same view of fewer events', () => {
  for (const name of RECORDINGS) {
    const chunks = recording(name)
    const whole = viewsOf(chunks).at(-1)
    const random = new Random(7)
    for (let times = 0; times < 30; times++) {
      const fewer: Chunk[] = []
      for (const chunk of chunks) {
        const last = fewer.at(-1)
        if (last && isDelta(chunk) && isDelta(last) && last.runId === chunk.runId && random.chance(0.5))
          fewer[fewer.length - 1] = withText(last, deltaText(last) + deltaText(chunk))
        else fewer.push(chunk)
      }
      expect(viewsOf(fewer).at(-1)).toEqual(whole)
    }
  }
})

test('a view that is read on after a decision goes on, and one that begins there has what follows', () => {
  const chunks = recording('nested-approval')
  const second = chunks.findLastIndex(({ type, path }) => type === 'start' && path.length === 1)
  const before = viewsOf(chunks.slice(0, second)).at(-1)
  expect(viewsOf(chunks.slice(second), before).at(-1)).toEqual(viewsOf(chunks).at(-1))
  const anew = viewsOf(chunks.slice(second)).at(-1)
  expect(anew).toMatchObject({ status: 'finished', text: 'It is paid.' })
  expect(toolOf(toolOf(anew, 'd1').delegation?.run, 'p1')).toMatchObject({ state: 'done' })
})

test('a view has what goes on in the background: how it stands, what it asks, and what came of it', () => {
  const chunks = recording('background')
  const views = viewsOf(chunks)
  const begun = toolOf(views[chunks.findIndex(({ type }) => type === 'tool-result')], 'b1')
  expect(begun).toMatchObject({ state: 'running' })
  expect(begun).not.toHaveProperty('result')
  const waiting = views[chunks.findIndex(({ type, path }) => type === 'finish' && path.length === 1)]
  expect(waiting).toMatchObject({ status: 'suspended', text: 'They look.' })
  expect(waiting?.tasks).toMatchObject([
    { toolCallId: 'b1', toolName: 'clerk', path: ['sup'], status: 'suspended', attempt: 1 },
    { toolCallId: 'b2', toolName: 'helper', path: ['sup'], status: 'failed', error: { code: 'model-call-failed' } },
  ])
  expect(waiting?.pending).toMatchObject([{ toolCallId: 'p1', path: ['sup', 'clerk'], kind: 'approval' }])
  expect(toolOf(waiting, 'b1')).toMatchObject({ state: 'waiting', taskId: waiting?.tasks[0]?.taskId })
  expect(toolOf(waiting, 'b2')).toMatchObject({ state: 'failed', taskId: waiting?.tasks[1]?.taskId })
  expect(toolOf(toolOf(waiting, 'b1').delegation?.run, 'p1').state).toBe('waiting')

  const last = views.at(-1)
  expect(last).toMatchObject({ status: 'finished', pending: [], text: 'It is paid.' })
  expect(last?.tasks[0]).toMatchObject({ status: 'completed', result: { text: 'Paid 5.' } })
  expect(toolOf(last, 'b1')).toMatchObject({ state: 'done', result: { text: 'Paid 5.' } })
  expect(toolOf(toolOf(last, 'b1').delegation?.run, 'p1')).toMatchObject({ state: 'done', result: { paid: 5 } })
})

test('a task that ends asks nothing any more, and takes nothing from another one', () => {
  const chunks = recording('background')
  const asked = chunks.findIndex(({ type }) => type === 'tool-call-approval')
  const view = viewsOf(chunks.slice(0, asked + 1)).at(-1) as RootView
  const task = view.tasks.find(({ toolCallId }) => toolCallId === 'b1')
  const place = { runId: view.runId, from: 'AGENT', path: ['sup'] } as const
  const about = (taskId: string) => ({ taskId, toolCallId: 'b1', toolName: 'clerk' })
  const ended = (payload: { taskId: string; toolCallId: string; toolName: string }): Chunk => {
    return { ...place, type: 'background-task-cancelled', payload: { ...payload, reason: 'no' } }
  }
  const own = viewsOf([ended(about(String(task?.taskId)))], view).at(-1)
  expect(own).toMatchObject({ pending: [] })
  expect(own?.tasks.find(({ toolCallId }) => toolCallId === 'b1')).toMatchObject({ status: 'cancelled', reason: 'no' })
  const other = { taskId: 'other', toolCallId: 'b9', toolName: 'clerk' }
  expect(viewsOf([ended(other)], view).at(-1)?.pending).toHaveLength(1)
  expect(viewsOf([ended({ ...other, toolName: 'helper' })], view).at(-1)?.pending).toHaveLength(1)
})

test('a run that goes on while its task asks is told what came of the call', () => {
  const chunks = recording('background')
  const asked = chunks.findIndex(({ type }) => type === 'tool-call-approval')
  const done = chunks.find(({ type, payload }) => {
    return type === 'tool-result' && (payload as { toolCallId: string }).toolCallId === 'p1'
  }) as Chunk
  const view = viewsOf(chunks.slice(0, asked + 1)).at(-1)
  expect([view?.pending.length, viewsOf([done], view).at(-1)?.pending]).toEqual([1, []])
})

test('events of a kind that is not known change nothing', () => {
  const view = viewsOf(recording('failed')).at(-1) ?? emptyView()
  const strange = { type: 'never-heard-of', runId: view.runId, from: 'AGENT', path: ['sup'], payload: {} }
  expect(reduceView(view, strange as never)).toEqual(view)
  expect(
    reduceView(view, { ...strange, type: 'text-delta', runId: 'other', payload: { id: 't', text: 'x' } } as never),
  ).toEqual(view)
})

test('a step that is told anew takes the place of what was told of it', () => {
  const place = { runId: 'r', from: 'AGENT', path: ['r'] } as const
  const model = { requested: 'm', used: 'm' }
  const step = (iteration: number): Chunk => {
    return { ...place, type: 'step-start', payload: { messageId: 'm', iteration, model } }
  }
  const said = (text: string): Chunk[] => [
    { ...place, type: 'text-start', payload: { id: 't' } },
    { ...place, type: 'text-delta', payload: { id: 't', text } },
  ]
  const start: Chunk = { ...place, type: 'start', payload: { id: 'a', messageId: 'r' } }
  const told = [start, step(1), ...said('First.'), step(2), ...said('Lost')]
  const resumed = [start, step(1), step(2), ...said('Second.')]
  const last = viewsOf([...told, ...resumed]).at(-1)
  expect(last?.items.map((item) => item.type === 'text' && item.text)).toEqual(['First.', 'Second.'])
  // Until the model says something, what was told stands.
  expect(viewsOf([...told, start, step(1), step(2)]).at(-1)?.text).toBe('Lost')
})
