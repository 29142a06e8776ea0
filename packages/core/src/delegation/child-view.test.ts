import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type InputMessage, type RunOptions } from '../agent/index.ts'
import { RequestContext } from '../context/index.ts'
import { type ScriptedTurn, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'

const search = createTool({
  id: 'search',
  description: 's',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `RESULT of ${q}`,
})

const ask = (name: string, prompt: string) => ({ name, args: { prompt } })

/** A supervisor with two children and a tool plays `turns`; what the model of `path` was asked. */
async function asked(
  turns: readonly ScriptedTurn[],
  input: string | InputMessage[],
  options: RunOptions = {},
  path = 'sup/one',
) {
  const one = new Agent({ id: 'one-agent', description: 'd', instructions: 'I am one.' })
  const two = new Agent({ id: 'two-agent', description: 'd' })
  const sup = new Agent({ id: 'sup', instructions: 'I am the boss.', agents: { one, two }, tools: { search } })
  const child = Array.from({ length: 40 }, () => ({ text: 'child' }))
  const script = scriptedModels({ sup: [...turns, { text: 'end' }], 'sup/one': child, 'sup/two': child })
  const result = await sup.generate(input, { ...options, resolveModel: script.resolveModel })
  return { calls: script.calls(path), result, script }
}

const say = (text: string) => ({ type: 'text', text })

describe('B2.2 what a child sees', () => {
  test('B2.2 its own instructions, the conversation, the delegation prompt, in this order', async () => {
    const { calls } = await asked(
      [{ text: 'I shall ask.', calls: [ask('one', 'Find it.')] }],
      [
        { role: 'system', content: 'Only for the boss.' },
        { role: 'user', content: 'First' },
        { role: 'assistant', content: 'Second' },
        { role: 'user', content: 'Third' },
      ],
    )
    expect(calls[0]?.prompt).toEqual([
      { role: 'system', content: 'I am one.' },
      { role: 'user', content: [say('First')] },
      { role: 'assistant', content: [say('Second')] },
      { role: 'user', content: [say('Third')] },
      // The text of the step in flight, without the call that is being answered.
      { role: 'assistant', content: [say('I shall ask.')] },
      { role: 'user', content: [say('Find it.')] },
    ])
  })

  test('B2.2 S07 two calls in one step after two rounds of tools: no call, no result, and the same for both', async () => {
    const turns = [
      { text: 'Looking.', calls: [{ name: 'search', args: { q: 'a' } }] },
      { calls: [{ name: 'search', args: { q: 'b' } }] },
      { text: 'Asking both.', calls: [ask('one', 'P1'), ask('two', 'P2')] },
    ]
    const { calls, result, script } = await asked(turns, 'Go')
    const seen = 'user: Go\nassistant: Looking.\nassistant: Asking both.\nuser: '
    expect(calls[0]?.text).toBe(`system: I am one.\n${seen}P1`)
    expect(script.calls('sup/two')[0]?.text).toBe(`${seen}P2`)
    // The parent's own history has all of it, and delegating changed nothing of what it was.
    const prompts = script.calls('sup').map(({ prompt }) => prompt)
    for (const [index, prompt] of prompts.slice(1).entries())
      expect(prompt.slice(0, prompts[index]?.length)).toEqual(prompts[index])
    expect(result.response.messages.map((message) => message.role)).toEqual([
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
  })

  test('B2.2 no reasoning and no provider metadata', async () => {
    const meta = { providerMetadata: { acme: { signature: 'SIGNED' } } }
    const finish: LanguageModelV4StreamPart = {
      type: 'finish',
      finishReason: { unified: 'tool-calls', raw: 'x' },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never,
    }
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'reasoning-start', id: 'r', ...meta },
      { type: 'reasoning-delta', id: 'r', delta: 'THOUGHT' },
      { type: 'reasoning-end', id: 'r', ...meta },
      { type: 'text-start', id: 't', ...meta },
      { type: 'text-delta', id: 't', delta: 'Said.' },
      { type: 'text-end', id: 't', ...meta },
      { type: 'tool-call', toolCallId: 'c', toolName: 'one', input: '{"prompt":"P"}', ...meta },
      finish,
    ]
    const { calls, script } = await asked(
      [{ parts }],
      [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Hi', providerOptions: { acme: { cache: true } } }],
          providerOptions: { acme: { x: 1 } },
        },
        { role: 'assistant', content: [{ type: 'reasoning', text: 'OLD THOUGHT' }] },
        { role: 'assistant', content: [{ type: 'reasoning', text: 'OLD THOUGHT' }, say('Ho')] },
        { role: 'user', content: 'Go' },
      ],
    )
    expect(calls[0]?.prompt.slice(1)).toEqual([
      { role: 'user', content: [say('Hi')] },
      { role: 'assistant', content: [say('Ho')] },
      { role: 'user', content: [say('Go')] },
      { role: 'assistant', content: [say('Said.')] },
      { role: 'user', content: [say('P')] },
    ])
    // What the provider wants back is still in the parent's own history.
    expect(JSON.stringify(script.calls('sup')[1]?.prompt).match(/SIGNED/g)).toHaveLength(3)
  })

  test('B2.2 images and files come through byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n)
    const { calls } = await asked(
      [{ calls: [ask('one', 'P')] }],
      [
        {
          role: 'user',
          content: [
            { type: 'image', image: bytes, mediaType: 'image/png' },
            {
              type: 'file',
              data: new URL('https://example.com/a.pdf'),
              mediaType: 'application/pdf',
              filename: 'a.pdf',
            },
          ],
        },
      ],
    )
    const [, first] = calls[0]?.prompt ?? []
    expect(first).toEqual({
      role: 'user',
      content: [
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: Buffer.from(bytes).toString('base64') } },
        {
          type: 'file',
          mediaType: 'application/pdf',
          filename: 'a.pdf',
          data: { type: 'url', url: new URL('https://example.com/a.pdf') },
        },
      ],
    })
  })

  test('B2.2 a conversation that begins with an assistant is handed over from its first user message', async () => {
    const greeting = { role: 'assistant', content: 'Welcome!' } as const
    const one = new Agent({ id: 'one', description: 'd' })
    const script = scriptedModels({ 'sup/one': [{ text: 'ok' }], sup: [] })
    let call = 0
    // Not a strict model for the parent: whether it takes such a conversation is the provider's business.
    const lenient = {
      specificationVersion: 'v4' as const,
      provider: 'p',
      modelId: 'm',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('unused')),
      doStream: () =>
        scriptedModels({ x: call++ === 0 ? [{ calls: [ask('one', 'P')] }] : [{ text: 'e' }] })
          .at('x')
          .doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }),
    }
    const sup = new Agent({ id: 'sup', agents: { one } })
    await sup.generate([greeting, { role: 'user', content: 'Hi' }], {
      resolveModel: ({ path }) => (path.length === 1 ? lenient : script.at('sup/one')),
    })
    expect(script.calls('sup/one')[0]?.text).toBe('user: Hi\nuser: P')
  })

  test('B2.2 a grandchild sees the root’s conversation, its parent’s prompt and text, and its own prompt', async () => {
    const leaf = new Agent({
      id: 'leaf',
      description: 'd',
      instructions: ({ requestContext }) => `For ${requestContext.get('who')}.`,
    })
    const mid = new Agent({ id: 'mid', description: 'd', instructions: 'Mid.', agents: { leaf }, tools: { search } })
    const sup = new Agent({ id: 'sup', instructions: 'Boss.', agents: { mid } })
    const script = scriptedModels({
      sup: [{ text: 'S1', calls: [ask('mid', 'M')] }, { text: 'end' }],
      'sup/mid': [
        { text: 'M1', calls: [{ name: 'search', args: { q: 'x' } }] },
        { text: 'M2', calls: [ask('leaf', 'L')] },
        { text: 'mid' },
      ],
      'sup/mid/leaf': [{ text: 'leaf' }],
    })
    const requestContext = new RequestContext([['who', 'Ada']])
    await sup.generate('Go', { resolveModel: script.resolveModel, requestContext })
    script.assertDone()
    expect(script.calls('sup/mid/leaf')[0]?.text).toBe(
      'system: For Ada.\nuser: Go\nassistant: S1\nuser: M\nassistant: M1\nassistant: M2\nuser: L',
    )
  })

  test('B2.2 what a child said is not in what the next one sees, but the supervisor’s words are', async () => {
    const { calls } = await asked(
      [{ calls: [ask('one', 'P1')] }, { text: 'Once more.', calls: [ask('one', 'P2')] }],
      'Go',
    )
    expect(calls[1]?.text).toBe('system: I am one.\nuser: Go\nassistant: Once more.\nuser: P2')
  })

  test('B2.2 the note of a repair is a part of the conversation', async () => {
    const one = new Agent({ id: 'one', description: 'd' })
    const sup = new Agent({ id: 'sup', agents: { one }, outputSchema: z.object({ n: z.number() }) })
    const script = scriptedModels({
      sup: [{ text: 'no json' }, { calls: [ask('one', 'P')] }, { text: '{"n":1}' }],
      'sup/one': [{ text: 'child' }],
    })
    await sup.generate('Go', { resolveModel: script.resolveModel })
    expect(script.calls('sup/one')[0]?.text).toMatch(/^user: Go\nassistant: no json\nuser: \[retinue\] .*\nuser: P$/)
  })

  test('B2.2 context: none hands over nothing but the prompt', async () => {
    let asks = 0
    const messageFilter = () => {
      asks++
      return []
    }
    const delegation = { context: 'none', messageFilter } as const
    const { calls } = await asked([{ text: 'x', calls: [ask('one', 'P')] }], 'Go', { delegation })
    expect(calls[0]?.text).toBe('system: I am one.\nuser: P')
    expect(asks).toBe(0)
  })
})

