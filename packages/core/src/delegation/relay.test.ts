import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type RunOptions } from '../agent/index.ts'
import { type ScriptedTurn, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'

const ask = (name = 'writer') => ({ name, args: { prompt: 'write' } })

/** A supervisor with a writer that relays and a helper that does not. */
async function relayed(script: Record<string, readonly ScriptedTurn[]>, options: RunOptions = {}, sup = {}) {
  const models = scriptedModels(script)
  const writer = new Agent({ id: 'w', description: 'd', relay: true })
  const helper = new Agent({ id: 'h', description: 'd' })
  const ping = createTool({ id: 'ping', execute: () => 'pong' })
  const agent = new Agent({ id: 'sup', agents: { writer, helper }, tools: { ping }, ...sup })
  const stream = await agent.stream('Go', { resolveModel: models.resolveModel, ...options })
  let text = ''
  for await (const delta of stream.textStream) text += delta
  models.assertDone()
  return { result: await stream.result, streamed: text, models }
}

test('B2.12 the answer of a relaying subagent is the run’s own: no further model call, streamed, and in the history', async () => {
  const { result, streamed } = await relayed({ sup: [{ calls: [ask()] }], 'sup/writer': [{ text: ['a ', 'draft'] }] })
  expect(result).toMatchObject({ finishReason: 'stop', text: 'a draft', error: undefined, steps: { length: 1 } })
  expect(streamed).toBe('a draft')
  const roles = result.response.messages.map(({ role }) => role)
  expect(roles).toEqual(['assistant', 'tool', 'assistant'])
  expect(result.response.messages.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'a draft' }] })
})

test('B2.12 a conversation that went on from a relayed answer is valid', async () => {
  const first = await relayed({ sup: [{ calls: [ask()] }], 'sup/writer': [{ text: 'a draft' }] })
  const models = scriptedModels({ sup: [{ text: 'again' }] })
  const sup = new Agent({ id: 'sup', agents: { writer: new Agent({ id: 'w', description: 'd' }) } })
  const history = [{ role: 'user' as const, content: 'Go' }, ...first.result.response.messages]
  const input = [...history, { role: 'user' as const, content: 'More' }]
  const { text } = await sup.generate(input as never, { resolveModel: models.resolveModel })
  expect(text).toBe('again')
  expect(models.calls('sup')[0]?.text).toContain('assistant: a draft')
})

test('B2.12 two calls in the step: the parent’s model reads both and answers', async () => {
  const { result } = await relayed({
    sup: [{ calls: [ask(), { name: 'ping', args: {} }] }, { text: 'mine' }],
    'sup/writer': [{ text: 'a draft' }],
  })
  expect(result.text).toBe('mine')
})

test('B2.12 a subagent without `relay` is read by the parent’s model', async () => {
  const { result } = await relayed({
    sup: [{ calls: [ask('helper')] }, { text: 'mine' }],
    'sup/helper': [{ text: 'x' }],
  })
  expect(result.text).toBe('mine')
})

test('B2.12 a delegation that did not complete is no answer', async () => {
  const { result, models } = await relayed({
    sup: [{ calls: [ask()] }, { text: 'it was cut off' }],
    'sup/writer': [{ text: 'a dra', finish: 'length' }],
  })
  expect(result.text).toBe('it was cut off')
  expect(models.calls('sup')[1]?.text).toContain('[writer: partial.')
})

test('B2.12 what a hook puts in its place is what is relayed; feedback is kept and asks for no model call', async () => {
  const { result } = await relayed(
    { sup: [{ calls: [ask()] }], 'sup/writer': [{ text: 'the key is swordfish' }] },
    { delegation: { onDelegationComplete: () => ({ resultText: 'the key is hidden', feedback: 'be shorter' }) } },
  )
  expect(result).toMatchObject({ text: 'the key is hidden', finishReason: 'stop' })
  expect(JSON.stringify(result.response.messages)).toContain('be shorter')
})

test('B2.12 the parent’s own schema holds for a relayed answer too', async () => {
  const schema = z.object({ n: z.number() })
  const fits = await relayed(
    { sup: [{ calls: [ask()] }], 'sup/writer': [{ text: '{"n":1}' }] },
    { structuredOutput: { schema } },
  )
  expect(fits.result.object).toEqual({ n: 1 })
  const mended = await relayed(
    { sup: [{ calls: [ask()] }, { text: '{"n":2}' }], 'sup/writer': [{ text: 'one' }] },
    { structuredOutput: { schema } },
  )
  expect(mended.result).toMatchObject({ object: { n: 2 }, text: '{"n":2}' })
})

