import { describe, expect, test, vi } from 'vitest'
import { ask, team, times } from '../../test-support/background-team.ts'
import { Agent, type AgentOptions } from '../agent/index.ts'
import { Retinue } from '../retinue.ts'
import { InMemoryStorage, type Storage } from '../storage/index.ts'
import { type Script, type ScriptedModels, scriptedModels } from '../testing/index.ts'
import { createTool, type Tool } from '../tools/index.ts'

/** A chain of agents, each of which runs the next one in the background; the last has a tool that a person must allow. */
function chain(
  script: Script,
  storage: Storage = new InMemoryStorage(),
  models: ScriptedModels = scriptedModels(script),
) {
  const ran: unknown[] = []
  const act = createTool({ id: 'act', requireApproval: true, execute: (input) => void ran.push(input) }) as Tool
  const paths = Object.keys(script).toSorted((one, other) => other.length - one.length)
  let below: Record<string, Agent> = {}
  for (const path of paths) {
    const id = path.split('/').at(-1) as string
    const keys = Object.keys(below)
    const options: Partial<AgentOptions> =
      keys.length === 0
        ? { tools: { act } }
        : { agents: below, backgroundTasks: { tools: { [keys[0] as string]: true } } }
    below = { [id]: new Agent({ id, description: 'd', model: models.at(path), ...options }) }
  }
  const app = new Retinue({ agents: below, storage, backgroundTasks: { enabled: true }, logger: false })
  return { app, sup: app.getAgent('sup') as Agent, models, ran, storage }
}

const script = (): Script => ({
  sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
  'sup/a': [{ calls: [ask('b')] }, { text: 'a waits' }, { text: 'A DONE' }],
  'sup/a/b': [{ calls: [{ id: 'x', name: 'act', args: { n: 1 } }] }, { text: 'B DONE' }],
})

describe('B9.5 a task of a task that waits for a person', () => {
  test('is decided with the root’s run id, and everything above it goes on to the root’s answer', async () => {
    const { sup, app, models, ran } = chain(script())
    const { runId, finishReason, pendingCalls } = await sup.generate('Go')
    expect(finishReason).toBe('suspended')
    expect(pendingCalls).toMatchObject([{ toolCallId: 'x', path: ['sup', 'a', 'b'] }])
    expect((await sup.listSuspendedRuns()).runs).toMatchObject([{ runId, toolCalls: [{ toolCallId: 'x' }] }])
    const result = await sup.approveToolCallGenerate({ runId, toolCallId: 'x' })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'one\n\ntwo' })
    expect(ran).toEqual([{ n: 1 }])
    expect(times(models.calls('sup/a')[2], 'B DONE')).toBe(1)
    expect(times(models.calls('sup')[2], 'A DONE')).toBe(1)
    models.assertDone()
    await app.tasks.settled()
    expect((await app.tasks.list()).items.map(({ status }) => status)).toEqual(['completed', 'completed'])
  })

  test('also in another process that shares only the storage', async () => {
    const first = chain(script())
    const { runId } = await first.sup.generate('Go')
    const second = chain(script(), first.storage, first.models)
    const result = await second.sup.approveToolCallGenerate({ runId })
    expect(result.text).toBe('one\n\ntwo')
    expect(second.ran).toHaveLength(1)
    first.models.assertDone()
  })

  test('cancelled, it lets those above it go on: they are told', async () => {
    const { sup, app, models } = chain({ ...script(), 'sup/a/b': script()['sup/a/b']?.slice(0, 1) as never })
    await sup.generate('Go')
    const inner = (await app.tasks.list()).items[1]
    await app.tasks.cancel(inner?.taskId as string)
    await vi.waitFor(() => expect(models.calls('sup')).toHaveLength(3))
    expect(times(models.calls('sup/a')[2], 'was cancelled')).toBe(1)
    models.assertDone()
  })

  test('three levels down as well', async () => {
    const { sup, models, ran } = chain({
      sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
      'sup/a': [{ calls: [ask('b')] }, { text: 'a waits' }, { text: 'A DONE' }],
      'sup/a/b': [{ calls: [ask('c')] }, { text: 'b waits' }, { text: 'B DONE' }],
      'sup/a/b/c': [{ calls: [{ id: 'x', name: 'act', args: {} }] }, { text: 'C DONE' }],
    })
    const { runId } = await sup.generate('Go')
    const result = await sup.approveToolCallGenerate({ runId })
    expect(result.text).toBe('one\n\ntwo')
    expect(ran).toHaveLength(1)
    models.assertDone()
  })
})

