import { tool as aiTool, jsonSchema } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import { RequestContext } from '../context/request-context.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { Chunk } from '../events/chunk.ts'
import { type ScriptedTurn, scriptedModel } from '../testing/index.ts'
import { createTool } from './create-tool.ts'
import type { Schema } from './schema.ts'
import type { Tool, ToolContext } from './tool.ts'

async function run(tools: Record<string, Tool>, turns: readonly ScriptedTurn[], options = {}) {
  const model = scriptedModel(turns)
  const result = await new Agent({ id: 'a', model, tools }).generate('go', options)
  model.assertDone()
  return { result, model, read: model.calls[1]?.prompt.at(-1) }
}

const once = (name: string, args: unknown = {}): ScriptedTurn[] => [{ calls: [{ name, args }] }, { text: 'done' }]

/** What the model reads of the first tool result. */
async function outputOf(tool: Tool, args: unknown = {}): Promise<unknown> {
  const { read } = await run({ t: tool }, once('t', args))
  const part = read?.role === 'tool' ? read.content[0] : undefined
  return part?.type === 'tool-result' ? part.output : undefined
}

const gives = (value: unknown, more: object = {}): Tool =>
  createTool({ id: 'gives', execute: () => value, ...more }) as Tool

function errorOf(make: () => unknown): { code?: string; message?: string } {
  try {
    make()
  } catch (error) {
    return isRetinueError(error)
      ? { code: error.code, message: error.message }
      : { message: `untyped ${String(error)}` }
  }
  return {}
}

test('B1.9 execute gets its input and a context with these names, at the top level and under agent', async () => {
  let context: ToolContext | undefined
  const tool = createTool({
    id: 'x',
    execute: (_input, given) => {
      context = given
      return 1
    },
  })
  const requestContext = new RequestContext([['tenant', 'acme']])
  const options = { requestContext, runId: 'run-1' }
  await run({ t: tool }, [{ calls: [{ id: 'call-1', name: 't', args: {} }] }, { text: 'done' }], options)
  expect(context).toMatchObject({ toolCallId: 'call-1', runId: 'run-1', path: ['a'], idempotencyKey: 'run-1:call-1' })
  expect(context?.requestContext.get('tenant')).toBe('acme')
  expect(context?.abortSignal).toBeInstanceOf(AbortSignal)
  expect(Object.keys(context?.agent ?? {})).toEqual(['suspend', 'resumeData', 'threadId', 'resourceId'])
  for (const name of Object.keys(context?.agent ?? {})) expect(context).toHaveProperty(name)
  expect(Object.keys(context?.writer ?? {})).toEqual(['write', 'custom'])
})

test('B1.9 suspend never returns, also where its body catches what it throws: the run waits', async () => {
  let after = false
  const tool = createTool({
    id: 'x',
    execute: (_input, { suspend, agent }) => {
      expect(suspend).toBe(agent.suspend)
      try {
        suspend({ why: 'ask' })
        after = true
      } catch {
        return 'as if nothing had happened'
      }
      return undefined
    },
  })
  const { result } = await run({ t: tool }, once('t').slice(0, 1))
  expect([after, result.finishReason, result.toolResults]).toEqual([false, 'suspended', []])
  expect(result.pendingCalls).toMatchObject([
    { toolName: 't', requiresApproval: false, suspendPayload: { why: 'ask' } },
  ])
})

test('B8.6 writer.write and writer.custom reach the stream with the path', async () => {
  const tool = createTool({
    id: 'x',
    execute: (_input, { writer }) => {
      writer.write({ half: true })
      writer.custom({ type: 'data-progress', data: 0.5 })
      writer.custom({ type: 'finish' as never })
    },
  })
  const agent = new Agent({ id: 'a', model: scriptedModel(once('t')), tools: { t: tool } })
  const stream = await agent.stream('go')
  const chunks: Chunk[] = []
  for await (const chunk of stream.fullStream) chunks.push(chunk)
  expect(chunks.find(({ type }) => type === 'tool-output')).toMatchObject({
    path: ['a'],
    payload: { output: { half: true }, toolName: 't' },
  })
  expect(chunks.find(({ type }) => type === 'data-progress')).toMatchObject({ path: ['a'], payload: { data: 0.5 } })
  expect(chunks.filter(({ type }) => type === 'finish')).toHaveLength(1)
  expect((await stream.toolResults)[0]?.error?.code).toBe('tool-invalid')
})

