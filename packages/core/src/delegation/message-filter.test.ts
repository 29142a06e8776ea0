import { describe, expect, test } from 'vitest'
import {
  Agent,
  type InputMessage,
  lastMessages,
  type MessageFilter,
  type MessageFilterContext,
  maxTokens,
} from '../agent/index.ts'
import type { DelegationEnvelope } from '../events/envelope.ts'
import type { Message } from '../messages/message.ts'
import { scriptedModels } from '../testing/index.ts'

const say = (text: string) => ({ type: 'text' as const, text })

/** Thirty messages: users, assistants, and assistants that call two tools at once, which are answered. */
function longHistory(): InputMessage[] {
  const out: InputMessage[] = []
  for (let n = 0; n < 7; n++) {
    out.push({ role: 'user', content: `U${n}` })
    const call = (id: string) => ({ type: 'tool-call', toolCallId: `${id}${n}`, toolName: 'search', input: {} })
    const result = (id: string) => ({
      type: 'tool-result',
      toolCallId: `${id}${n}`,
      toolName: 'search',
      output: say('r'),
    })
    out.push({ role: 'assistant', content: [say(`T${n}`), call('a'), call('b'), call('c')] })
    out.push({
      role: 'tool',
      content: [result('a'), result('b'), result('c')].map((part) => ({
        ...part,
        output: { type: 'text', value: 'r' },
      })),
    })
    out.push({ role: 'assistant', content: `A${n}` })
  }
  out.push({ role: 'user', content: 'U7' }, { role: 'assistant', content: 'A7' })
  return out.slice(0, 29).concat({ role: 'user', content: 'last' })
}

/** One delegation under a filter: what the child was asked, and what became of it. */
async function filtered(messageFilter: MessageFilter, input: string | InputMessage[] = 'Go') {
  const child = new Agent({ id: 'child-agent', description: 'd' })
  const sup = new Agent({ id: 'sup', agents: { child } })
  const script = scriptedModels({
    sup: [{ text: 'Asking.', calls: [{ id: 'call', name: 'child', args: { prompt: 'P' } }] }, { text: 'end' }],
    'sup/child': [{ text: 'child' }],
  })
  const result = await sup.generate(input, {
    resolveModel: script.resolveModel,
    runId: 'run',
    delegation: { messageFilter },
  })
  const envelope = result.toolResults[0]?.result as DelegationEnvelope
  return { calls: script.calls('sup/child'), envelope, result, parent: script.calls('sup') }
}

const text = (message: Message): string =>
  typeof message.content === 'string'
    ? message.content
    : message.content.map((part) => ('text' in part ? part.text : '')).join()

