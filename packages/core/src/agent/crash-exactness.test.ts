import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { chain, type MakeTree, Processes } from '../../test-support/gated-tree.ts'
import { MortalProcess } from '../../test-support/mortal-process.ts'
import { Retinue } from '../retinue.ts'
import { createTool, type Tool } from '../tools/index.ts'
import { Agent, type AgentOptions, type RunOptions } from './index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const turns = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0))
const leaseOver = () => vi.advanceTimersByTimeAsync(11_000)
const call = (id: string, name: string, args: unknown = {}) => ({ id, name, args })

describe('B1.7 what must not run does not run after a crash either', () => {
  /** A process dies when its model's answer is written down and nothing of it is done; another goes on with the run. */
  const gone = async (processes: Processes, make: MakeTree, options: RunOptions = {}) => {
    const dying = new MortalProcess()
    // The run's beginning, and the answer.
    dying.dieAt(2, 'after')
    const app = new Retinue({ agents: { sup: make(processes.models) }, storage: dying.storage(processes.storage) })
    void app.getAgent('sup').generate('Go', { ...options, durable: true, runId: 'run' })
    while (dying.alive) await turns()
    await leaseOver()
    expect(processes.models.calls('sup')).toHaveLength(1)
    return processes.start(make).resumeRunGenerate({ runId: 'run', ...options })
  }

  const acting = (id = 'act') => {
    const ran: unknown[] = []
    return { tool: createTool({ id, execute: (input) => void ran.push(input) }) as Tool, ran }
  }
  const look = createTool({ id: 'look', execute: () => 'seen' }) as Tool

  test('B1.7 a call whose arguments were cut off', async () => {
    const { tool, ran } = acting()
    const processes = new Processes({ sup: [{ calls: [call('a', 'act', '{"to": "ad')] }, { text: 'end' }] })
    const { toolResults, text } = await gone(processes, chain(1, { act: tool }))
    expect([ran, toolResults[0]?.error?.code, text]).toEqual([[], 'tool-arguments-invalid', 'end'])
  })

  test('B1.7 a call of a name that is no tool’s, whatever legal name it is like', async () => {
    const { tool, ran } = acting('act_')
    const processes = new Processes({ sup: [{ calls: [call('a', 'act.')] }, { text: 'end' }] })
    const { toolResults, text } = await gone(processes, chain(1, { act_: tool }))
    expect([ran, toolResults[0]?.error?.code, text]).toEqual([[], 'tool-unknown', 'end'])
  })

  test('B1.7 a call of a tool that the model was not shown', async () => {
    const { tool, ran } = acting()
    const processes = new Processes({ sup: [{ calls: [call('a', 'act')] }, { text: 'end' }] })
    const prepareStep = () => ({ activeTools: ['look'] })
    const { toolResults, text } = await gone(processes, chain(1, { act: tool, look }), { prepareStep })
    expect([ran, toolResults[0]?.error?.code, text]).toEqual([[], 'tool-unknown', 'end'])
  })

  test('B1.7 the calls of an answer that an output processor stopped', async () => {
    const { tool, ran } = acting()
    const outputProcessors: AgentOptions['outputProcessors'] = [
      {
        id: 'guard',
        processOutputStream: ({ part, abort }) => {
          if (JSON.stringify(part).includes('SECRET')) abort('no')
        },
      },
    ]
    const processes = new Processes({ sup: [{ text: 'SECRET', calls: [call('a', 'act')] }, { text: 'end' }] })
    const { finishReason } = await gone(processes, chain(1, { act: tool }, { outputProcessors }))
    expect([ran, finishReason]).toEqual([[], 'other'])
  })
})