test('B1.9 without a schema a tool takes any object', async () => {
  const tool = createTool({ id: 'x', execute: (input) => input })
  const { result, model } = await run({ t: tool }, once('t', { any: [1, { deep: true }] }))
  expect(result.toolResults[0]?.result).toEqual({ any: [1, { deep: true }] })
  expect(model.calls[0]?.options.tools?.[0]).toMatchObject({
    inputSchema: { type: 'object', additionalProperties: true },
  })
})

test('B1.9 a tool without execute is the client’s: the run ends with tool-calls, and goes on from its result', async () => {
  const client = createTool({ id: 'ask', inputSchema: z.object({ question: z.string() }) })
  const server = createTool({ id: 's', execute: () => 'server did' })
  const model = scriptedModel([
    {
      text: 'Asking.',
      calls: [
        { id: 'c1', name: 'ask', args: { question: '?' } },
        { id: 'c2', name: 's', args: {} },
      ],
    },
  ])
  const { finishReason, response, toolCalls, toolResults } = await new Agent({
    id: 'a',
    model,
    tools: { ask: client, s: server },
  }).generate('go')
  expect([finishReason, toolCalls.length, toolResults.map(({ result }) => result)]).toEqual([
    'tool-calls',
    2,
    ['server did'],
  ])
  const answer = { type: 'tool-result', toolCallId: 'c1', toolName: 'ask', output: { type: 'text', value: 'yes' } }
  const next = scriptedModel([{ text: 'done' }])
  const again = new Agent({ id: 'a', model: next, tools: { ask: client, s: server } })
  const history = [{ role: 'user', content: 'go' }, ...response.messages, { role: 'tool', content: [answer] }]
  expect((await again.generate(history as never)).text).toBe('done')
  expect(next.calls[0]?.text).toContain('server did | yes')
})

test('B1.9 the client’s call is checked like any other', async () => {
  const client = createTool({ id: 'ask', inputSchema: z.object({ question: z.string() }) })
  const { result } = await run({ ask: client }, once('ask', { question: 5 }))
  expect(result.toolResults[0]?.error?.code).toBe('tool-arguments-invalid')
})

test('B1.9 the key of a tool is its name to the model, not its id', async () => {
  const { model } = await run({ my_key: createTool({ id: 'other id!', execute: () => 1 }) }, once('my_key'))
  expect(model.calls[0]?.tools).toEqual(['my_key'])
})

describe('B1.9 schemas', () => {
  const forms: Record<string, Schema> = {
    zod: z.object({ city: z.string().min(2), days: z.number().default(3) }),
    'JSON Schema': {
      type: 'object',
      properties: { city: { type: 'string', minLength: 2 }, days: { type: 'number' } },
      required: ['city'],
    },
    'the AI SDK’s jsonSchema()': jsonSchema({
      type: 'object',
      properties: { city: { type: 'string', minLength: 2 }, days: { type: 'number' } },
      required: ['city'],
    }) as unknown as Schema,
    'the AI SDK’s jsonSchema() with its own check': jsonSchema(
      { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      {
        validate: (value) =>
          String((value as { city?: unknown }).city).length >= 2
            ? { success: true, value: value as object }
            : { success: false, error: new Error('city is too short') },
      },
    ) as unknown as Schema,
  }
  for (const [form, inputSchema] of Object.entries(forms)) {
    test(form, async () => {
      const tool = createTool({ id: 'x', inputSchema, execute: (input) => input })
      const { result, model } = await run({ t: tool }, [
        {
          calls: [
            { name: 't', args: { city: 'x' } },
            { name: 't', args: { city: 'Oslo' } },
          ],
        },
        { text: 'done' },
      ])
      expect(result.toolResults[0]?.error?.code).toBe('tool-arguments-invalid')
      expect(result.toolResults[0]?.error?.message).toContain('city')
      expect(result.toolResults[1]?.result).toMatchObject({ city: 'Oslo' })
      expect(model.calls[0]?.options.tools?.[0]).toMatchObject({
        inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      })
    })
  }

  test('a Standard Schema with an asynchronous check', async () => {
    const inputSchema = z.object({ city: z.string().refine(async (city) => city === 'Oslo', 'no such city') })
    const tool = createTool({ id: 'x', inputSchema, execute: () => 'ok' })
    const { result } = await run({ t: tool }, [
      {
        calls: [
          { name: 't', args: { city: 'Atlantis' } },
          { name: 't', args: { city: 'Oslo' } },
        ],
      },
      { text: 'done' },
    ])
    expect(result.toolResults.map(({ error, result: value }) => error?.message ?? value)).toEqual([
      expect.stringContaining('city: no such city'),
      'ok',
    ])
  })
})

test('B1.9 S19 what JSON Schema can’t say is an error that names the tool and the field', () => {
  const unsayable: [z.ZodType, string][] = [
    [z.object({ at: z.date() }), 'at'],
    [z.object({ trip: z.object({ days: z.array(z.object({ at: z.date() })) }) }), 'trip.days.[].at'],
    [z.object({ n: z.bigint().optional() }), 'n'],
    [z.object({ m: z.map(z.string(), z.string()).nullable() }), 'm'],
    [z.object({ u: z.union([z.string(), z.date()]) }), 'u'],
    [z.object({ r: z.record(z.string(), z.date()) }), 'r'],
  ]
  for (const [inputSchema, field] of unsayable) {
    const { code, message } = errorOf(
      () => new Agent({ id: 'a', tools: { book: createTool({ id: 'b', inputSchema }) } }),
    )
    expect(code).toBe('schema-unsupported')
    expect(message).toContain('tool "book"')
    expect(message).toContain(`field "${field}"`)
  }
})

test('B1.9 S19 a schema whose root is no object is an error that names the tool', () => {
  const roots: unknown[] = [
    z.string(),
    z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })]),
    { type: 'string' },
    {},
    'string',
    5,
  ]
  for (const root of roots) {
    const tool = createTool({ id: 'b', inputSchema: root as never })
    const { code, message } = errorOf(() => new Agent({ id: 'a', tools: { book: tool as Tool } }))
    expect([code, message?.includes('"book"')]).toEqual(['schema-unsupported', true])
  }
})

