import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Processor } from '../processors/index.ts'
import { type ScriptedTurn, scriptedModel, scriptedModels } from '../testing/index.ts'
import { Agent, type AgentConfig } from './index.ts'

const SOURCE = { type: 'source', sourceType: 'url', id: 's', url: 'https://secret.example' } as const
const FILE = { type: 'file', mediaType: 'text/plain', data: { type: 'data', data: 'AAAA' } } as const

/** A supervisor whose child answers in its place. */
async function relaying(processor: Omit<Processor, 'id'>, answer: ScriptedTurn, config: Partial<AgentConfig> = {}) {
  const models = scriptedModels({ a: [{ calls: [{ name: 'child', args: { prompt: 'find' } }] }], 'a/child': [answer] })
  const child = new Agent({ id: 'c', description: 'd', relay: true, model: models.at('a/child'), ...config })
  const outputProcessors = [{ id: 'guard', ...processor }]
  const agent = new Agent({ id: 'a', model: models.at('a'), agents: { child }, outputProcessors })
  const stream = await agent.stream('go')
  let streamed = ''
  for await (const delta of stream.textStream) streamed += delta
  return { streamed, result: await stream.result }
}

describe('B2.12 output processors see a relayed answer as if the model had said it', () => {
  const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} } as never
  const secret: ScriptedTurn = {
    parts: [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'the secret word' },
      { type: 'text-end', id: 't' },
      SOURCE,
      FILE,
      finish,
    ],
  }

  test('what they put in its place is what is streamed and what is the answer', async () => {
    const seen: string[] = []
    const { streamed, result } = await relaying(
      {
        processOutputStream: ({ part }) => {
          seen.push(part.type)
          return part.type === 'text-delta' ? { ...part, delta: part.delta.replace('secret', '***') } : part
        },
      },
      secret,
    )
    expect(streamed).toBe('the *** word')
    expect(result).toMatchObject({ text: 'the *** word', finishReason: 'stop' })
    expect(JSON.stringify(result.response.messages.at(-1))).not.toContain('secret')
    expect(seen).toEqual(expect.arrayContaining(['text-delta', 'source', 'file']))
  })

  test('what they leave out is neither shown nor kept', async () => {
    const { streamed, result } = await relaying(
      { processOutputStream: ({ part }) => (part.type === 'tool-call' ? part : null) },
      secret,
    )
    expect(streamed).toBe('')
    expect(result).toMatchObject({ text: '', sources: [], files: [] })
    expect(result.error?.code).toBe('model-answer-empty')
  })

  test('what is blank is not said: the conversation that goes on from it is valid', async () => {
    const models = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'find' } }] }, { text: 'mine' }],
      'a/child': [{ text: 'secret' }],
    })
    const child = new Agent({ id: 'c', description: 'd', relay: true })
    const blank: Processor = {
      id: 'blank',
      processOutputStream: ({ part }) =>
        part.type === 'text-delta' && part.delta === 'secret' ? { ...part, delta: '  ' } : part,
    }
    const { text } = await new Agent({ id: 'a', agents: { child }, outputProcessors: [blank] }).generate('go', {
      resolveModel: models.resolveModel,
      onIterationComplete: ({ iteration }) => (iteration === 1 ? { continue: true } : undefined),
    })
    expect(text).toBe('mine')
  })

  test('one that stops the run withholds the answer', async () => {
    const { streamed, result } = await relaying(
      { processOutputStream: ({ part, abort }) => (part.type === 'text-delta' ? abort('no') : part) },
      secret,
    )
    expect(streamed).toBe('')
    expect(result).toMatchObject({ text: '', finishReason: 'other', error: { code: 'processor-stopped' } })
  })

  test('one that fails ends the run with its error', async () => {
    const { result } = await relaying(
      {
        processOutputStream: ({ part }) => {
          if (part.type === 'text-delta') throw new Error('broken')
          return part
        },
      },
      secret,
    )
    expect(result).toMatchObject({ text: '', finishReason: 'error', error: { code: 'processor-failed' } })
  })

  test('an object does not say what the text may not', async () => {
    const config = { outputSchema: z.object({ a: z.string() }) }
    const hide: Omit<Processor, 'id'> = {
      processOutputStream: ({ part }) => (part.type === 'text-delta' ? { ...part, delta: '{}' } : part),
    }
    const { result } = await relaying(hide, { text: '{"a":"secret"}' }, config)
    expect(result.text).toBe('{}')
    expect(result.object).toBeUndefined()
  })
})

describe('B1.1 the object and the text of a processed answer agree', () => {
  const schema = z.object({ a: z.string() })
  async function answered(returned: string) {
    const outputProcessors: Processor[] = [{ id: 'p', processOutputResult: () => returned }]
    const agent = new Agent({ id: 'a', model: scriptedModel([{ text: '{"a":"secret"}' }]), outputProcessors })
    return agent.generate('x', { structuredOutput: { schema } })
  }

  test('an answer in its place that fits has the object of its own', async () => {
    expect(await answered('{"a":"***"}')).toMatchObject({ text: '{"a":"***"}', object: { a: '***' } })
  })

  test.each(['redacted', '{"b":1}'])(
    'B2.5 %s in its place does not fit: the run is no success, nor is a delegation',
    async (text) => {
      await expect(answered(text)).rejects.toMatchObject({ code: 'answer-invalid' })
      const outputProcessors: Processor[] = [{ id: 'p', processOutputResult: () => text }]
      const models = scriptedModels({
        a: [{ calls: [{ name: 'child', args: { prompt: 'find' } }] }, { text: 'done' }],
        'a/child': [{ text: '{"a":"secret"}' }],
      })
      const child = new Agent({ id: 'c', description: 'd', outputSchema: schema, outputProcessors })
      const { toolResults } = await new Agent({ id: 'a', agents: { child } }).generate('x', {
        resolveModel: models.resolveModel,
      })
      expect(toolResults[0]?.result).toMatchObject({
        status: 'failed',
        error: { code: 'answer-invalid' },
      })
    },
  )

  test('one that leaves the text as it is leaves the object', async () => {
    expect((await answered('{"a":"secret"}')).object).toEqual({ a: 'secret' })
  })
})
