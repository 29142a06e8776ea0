import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { Agent } from '../agent/index.ts'
import { promptText, scriptedModel, scriptedModels } from './index.ts'

const prompt: LanguageModelV4CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]

async function partsOf(model: LanguageModelV4): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream({ prompt })
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

describe('scripted models', () => {
  test('play text, reasoning and calls, with a finish and usage that fit', async () => {
    const parts = await partsOf(
      scriptedModel([
        {
          text: ['a', 'b'],
          reasoning: 'why',
          calls: [
            { name: 't', args: { x: 1 } },
            { id: 'mine', name: 't', args: 'raw{' },
          ],
          usage: { input: 3, output: 4 },
        },
      ]),
    )
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'tool-call',
      'tool-call',
      'finish',
    ])
    expect(parts.slice(-3)).toMatchObject([
      { toolCallId: 'scripted_1_0', input: '{"x":1}' },
      { toolCallId: 'mine', input: 'raw{' },
      { finishReason: { unified: 'tool-calls' }, usage: { inputTokens: { total: 3 }, outputTokens: { total: 4 } } },
    ])
  })

  test('report 10 and 5 tokens by default, nothing for null, and finish with stop', async () => {
    const model = scriptedModel([{ text: 'a' }, { text: 'b', usage: null }, { finish: 'length' }])
    const finishes = [(await partsOf(model)).at(-1), (await partsOf(model)).at(-1), (await partsOf(model)).at(-1)]
    expect(finishes).toMatchObject([
      { finishReason: { unified: 'stop' }, usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } } },
      { usage: { inputTokens: { total: undefined } } },
      { finishReason: { unified: 'length' } },
    ])
  })

  test('throw what is written as an error, ask a function, wait for `after`, and send parts as they are', async () => {
    let release = (): void => {}
    const after = new Promise<void>((resolve) => {
      release = resolve
    })
    const model = scriptedModel([
      new Error('down'),
      ({ text }) => ({ text: text.toUpperCase() }),
      () => new Error('later'),
      { parts: [{ type: 'raw', rawValue: 1 }], after },
    ])
    await expect(partsOf(model)).rejects.toThrow('down')
    expect(await partsOf(model)).toContainEqual({ type: 'text-delta', id: 't', delta: 'USER: HI' })
    await expect(partsOf(model)).rejects.toThrow('later')
    let done = false
    const waiting = partsOf(model).then((parts) => {
      done = true
      return parts
    })
    await Promise.resolve()
    expect(done).toBe(false)
    release()
    expect(await waiting).toEqual([{ type: 'raw', rawValue: 1 }])
  })

  test('fail a call that no turn is written for, and say what was asked', async () => {
    const script = scriptedModels({ sup: [{ text: 'a' }] })
    await partsOf(script.at('sup'))
    await expect(partsOf(script.at('sup'))).rejects.toThrow(
      /"sup" was called 2 times, and 1 turns are written for it. It was asked:\nuser: Hi/,
    )
    expect(() => script.assertDone()).toThrow(/"sup" was called 2 times/)
    expect(script.calls('sup')).toHaveLength(2)
  })

  test('fail at the end for turns that were not played, also of agents that nobody asked', async () => {
    const script = scriptedModels({ sup: [{ text: 'a' }, { text: 'b' }], 'sup/never': [{ text: 'c' }] })
    await partsOf(script.at('sup'))
    expect(() => script.assertDone()).toThrow(
      '"sup": 1 of 2 turns were not played.\n"sup/never": 1 of 1 turns were not played.',
    )
    const one = scriptedModel([{ text: 'a' }], 'alone')
    expect(() => one.assertDone()).toThrow('"alone": 1 of 1 turns were not played.')
    await partsOf(one)
    expect(() => one.assertDone()).not.toThrow()
  })

  test('are addressed by path, also one that no turns are written for', async () => {
    const child = new Agent({ id: 'c', description: 'd' })
    const sup = new Agent({ id: 'sup', agents: { child } })
    const script = scriptedModels({ sup: [{ calls: [{ name: 'child', args: { prompt: 'P' } }] }, { text: 'end' }] })
    await sup.generate('Go', { resolveModel: script.resolveModel })
    expect(() => script.assertDone()).toThrow(/"sup\/child" was called 1 times, and 0 turns are written/)
  })

  test('are strict, and refuse doGenerate', async () => {
    const model = scriptedModel([{ text: 'a' }])
    await expect(Promise.resolve(model.doStream({ prompt: [] }))).rejects.toThrow(/A strict provider refuses this call/)
    await expect(Promise.resolve(model.doGenerate({ prompt }))).rejects.toThrow(/never calls doGenerate/)
  })

  test('show a prompt as text', () => {
    const parts = [
      { role: 'system', content: 'S' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'U' },
          { type: 'file', data: { type: 'data', data: '' }, mediaType: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'R' },
          { type: 'tool-call', toolCallId: 'a', toolName: 't', input: { x: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 't', output: { type: 'json', value: [1] } },
          { type: 'tool-result', toolCallId: 'b', toolName: 't', output: { type: 'execution-denied' } },
        ],
      },
    ] as LanguageModelV4CallOptions['prompt']
    expect(promptText(parts)).toBe('system: S\nuser: U | (file)\nassistant: R | t({"x":1})\ntool: [1] | ')
  })
})