/** A field of each kind: what the model is told, whether it must be sent, and values with what the tool gets of them. */
const field = z.object({ b: z.string().optional() })
const kinds: [string, z.ZodType, object, 'required' | 'optional', [sent: unknown, got: unknown][]][] = [
  ['a text', z.string(), { type: 'string' }, 'required', [['x', 'x']]],
  [
    'an optional one',
    z.string().optional(),
    { type: 'string' },
    'optional',
    [
      ['x', 'x'],
      [undefined, undefined],
    ],
  ],
  ['a nullable one', z.string().nullable(), { type: ['string', 'null'] }, 'required', [[null, null]]],
  [
    'a nullish one',
    z.string().nullish(),
    { type: ['string', 'null'] },
    'optional',
    [
      [null, null],
      [undefined, undefined],
    ],
  ],
  [
    'a default',
    z.number().default(3),
    { type: 'number', default: 3 },
    'optional',
    [
      [undefined, 3],
      [4, 4],
    ],
  ],
  ['an enum', z.enum(['x', 'y']), { type: 'string', enum: ['x', 'y'] }, 'required', [['y', 'y']]],
  [
    'a nullable enum',
    z.enum(['x']).nullable(),
    { anyOf: [{ type: 'string', enum: ['x'] }, { type: 'null' }] },
    'required',
    [[null, null]],
  ],
  [
    'a record',
    z.record(z.string(), z.number()),
    { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'number' } },
    'required',
    [[{ a: 1 }, { a: 1 }]],
  ],
  [
    'a tuple',
    z.tuple([z.string(), z.number()]),
    {
      type: 'array',
      items: [{ type: 'string' }, { type: 'number' }],
      additionalItems: false,
      minItems: 2,
      maxItems: 2,
    },
    'required',
    [
      [
        ['a', 1],
        ['a', 1],
      ],
    ],
  ],
  [
    'a union',
    z.union([z.string(), z.number()]),
    { type: ['string', 'number'] },
    'required',
    [
      ['a', 'a'],
      [1, 1],
    ],
  ],
  [
    'a discriminated union',
    z.discriminatedUnion('t', [z.object({ t: z.literal('a'), n: z.number() }), z.object({ t: z.literal('b') })]),
    {
      oneOf: [
        {
          type: 'object',
          properties: { t: { type: 'string', const: 'a' }, n: { type: 'number' } },
          required: ['t', 'n'],
        },
        { type: 'object', properties: { t: { type: 'string', const: 'b' } }, required: ['t'] },
      ],
    },
    'required',
    [[{ t: 'b' }, { t: 'b' }]],
  ],
  [
    'an object',
    field,
    { type: 'object', properties: { b: { type: 'string' } } },
    'required',
    [
      [{}, {}],
      [{ b: 'x' }, { b: 'x' }],
    ],
  ],
  ['a list', z.array(z.boolean()), { type: 'array', items: { type: 'boolean' } }, 'required', [[[true], [true]]]],
  ['a text that becomes a number', z.string().transform(Number), { type: 'string' }, 'required', [['5', 5]]],
]

