import { Agent, type RunOptions } from '@retinue/core/agent'
import type { Processor } from '@retinue/core/processors'
import { InMemoryStorage } from '@retinue/core/storage'
import { type ScriptedTurn, scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { describe, expect, test } from 'vitest'
import { kept } from '../../test-support/said.ts'
import { Memory } from '../index.ts'
import { tokenLimit, toolCallFilter } from './index.ts'

const on = { thread: 't1', resource: 'u1' }
const look = createTool({ id: 'look', execute: () => 'seen' })
const find = createTool({ id: 'find', execute: () => 'found' })
const use = (...names: string[]) => ({ calls: names.map((name) => ({ name, args: {} })) })

function agentWith(processor: Processor, turns: readonly ScriptedTurn[]) {
  const memory = new Memory({ storage: new InMemoryStorage(), options: { lastMessages: 100 } })
  const model = scriptedModel(turns)
  const agent = new Agent({
    id: 'a',
    instructions: 'Be brief.',
    model,
    memory,
    tools: { look, find },
    inputProcessors: [processor],
  })
  return {
    memory,
    model,
    ask: (text: string, options?: RunOptions) => agent.generate(text, { memory: on, ...options }),
  }
}

describe('B6 tokenLimit', () => {
  test('leaves the oldest turns out of a call, whole, and nothing out of the thread', async () => {
    // Of four characters each: instructions 3 tokens, a turn of 11.
    const { memory, model, ask } = agentWith(tokenLimit(25), [
      use('look'),
      ...['a1', 'a2', 'a3'].map((text) => ({ text })),
    ])
    await ask('q1 '.repeat(10))
    await ask('q2 '.repeat(10))
    await ask('q3 '.repeat(10))
    expect(model.calls[3]?.text).toBe(
      `system: Be brief.\nuser: ${'q2 '.repeat(10)}\nassistant: a2\nuser: ${'q3 '.repeat(10)}`,
    )
    expect(await kept(memory, 't1', 'u1')).toHaveLength(8)
  })

  test('counts the instructions too', async () => {
    // Three tokens of instructions, two of the first turn, one of the second.
    for (const [limit, messages] of [
      [6, 4],
      [5, 2],
    ] as const) {
      const { model, ask } = agentWith(tokenLimit(limit), [{ text: 'a1' }, { text: 'a2' }])
      await ask('q1')
      await ask('q2')
      expect(model.calls[1]?.prompt).toHaveLength(messages)
    }
  })

  test('what stands before the first turn stays where it fits, and goes first where it does not', async () => {
    const answer = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'before' }] }
    const question = { role: 'user' as const, content: [{ type: 'text' as const, text: 'now' }] }
    const messages = [answer, question]
    // Two tokens and one.
    for (const [limit, left] of [
      [3, undefined],
      [2, [question]],
    ] as const) {
      const seen = { messages, systemMessages: [] } as unknown as Parameters<
        NonNullable<Processor['processInputStep']>
      >[0]
      expect(await tokenLimit(limit).processInputStep?.(seen)).toEqual(left)
    }
  })

  test('the turn in progress is never left out, with its calls', async () => {
    const { model, ask } = agentWith(tokenLimit(1), [{ text: 'a1' }, use('look'), { text: 'a2' }])
    await ask('q1')
    await ask('q2')
    expect(model.calls[2]?.text).toBe('system: Be brief.\nuser: q2\nassistant: look({})\ntool: seen')
  })

  test('what fits is left alone, and a limit that limits nothing is a typed error', async () => {
    const { model, ask } = agentWith(tokenLimit(1000), [{ text: 'a1' }, { text: 'a2' }])
    await ask('q1')
    await ask('q2')
    expect(model.calls[1]?.text).toBe('system: Be brief.\nuser: q1\nassistant: a1\nuser: q2')
    for (const limit of [0, -1, Number.NaN, undefined])
      expect(() => tokenLimit(limit as number)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
})

describe('B6 toolCallFilter', () => {
  const talk: ScriptedTurn = { text: 'Let me see.', reasoning: 'Hm.', ...use('look', 'find') }

  test('leaves calls and results out of earlier turns and keeps what was said; the turn in progress has its own', async () => {
    const { memory, model, ask } = agentWith(toolCallFilter(), [talk, { text: 'a1' }, use('look'), { text: 'a2' }])
    await ask('q1')
    await ask('q2')
    expect(model.calls[1]?.text).toContain('look({})')
    expect(model.calls[3]?.text).toBe(
      'system: Be brief.\nuser: q1\nassistant: Let me see.\nassistant: a1\nuser: q2\nassistant: look({})\ntool: seen',
    )
    expect((await kept(memory, 't1', 'u1'))[1]).toBe('assistant: Hm. | Let me see. | call look | call find')
  })

  test('what the framework says in a turn begins no new one', async () => {
    const { model, ask } = agentWith(toolCallFilter(), [use('look'), { text: 'a1' }])
    await ask('q1', { onIterationComplete: ({ isFinal }) => (isFinal ? undefined : { feedback: 'Go on.' }) })
    expect(model.calls[1]?.text).toBe(
      'system: Be brief.\nuser: q1\nassistant: look({})\ntool: seen\nuser: [retinue] Go on.',
    )
  })

  test('`exclude` names the tools whose calls go', async () => {
    const { model, ask } = agentWith(toolCallFilter({ exclude: ['look'] }), [talk, { text: 'a1' }, { text: 'a2' }])
    await ask('q1')
    await ask('q2')
    expect(model.calls[2]?.text).toBe(
      'system: Be brief.\nuser: q1\nassistant: Let me see. | find({})\ntool: found\nassistant: a1\nuser: q2',
    )
  })

  test('options that filter nothing are typed errors', () => {
    expect(() => toolCallFilter({ exclude: 'look' as never })).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
    expect(() => toolCallFilter({ include: [] } as never)).toThrow(expect.objectContaining({ code: 'option-unknown' }))
  })
})