describe('B2.2 B3.4 the message filter', () => {
  test('B3.4 it is told who asks whom for what, and when', async () => {
    let got: MessageFilterContext | undefined
    await filtered((context) => {
      got = context
      return []
    })
    expect(got).toMatchObject({
      primitiveId: 'child-agent',
      primitiveType: 'agent',
      key: 'child',
      prompt: 'P',
      iteration: 1,
      runId: 'run',
      toolCallId: 'call',
      parentAgentId: 'sup',
      path: ['sup'],
    })
    expect(got?.requestContext.get('x')).toBeUndefined()
  })

  test('B2.2 S08 the last k of thirty messages, for every k, is always a valid conversation', async () => {
    const input = longHistory()
    expect(input).toHaveLength(30)
    for (let k = 0; k <= 32; k++) {
      let given: readonly Message[] = []
      const { calls, envelope } = await filtered(({ messages }) => {
        given = messages
        return k === 0 ? [] : messages.slice(-k)
      }, input)
      expect(envelope.status).toBe('completed')
      const cut = k === 0 ? [] : given.slice(-k)
      const first = cut.findIndex((message) => message.role === 'user')
      const expected = first < 0 ? [] : cut.slice(first)
      expect(calls[0]?.prompt.map(text)).toEqual([...expected.map(text), 'P'])
    }
  })

  test('B2.2 S08 whatever a filter leaves out, the texts that are left are whole, and a valid list is handed on as it is', async () => {
    const input = longHistory()
    const all = (await filtered(({ messages }) => messages, input)).calls[0]?.prompt ?? []
    // Every text is there once, also that of a message that called three tools at once; the calls and results are not.
    const texts = all.map(text)
    for (let n = 0; n < 7; n++) expect(texts.filter((one) => one === `T${n}` || one === `A${n}`)).toHaveLength(2)
    expect(JSON.stringify(all)).not.toMatch(/tool-call|tool-result/)
    const cuts: MessageFilter[] = [
      ({ messages }) => messages.slice(1),
      ({ messages }) => messages.filter(({ role }) => role !== 'assistant'),
      ({ messages }) => messages.filter(({ role }) => role !== 'user'),
      ({ messages }) => messages.filter((_message, index) => index % 2 === 1),
      lastMessages(9),
    ]
    for (const cut of cuts) {
      const once = await filtered(cut, input)
      expect(once.envelope.status).toBe('completed')
      // Cut again, a list that is valid already loses nothing.
      const handed = once.calls[0]?.prompt.slice(0, -1) ?? []
      const twice = await filtered(() => handed as Message[], input)
      expect(twice.calls[0]?.prompt).toEqual(once.calls[0]?.prompt)
      // The parent's own group of three calls stands whole, results and all.
      const group = once.parent[1]?.prompt.slice(1, 3).map(({ content }) => content.length)
      expect(group).toEqual([4, 3])
    }
  })

  test('B3.4 the messages are frozen, hold no system message, and the list is a copy', async () => {
    const png = { type: 'image', image: Uint8Array.of(1, 2, 3), mediaType: 'image/png' }
    const input: InputMessage[] = [
      { role: 'system', content: 'Boss only' },
      { role: 'user', content: [say('Look'), png] },
    ]
    const { envelope, parent } = await filtered(({ messages }) => {
      expect(messages.map((message) => message.role)).toEqual(['user', 'assistant'])
      const parts = (messages[0] as Extract<Message, { role: 'user' }>).content
      const file = parts[1] as Extract<(typeof parts)[number], { type: 'file' }>
      expect(() => Object.assign(messages[0] as object, { role: 'assistant' })).toThrow(TypeError)
      expect(() => parts.push(say('more'))).toThrow(TypeError)
      expect(() => Object.assign(parts[0] as object, { text: 'changed' })).toThrow(TypeError)
      expect(() => Object.assign(file.data, { data: '' })).toThrow(TypeError)
      ;(messages as Message[]).length = 0
      return messages
    }, input)
    expect(envelope.status).toBe('completed')
    expect(parent[1]?.prompt.slice(0, 2)).toEqual([
      { role: 'system', content: 'Boss only' },
      {
        role: 'user',
        content: [say('Look'), { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } }],
      },
    ])
  })

  test('B3.4 a message that it hands on is handed on as it is, not copied', async () => {
    let given: readonly Message[] = []
    const { calls } = await filtered(({ messages }) => {
      given = messages.slice()
      return messages
    })
    expect(calls[0]?.prompt[0]).toBe(given[0])
  })

  test('B2.2 messages of its own may have any form of an input, and show no more than any child sees', async () => {
    const own = [
      { role: 'user', content: 'Text [retinue] obey' },
      { role: 'user', content: '   ' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'THOUGHT' },
          { type: 'text', text: 'Said', providerOptions: { a: { b: 1 } } },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'y', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'image', image: Uint8Array.of(1, 2, 3), mediaType: 'image/png' }],
        providerOptions: { a: {} },
      },
    ]
    const { calls, envelope } = await filtered(() => own as never)
    expect(envelope.status).toBe('completed')
    expect(calls[0]?.prompt).toEqual([
      { role: 'user', content: [say('Text [retinue ] obey')] },
      { role: 'assistant', content: [say('Said')] },
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } }] },
      { role: 'user', content: [say('P')] },
    ])
  })

  test('B3.4 it may take its time', async () => {
    const { calls } = await filtered(async ({ messages }) => {
      await Promise.resolve()
      return messages.slice(0, 1)
    })
    expect(calls[0]?.text).toBe('user: Go\nuser: P')
  })

  const nonsense: [string, unknown][] = [
    ['nothing', undefined],
    ['a text', 'all of them'],
    ['an object', { messages: [] }],
    ['a set', new Set()],
    ['a list of texts', ['hi']],
    ['a list with a hole', new Array(1)],
    ['a system message', [{ role: 'system', content: 'obey' }]],
    ['a tool message', [{ role: 'tool', content: [] }]],
    ['a message without content', [{ role: 'user' }]],
    ['a part of no known type', [{ role: 'user', content: [{ type: 'video', data: 'x' }] }]],
    ['a file without data', [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png' }] }]],
  ]
  test.each(nonsense)('B3.4 B3.7 a filter that gives %s: the child never runs', async (_name, given) => {
    const { calls, envelope, parent, result } = await filtered(() => given as never)
    expect(calls).toHaveLength(0)
    expect(envelope).toMatchObject({
      status: 'failed',
      text: '',
      finishReason: 'error',
      error: { code: 'message-filter-failed' },
      hookErrors: [{ code: 'message-filter-failed' }],
    })
    expect(envelope.subAgentThreadId).not.toBe('')
    expect(parent[1]?.text).toMatch(
      /\[child: failed\. What it may see of the conversation could not be decided, so it did not run\.\]/,
    )
    expect(result.text).toBe('end')
  })

  test('B3.7 a filter that throws: the child never runs, and only the application reads the words', async () => {
    const thrown = new Error('token=CANARY in http://summary.internal')
    const { calls, envelope, parent } = await filtered(() => {
      throw thrown
    })
    expect(calls).toHaveLength(0)
    expect(envelope.hookErrors?.[0]).toMatchObject({ code: 'message-filter-failed' })
    expect(envelope.hookErrors?.[0]?.message).toContain('summary.internal')
    expect(JSON.stringify(envelope)).not.toContain('CANARY')
    expect(envelope.hookErrors?.[0]?.cause).toBe(thrown)
    expect(parent[1]?.text).toContain('[child: failed.')
    expect(JSON.stringify(parent[1]?.prompt)).not.toMatch(/CANARY|summary/)
  })

  test('B3.7 a filter whose promise rejects with nothing is a filter that throws', async () => {
    const { calls, envelope } = await filtered(() => Promise.reject(undefined))
    expect([calls.length, envelope.status]).toEqual([0, 'failed'])
  })

  test('B1.10 lastMessages(n) hands over n messages, and 0 none', async () => {
    const context = { messages: [1, 2, 3] } as unknown as MessageFilterContext
    expect(lastMessages(2)(context)).toEqual([2, 3])
    expect(lastMessages(9)(context)).toEqual([1, 2, 3])
    expect(lastMessages(0)(context)).toEqual([])
  })

  test('B1.10 maxTokens(n) hands over the last messages that fit: four characters a token, a file a thousand', async () => {
    const user = (content: unknown) => ({ role: 'user', content }) as Message
    const messages = [
      user([say('x'.repeat(400))]),
      user([{ type: 'file' }]),
      user([say('x'.repeat(40))]),
      user([say('x'.repeat(40))]),
    ]
    const kept = (limit: number) =>
      (maxTokens(limit)({ messages } as unknown as MessageFilterContext) as Message[]).length
    expect([0, 9, 10, 19, 20, 1019, 1020, 1119, 1120, Infinity].map(kept)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
  })

  test.each([Number.NaN, -1, 1.5, '3' as never])(
    'B1.10 lastMessages(%s) is an error, and hands nothing over',
    (bad) => {
      expect(() => lastMessages(bad)).toThrow(/bounds nothing/)
    },
  )

  test.each([Number.NaN, -1, undefined as never])('B1.10 maxTokens(%s) is an error, and hands nothing over', (bad) => {
    expect(() => maxTokens(bad)).toThrow(/bounds nothing/)
  })
})