test.each(kinds)(
  'B1.9 S19 %s keeps its exact type and its description, and its values come through',
  async (_kind, type, told, needed, values) => {
    const inputSchema = z.object({ f: type.describe('An f.') })
    const tool = createTool({ id: 'x', inputSchema, execute: (input) => input })
    const calls = values.map(([sent]) => ({ name: 't', args: sent === undefined ? {} : { f: sent } }))
    const { model, result } = await run({ t: tool }, [{ calls }, { text: 'done' }])
    expect(model.calls[0]?.options.tools).toEqual([
      {
        type: 'function',
        name: 't',
        inputSchema: {
          type: 'object',
          properties: { f: { ...told, description: 'An f.' } },
          ...(needed === 'required' ? { required: ['f'] } : {}),
        },
      },
    ])
    expect(result.toolResults.map(({ result: value, error }) => error ?? (value as { f?: unknown }).f)).toEqual(
      values.map(([, got]) => got),
    )
  },
)

test('B1.9 a result that does not fit the outputSchema is an error result; one that fits has its transforms', async () => {
  const outputSchema = z.object({ n: z.number(), at: z.date().optional() })
  const { result } = await run(
    { good: gives({ n: 1, extra: 2, at: new Date(0) }, { outputSchema }), bad: gives({ n: 'one' }, { outputSchema }) },
    [
      {
        calls: [
          { name: 'good', args: {} },
          { name: 'bad', args: {} },
        ],
      },
      { text: 'done' },
    ],
  )
  expect(result.toolResults[0]?.result).toEqual({ n: 1, at: new Date(0) })
  expect(result.toolResults[1]?.error).toMatchObject({
    code: 'tool-output-invalid',
    message: expect.stringContaining('n: '),
  })
})

test('B1.9 the model reads text as text and everything else as JSON', async () => {
  expect(await outputOf(gives('hello'))).toEqual({ type: 'text', value: 'hello' })
  expect(await outputOf(gives({ a: [1, null] }))).toEqual({ type: 'json', value: { a: [1, null] } })
  expect(await outputOf(gives(undefined))).toEqual({ type: 'json', value: null })
  expect(await outputOf(gives(false))).toEqual({ type: 'json', value: false })
  expect(await outputOf(gives(new Date(0)))).toEqual({ type: 'text', value: '1970-01-01T00:00:00.000Z' })
  expect(await outputOf(gives({ at: new Date(0), u: new URL('https://a.b/'), n: Number.NaN }))).toEqual({
    type: 'json',
    value: { at: '1970-01-01T00:00:00.000Z', u: 'https://a.b/', n: null },
  })
})

test('B1.9 a result that JSON can’t carry is an error result that says why, never an empty object', async () => {
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  let deep: unknown = 1
  for (let i = 0; i < 5000; i++) deep = [deep]
  const trap = {
    get secret(): never {
      throw new Error('trapped')
    },
  }
  const values = [
    1n,
    { n: 1n },
    circular,
    deep,
    trap,
    new Map([['a', 1]]),
    { m: new Set([1]) },
    () => 1,
    Symbol('s'),
    new Uint8Array(3),
    { b: Buffer.from('x') },
    new Error('x'),
    (async function* () {})(),
  ]
  for (const value of values) {
    const output = await outputOf(gives(value))
    expect(output, Object.prototype.toString.call(value)).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining("its result can't be told to a model"),
    })
  }
  // The application gets it all the same, when the tool says what the model reads.
  const { result, read } = await run({ t: gives(new Map([['a', 1]]), { toModelOutput: () => 'a map' }) }, once('t'))
  expect(result.toolResults[0]?.result).toEqual(new Map([['a', 1]]))
  expect(read?.content[0]).toMatchObject({ output: { type: 'text', value: 'a map' } })
})