describe('B7.3 what was counted before a crash is not counted again', () => {
  /** A durable run whose process dies while something hangs in it that does not hang in the next one. `when`: it has written this. */
  const crashed = async (
    processes: Processes,
    make: (hangs: () => boolean) => MakeTree,
    { when, ...options }: RunOptions & { when: string },
  ) => {
    let hangs = true
    const tree = make(() => hangs)
    const first = processes.mortal(tree)
    void first.agent.generate('Go', { ...options, durable: true, runId: 'run' })
    const written = async () => JSON.stringify(await processes.storage.runs.get('run').catch(() => null))
    do await turns()
    while (!(await written()).includes(when))
    first.die()
    hangs = false
    await leaseOver()
    const result = await processes.start(tree).resumeRunGenerate({ runId: 'run' })
    processes.models.assertDone()
    return result
  }

  test('B2.10 a tool call that was under way is one call of the budget', async () => {
    const quick = createTool({ id: 'quick', execute: () => 'was quick' }) as Tool
    const processes = new Processes({ sup: [{ calls: [call('a', 'act'), call('q', 'quick')] }, { text: 'end' }] })
    const make = (hangs: () => boolean) => {
      const execute = () => (hangs() ? new Promise<never>(() => {}) : 'acted')
      return chain(1, { act: createTool({ id: 'act', execute }) as Tool, quick })
    }
    const { finishReason, toolResults } = await crashed(processes, make, {
      budget: { toolCalls: 2 },
      when: 'was quick',
    })
    expect([finishReason, toolResults]).toMatchObject(['stop', [{ result: 'acted' }, { result: 'was quick' }]])
  })

  test('B2.11 B2.13 a delegation whose complete hook was asked has its usage in the sum once, and one reference', async () => {
    const processes = new Processes({
      sup: [{ calls: [call('d1', 'one', { prompt: 'A' }), call('d2', 'two', { prompt: 'B' })] }, { text: 'end' }],
      'sup/one': [{ text: 'first' }],
      'sup/two': [{ text: 'second' }],
    })
    const make =
      (hangs: () => boolean): MakeTree =>
      (models) => {
        const child = (id: string) => new Agent({ id, description: 'd', model: models.at(`sup/${id}`) })
        const onDelegationComplete = ({ key }: { key: string }) =>
          key === 'one' && hangs() ? new Promise<undefined>(() => {}) : undefined
        const defaultOptions = { delegation: { enableResultReferences: true, onDelegationComplete } }
        const agents = { one: child('one'), two: child('two') }
        return new Agent({ id: 'sup', model: models.at('sup'), defaultOptions, agents })
      }
    const { totalUsage, toolResults } = await crashed(processes, make, { when: 'two-1' })
    expect(totalUsage.calls).toBe(4)
    expect(toolResults).toMatchObject([{ result: { ref: 'one-1' } }, { result: { ref: 'two-1' } }])
  })
})

test('B1.7 a call that came before an output processor stopped its answer is not run after a crash', async () => {
  const ran: unknown[] = []
  const act = createTool({ id: 'act', execute: (input) => void ran.push(input) }) as Tool
  const outputProcessors: AgentOptions['outputProcessors'] = [
    {
      id: 'guard',
      processOutputStream: ({ part, abort }) => {
        if (JSON.stringify(part).includes('SECRET')) abort('no')
      },
    },
  ]
  const turn = { calls: [call('a', 'act'), call('b', 'act', { text: 'SECRET' })] }
  const processes = new Processes({ sup: [turn, { text: 'end' }] })
  const make = chain(1, { act }, { outputProcessors })
  const dying = new MortalProcess()
  dying.dieAt(2, 'after')
  const app = new Retinue({ agents: { sup: make(processes.models) }, storage: dying.storage(processes.storage) })
  void app.getAgent('sup').generate('Go', { durable: true, runId: 'run' })
  while (dying.alive) await vi.advanceTimersByTimeAsync(0)
  await vi.advanceTimersByTimeAsync(11_000)
  const { finishReason } = await processes.start(make).resumeRunGenerate({ runId: 'run' })
  expect([ran, finishReason]).toEqual([[], 'other'])
})