describe('B4.1 the request context', () => {
  test('B4.1 a child gets a shallow copy without identity; what it and its siblings set is seen nowhere else', async () => {
    const seen: Record<string, unknown>[] = []
    const shared = { list: ['x'] }
    const peek = createTool({
      id: 'peek',
      description: 'p',
      inputSchema: z.object({ who: z.string() }),
      execute: ({ who }, { requestContext }) => {
        seen.push({ who, ...Object.fromEntries(requestContext.entries()) })
        requestContext.set('tenant', who)
        requestContext.set('mark', who)
        ;(requestContext.get('shared') as typeof shared).list.push(who)
      },
    })
    const make = (id: string) => new Agent({ id, description: 'd', tools: { peek } })
    const sup = new Agent({ id: 'sup', agents: { a: make('a'), b: make('b') } })
    const turns = (who: string) => [{ calls: [{ name: 'peek', args: { who } }] }, { text: who }]
    const script = scriptedModels({
      sup: [{ calls: [ask('a', '1'), ask('b', '2')] }, { text: 'end' }],
      'sup/a': turns('a'),
      'sup/b': turns('b'),
    })
    const requestContext = new RequestContext([
      ['tenant', 'acme'],
      ['shared', shared],
      ['threadId', 't'],
      ['resourceId', 'r'],
      ['runId', 'x'],
      ['retinue.memory', 'm'],
      ['retinued', 'kept'],
    ])
    await sup.generate('Go', { resolveModel: script.resolveModel, requestContext })
    const copy = { tenant: 'acme', shared, retinued: 'kept' }
    expect(seen).toEqual([
      { who: 'a', ...copy },
      { who: 'b', ...copy },
    ])
    expect(requestContext.get('tenant')).toBe('acme')
    expect(requestContext.has('mark')).toBe(false)
    expect(requestContext.get('threadId')).toBe('t')
    // Shallow: the values are the same objects.
    expect(shared.list.toSorted()).toEqual(['a', 'b', 'x'])
  })

  test('B4.1 dynamic instructions, model and tools of a child read its copy, which a filter can set', async () => {
    const script = scriptedModels({ sup: [{ calls: [ask('one', 'P')] }, { text: 'e' }], 'sup/one': [{ text: 'ok' }] })
    const read: unknown[] = []
    const one = new Agent({
      id: 'one',
      description: 'd',
      instructions: ({ requestContext }) => `For ${requestContext.get('audience')}`,
      tools: ({ requestContext }) => (requestContext.get('audience') ? { search } : {}),
      model: ({ requestContext }) => {
        read.push(requestContext.get('audience'))
        return script.at('sup/one')
      },
    })
    const sup = new Agent({ id: 'sup', model: script.at('sup'), agents: { one } })
    const requestContext = new RequestContext()
    await sup.generate('Go', {
      requestContext,
      delegation: {
        messageFilter: (context) => {
          context.requestContext.set('audience', 'experts')
          return context.messages
        },
      },
    })
    const [call] = script.calls('sup/one')
    expect([read, call?.tools, call?.text]).toEqual([['experts'], ['search'], 'system: For experts\nuser: Go\nuser: P'])
    expect(requestContext.size).toBe(0)
  })
})