test('B1.9 toModelOutput gives text, JSON, or the AI SDK’s own form', async () => {
  const shown = (toModelOutput: unknown) => outputOf(gives({ n: 1 }, { toModelOutput }))
  expect(await shown(({ n }: { n: number }) => `n is ${n}`)).toEqual({ type: 'text', value: 'n is 1' })
  expect(await shown(async () => ({ some: 'json' }))).toEqual({ type: 'json', value: { some: 'json' } })
  expect(await shown(() => ({ type: 'json', value: { a: 1 } }))).toEqual({ type: 'json', value: { a: 1 } })
  expect(await shown(() => ({ type: 'error-text', value: 'no' }))).toEqual({ type: 'error-text', value: 'no' })
  // A value that merely has a type is a value.
  for (const plain of [
    { type: 'invoice', value: 5 },
    { type: 'text', value: 5 },
    { type: 'content', value: 'x' },
    { type: 'json' },
  ])
    expect(await shown(() => plain)).toEqual({ type: 'json', value: plain })
  const media = [
    { type: 'text', text: 'a' },
    { type: 'media', data: new Uint8Array([1]), mediaType: 'image/png' },
  ]
  expect(await shown(() => ({ type: 'content', value: media }))).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'a' },
      { type: 'file', data: { type: 'data', data: 'AQ==' }, mediaType: 'image/png' },
    ],
  })
  expect(
    await shown(() => {
      throw new Error('no words')
    }),
  ).toMatchObject({ type: 'error-text', value: expect.stringContaining('no words') })
})

test('B1.9 a tool that a person has to approve never executes undecided', async () => {
  const ran: unknown[] = []
  const execute = (input: unknown): string => {
    ran.push(input)
    return 'ran'
  }
  const inputSchema = z.object({ amount: z.number() })
  const asks = (requireApproval: unknown): Tool =>
    createTool({ id: 'x', inputSchema, requireApproval: requireApproval as never, execute })
  const gated: Tool[] = [
    asks(true),
    asks(() => true),
    asks(async () => true),
    asks(({ amount }: { amount: number }) => amount > 3),
    asks('yes'),
    aiTool({ inputSchema, needsApproval: true, execute }) as unknown as Tool,
    aiTool({ inputSchema, needsApproval: async () => true, execute }) as unknown as Tool,
  ]
  for (const tool of gated) {
    const { result } = await run({ t: tool }, once('t', { amount: 5 }).slice(0, 1))
    expect(result).toMatchObject({ finishReason: 'suspended', pendingCalls: [{ args: { amount: 5 } }] })
  }
  const broken = asks(() => {
    throw new Error('cannot tell')
  })
  const { result } = await run({ t: broken }, once('t', { amount: 5 }))
  expect(result.toolResults[0]?.error?.code).toBe('tool-approval-failed')
  expect(ran).toEqual([])
  await run({ t: asks(({ amount }: { amount: number }) => amount > 5) }, once('t', { amount: 5 }))
  expect(ran).toEqual([{ amount: 5 }])
})

test('B1.9 a tool whose approval is being looked up when the run is aborted does not start', async () => {
  let ran = false
  const asked = Promise.withResolvers<void>()
  const decided = Promise.withResolvers<boolean>()
  const tool = createTool({
    id: 'x',
    requireApproval: () => {
      asked.resolve()
      return decided.promise
    },
    execute: () => {
      ran = true
    },
  })
  const stream = await new Agent({ id: 'a', model: scriptedModel(once('t').slice(0, 1)), tools: { t: tool } }).stream(
    'go',
  )
  await asked.promise
  stream.abort()
  expect((await stream.result).finishReason).toBe('aborted')
  decided.resolve(false)
  await new Promise((resolve) => setImmediate(resolve))
  expect(ran).toBe(false)
})

test('B1.9 createTool refuses what is no tool, and options that it does not know', () => {
  const wrong: unknown[] = [
    undefined,
    null,
    'x',
    [],
    {},
    { id: '' },
    { id: 5 },
    { id: 'x', execute: 'run' },
    { id: 'x', description: 5 },
    { id: 'x', inputschema: {} },
    { id: 'x', parameters: {} },
  ]
  for (const options of wrong) expect(errorOf(() => createTool(options as never)).code).toBe('tool-invalid')
  expect(errorOf(() => createTool({ id: 'x', parameters: {} } as never)).message).toContain('parameters')
})