test('B2.12 B5.1 the iteration hook sees a final answer, and can ask for more', async () => {
  const seen: boolean[] = []
  const { result } = await relayed(
    { sup: [{ calls: [ask()] }, { text: 'longer' }], 'sup/writer': [{ text: 'a draft' }] },
    {
      onIterationComplete: ({ isFinal, iteration }) => {
        seen.push(isFinal)
        return iteration === 1 ? { continue: true, feedback: 'longer, please' } : undefined
      },
    },
  )
  expect([seen, result.text]).toEqual([[true, true], 'longer'])
})

test('B2.12 a provider that gives no reason for the end of the call does not spoil the answer', async () => {
  const { result } = await relayed({
    sup: [{ calls: [ask()], finish: 'other' }],
    'sup/writer': [{ text: 'a draft' }],
  })
  expect(result.finishReason).toBe('stop')
})

test('B2.12 a relaying subagent two levels down answers for both', async () => {
  const models = scriptedModels({
    a: [{ calls: [{ name: 'b', args: { prompt: 'x' } }] }],
    'a/b': [{ calls: [{ name: 'c', args: { prompt: 'x' } }] }],
    'a/b/c': [{ text: 'deep' }],
  })
  const c = new Agent({ id: 'c', description: 'd', relay: true })
  const b = new Agent({ id: 'b', description: 'd', relay: true, agents: { c } })
  const result = await new Agent({ id: 'a', agents: { b } }).generate('Go', { resolveModel: models.resolveModel })
  models.assertDone()
  expect(result.text).toBe('deep')
})

test('B2.12 a relay that is neither true nor false is an error when the agent is made', () => {
  expect(() => new Agent({ id: 'a', relay: 'yes' as never })).toThrow(/relay of the agent "a" is yes/)
})

test('B3.4 a subagent that says so is handed the prompt alone, whatever its siblings see', async () => {
  const models = scriptedModels({
    sup: [{ text: 'Let me see.', calls: [ask(), ask('helper')] }, { text: 'done' }],
    'sup/writer': [{ text: 'a' }],
    'sup/helper': [{ text: 'b' }],
  })
  const writer = new Agent({ id: 'w', description: 'd', delegation: { context: 'none' } })
  const helper = new Agent({ id: 'h', description: 'd' })
  await new Agent({ id: 'sup', agents: { writer, helper } }).generate('Go', { resolveModel: models.resolveModel })
  expect(models.calls('sup/writer')[0]?.text).toBe('user: write')
  expect(models.calls('sup/helper')[0]?.text).toContain('user: Go')
})

test.each([
  [{ context: 'all' }, /can be \{ context: 'none' \}/],
  [{ messageFilter: () => [] }, /belongs in its defaultOptions/],
])('B3.4 a delegation of an agent that is none is an error: %j', (delegation, message) => {
  expect(() => new Agent({ id: 'a', delegation: delegation as never })).toThrow(
    expect.objectContaining({ code: 'agent-invalid', hint: expect.stringMatching(message) }) as Error,
  )
})

test('B2.12 what belongs to the answer comes along: files, sources and the object, and the last step says it', async () => {
  const file = { type: 'file', mediaType: 'image/png', data: 'AAAA' } as const
  const writer = { id: 'w', description: 'd', relay: true, outputSchema: z.object({ n: z.number() }) }
  const models = scriptedModels({
    sup: [{ text: 'Let me ask.', calls: [ask()] }],
    'sup/writer': [
      {
        parts: [
          { type: 'stream-start', warnings: [] },
          file as never,
          { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: '{"n":1}' },
          { type: 'text-end', id: 't' },
          {
            type: 'finish',
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: { inputTokens: {}, outputTokens: {} } as never,
          },
        ],
      },
    ],
  })
  const seen: unknown[] = []
  const result = await new Agent({ id: 'sup', agents: { writer: new Agent(writer) } }).generate('Go', {
    resolveModel: models.resolveModel,
    onIterationComplete: ({ text, finishReason }) => void seen.push(text, finishReason),
  })
  expect(result).toMatchObject({ text: '{"n":1}', object: { n: 1 }, files: { length: 1 }, sources: { length: 1 } })
  expect(seen).toEqual(['{"n":1}', 'stop'])
})