describe('B9.4 places', () => {
  test('two subagents of one task that wait for their tasks have one place between them', async () => {
    const slow = createTool({ id: 'slow', background: true, execute: () => 'found' }) as Tool
    const models = scriptedModels({
      sup: [{ calls: [ask('t'), ask('other')] }, { text: 'one' }, { text: 'two' }, { text: 'three' }],
      'sup/other': [{ text: 'OTHER' }],
      'sup/t': [{ calls: [ask('l'), ask('r')] }, { text: 'T' }],
      'sup/t/l': [{ calls: [{ id: 's', name: 'slow', args: {} }] }, { text: 'wait' }, { text: 'L' }],
      'sup/t/r': [{ calls: [{ id: 's', name: 'slow', args: {} }] }, { text: 'wait' }, { text: 'R' }],
    })
    const made = (id: string, path: string, more: Partial<AgentOptions> = {}): Agent =>
      new Agent({ id, description: 'd', model: models.at(path), ...more })
    const [l, r] = [made('l', 'sup/t/l', { tools: { slow } }), made('r', 'sup/t/r', { tools: { slow } })]
    // Their parent runs them in the foreground.
    const t = made('t', 'sup/t', { agents: { l, r }, backgroundTasks: { tools: { l: false, r: false } } })
    const sup = made('sup', 'sup', {
      agents: { t, other: made('other', 'sup/other') },
      backgroundTasks: { tools: { t: true, other: true } },
    })
    const app = new Retinue({
      agents: { sup },
      backgroundTasks: { enabled: true, globalConcurrency: 1 },
      logger: false,
    })
    const result = await app.getAgent('sup').generate('Go')
    expect(result.finishReason).toBe('stop')
    // The place was not lost: another one can have it.
    const again = team({ sup: [{ calls: [ask('a')] }, { text: 'x' }, { text: 'y' }], 'sup/a': [{ text: 'A' }] })
    expect((await again.sup.generate('Go')).text).toBe('x\n\ny')
    expect((await app.tasks.list()).items.every(({ status }) => status === 'completed')).toBe(true)
  })
})

describe('B7.4 a tool that a person let start, in the background', () => {
  const gated = (execute: () => unknown, background: boolean | object = true) =>
    createTool({ id: 'act', requireApproval: true, background: background as true, execute }) as Tool
  const acting = () => ({
    sup: [{ calls: [{ id: 'x', name: 'act', args: { n: 1 } }] }, { text: 'one' }, { text: 'two' }],
  })

  test('is asked about once, and runs with what was given in place of its arguments', async () => {
    const ran: unknown[] = []
    const act = createTool({
      id: 'act',
      requireApproval: true,
      background: true,
      execute: (input) => void ran.push(input),
    }) as Tool
    const { sup, models } = team(acting(), { sup: { tools: { act } }, storage: new InMemoryStorage() })
    const { runId, pendingCalls } = await sup.generate('Go')
    expect(pendingCalls).toMatchObject([{ toolCallId: 'x', path: ['sup'] }])
    const result = await sup.approveToolCallGenerate({ runId, args: { n: 2 } })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'one\n\ntwo' })
    expect(ran).toEqual([{ n: 2 }])
    models.assertDone()
  })

  test('is not tried again when it failed: it is started once for a decision', async () => {
    let starts = 0
    const act = gated(
      () => {
        starts += 1
        throw new Error('boom')
      },
      { maxRetries: 3 },
    )
    const { sup, models } = team(acting(), { sup: { tools: { act } } })
    const { runId } = await sup.generate('Go')
    await sup.approveToolCallGenerate({ runId })
    expect(starts).toBe(1)
    expect(times(models.calls('sup')[2], 'boom')).toBe(1)
  })
})

describe('B3.6 a task that bails while the parent is busy', () => {
  test('nothing more is begun and no model call follows; the text is the task’s', async () => {
    const [busy, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const begun: string[] = []
    const { sup, app, models } = team({
      sup: [
        { calls: [ask('a'), ask('b')] },
        async () => {
          go.resolve()
          await busy.promise
          return { text: 'more', calls: [ask('c')] }
        },
      ],
      'sup/a': [{ text: 'ENOUGH', after: go.promise }],
      'sup/b': [
        ({ options }) =>
          new Promise((resolve) => options.abortSignal?.addEventListener('abort', () => resolve({ text: 'x' }))),
      ],
      'sup/c': [],
    })
    const stream = await sup.stream('Go', {
      delegation: {
        onDelegationStart: ({ key }) => void begun.push(key),
        onDelegationComplete: ({ key, bail }) => void (key === 'a' && bail()),
      },
    })
    await vi.waitFor(async () => expect((await app.tasks.list({ status: 'cancelled' })).items).toHaveLength(1))
    busy.resolve()
    expect(await stream.finishReason).toBe('bailed')
    expect(await stream.text).toBe('ENOUGH')
    expect(begun).toEqual(['a', 'b'])
    models.assertDone()
  })
})
