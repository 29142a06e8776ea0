import type { Script } from '@retinue/core/testing'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../../test-support/test-app.ts'

function clientOf(t: TestApp, headers: Record<string, string> = {}): OpenAI {
  const send = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    t.server.fetch(new Request(input, init))
  return new OpenAI({
    baseURL: 'http://localhost/v1',
    apiKey: 'none',
    fetch: send as never,
    maxRetries: 0,
    defaultHeaders: headers,
  })
}

const sums = [
  { text: 'Let me see.', calls: [{ id: 'a1', name: 'add', args: { a: 2, b: 3 } }] },
  { text: ['It', ' is 5.'], usage: { input: 30, output: 7 } },
]

test('the openai client lists agents as models', async () => {
  const client = clientOf(testApp())
  const { data } = await client.models.list()
  expect(data.map(({ id }) => id)).toEqual(['sup', 'plain', 'lead', 'loner'])
  expect((await client.models.retrieve('plain')).owned_by).toBe('retinue')
  await expect(client.models.retrieve('none')).rejects.toMatchObject({ status: 404, code: 'agent-unknown' })
})

test('the openai client completes a chat: tools of the agent run on the server, and are not shown', async () => {
  const t = testApp({ script: { plain: sums } })
  const completion = await clientOf(t).chat.completions.create({
    model: 'plain',
    temperature: 0.5,
    max_completion_tokens: 100,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: '2 + 3?' }] },
    ],
  })
  expect(completion.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: 'Let me see.\n\nIt is 5.' },
  })
  expect(completion.choices[0]?.message.tool_calls).toBeUndefined()
  expect(completion.usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 })
  const [asked] = t.script.calls('plain')
  expect(asked?.options).toMatchObject({ temperature: 0.5, maxOutputTokens: 100 })
  // What a client writes as the system's is the client's word.
  expect(asked?.prompt.map(({ role }) => role)).toEqual(['user', 'user'])
})

test('the openai client streams a chat: the same text, a finish reason, and the usage if it is asked for', async () => {
  const t = testApp({ script: { plain: sums } })
  const stream = await clientOf(t).chat.completions.create({
    model: 'plain',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: '2 + 3?' }],
  })
  let text = ''
  const reasons: unknown[] = []
  let usage: unknown
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    if (chunk.choices[0]?.finish_reason) reasons.push(chunk.choices[0].finish_reason)
    if (chunk.usage) usage = chunk.usage
  }
  expect([text, reasons]).toEqual(['Let me see.\n\nIt is 5.', ['stop']])
  expect(usage).toMatchObject({ total_tokens: 52 })
})

test('the openai client’s own helper runs functions that are the client’s, beside the tools of the agent', async () => {
  for (const stream of [false, true]) {
    const t = testApp({
      script: {
        plain: [{ calls: [{ id: 'w1', name: 'weather', args: { city: 'Oslo' } }] }, { text: 'It snows in Oslo.' }],
      },
    })
    const asked: unknown[] = []
    const body = {
      model: 'plain',
      messages: [{ role: 'user' as const, content: 'Oslo?' }],
      tools: [
        {
          type: 'function' as const,
          function: {
            name: 'weather',
            description: 'The weather of a city.',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
            parse: JSON.parse,
            function: (args: unknown) => {
              asked.push(args)
              return 'snow'
            },
          },
        },
      ],
    }
    const client = clientOf(t)
    const runner = stream
      ? client.chat.completions.runTools({ ...body, stream: true } as never)
      : client.chat.completions.runTools(body as never)
    expect(await runner.finalContent()).toBe('It snows in Oslo.')
    expect(asked).toEqual([{ city: 'Oslo' }])
    expect(t.script.calls('plain')[1]?.text).toContain('snow')
    t.script.assertDone()
  }
})

test('the openai client is told in the finish reason that a call is its to run', async () => {
  for (const stream of [false, true]) {
    const t = testApp({ script: { plain: [{ calls: [{ id: 'l1', name: 'locate', args: {} }] }] } })
    const body = { model: 'plain', messages: [{ role: 'user' as const, content: 'Where am I?' }] }
    const client = clientOf(t)
    const completion = stream
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body)
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: stream ? '' : null,
        tool_calls: [{ id: 'l1', function: { name: 'locate', arguments: '{}' } }],
      },
    })
  }
})

test('R13 an openai client can’t give results of tools that the server runs', async () => {
  const t = testApp({ script: { plain: [{ text: 'ok' }] } })
  await clientOf(t).chat.completions.create({
    model: 'plain',
    messages: [
      { role: 'user', content: 'Pay.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'p1', type: 'function', function: { name: 'pay_bill', arguments: '{"euros":1}' } }],
      },
      { role: 'tool', tool_call_id: 'p1', content: 'paid' },
      { role: 'user', content: 'And?' },
    ],
  })
  const prompt = JSON.stringify(t.script.calls('plain')[0]?.prompt)
  expect(prompt).not.toContain('paid')
  expect(prompt).not.toContain('p1')
})

test('the openai client gets an answer in a schema', async () => {
  const t = testApp({ script: { plain: [{ text: '{"sum":5}' }] } })
  const completion = await clientOf(t).chat.completions.create({
    model: 'plain',
    messages: [{ role: 'user', content: '2 + 3?' }],
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'sum',
        schema: {
          type: 'object',
          properties: { sum: { type: 'number' } },
          required: ['sum'],
          additionalProperties: false,
        },
      },
    },
  })
  expect(completion.choices[0]?.message.content).toBe('{"sum":5}')
  expect(t.script.calls('plain')[0]?.options.responseFormat).toMatchObject({ type: 'json' })
})

test('the openai client responds, and goes on in the conversation of an answer', async () => {
  const t = testApp({ script: { sup: [{ text: 'Hello, Ada.' }, { text: 'Ada.' }, { text: 'Ada, still.' }] } })
  const client = clientOf(t)
  const first = await client.responses.create({ model: 'sup', input: 'I am Ada.' })
  expect([first.output_text, first.status]).toEqual(['Hello, Ada.', 'completed'])
  expect(first.usage).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 })
  const second = await client.responses.create({ model: 'sup', input: 'Who am I?', previous_response_id: first.id })
  expect(second.output_text).toBe('Ada.')
  expect(t.script.calls('sup')[1]?.text).toContain('I am Ada.')
  const conversation = second.conversation?.id ?? ''
  const third = await client.responses.create({ model: 'sup', input: 'And now?', conversation })
  expect(third.output_text).toBe('Ada, still.')
  expect(t.script.calls('sup')[2]?.text).toContain('Who am I?')
})

test('S29 the id of a response opens nobody else’s conversation', async () => {
  const t = testApp({ users: true, script: { sup: [{ text: 'Hello, Ada.' }] } })
  const first = await clientOf(t, { 'x-user': 'ada' }).responses.create({ model: 'sup', input: 'My secret.' })
  const mallory = clientOf(t, { 'x-user': 'mallory' })
  const again = mallory.responses.create({ model: 'sup', input: 'And?', previous_response_id: first.id })
  await expect(again).rejects.toMatchObject({ status: 404, code: 'thread-not-found' })
  expect(t.script.calls('sup')).toHaveLength(1)
})

test('the openai client streams a response, event by event as it expects them', async () => {
  const t = testApp({ script: { plain: sums } })
  const stream = clientOf(t).responses.stream({ model: 'plain', input: '2 + 3?' })
  const types: string[] = []
  // A reader that lags gets more text at once.
  for await (const { type } of stream) if (type !== types.at(-1)) types.push(type)
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  const { output_text: text, usage } = await stream.finalResponse()
  expect(text).toBe('Let me see.\n\nIt is 5.')
  expect(usage?.total_tokens).toBe(52)
})

test('the openai client gets calls that are its to run from a response, and answers them in the conversation', async () => {
  for (const isStreamed of [false, true]) {
    const t = testApp({ script: { sup: [{ calls: [{ id: 'l1', name: 'locate', args: {} }] }, { text: 'In Oslo.' }] } })
    const client = clientOf(t)
    const first = isStreamed
      ? await client.responses.stream({ model: 'sup', input: 'Where am I?' }).finalResponse()
      : await client.responses.create({ model: 'sup', input: 'Where am I?' })
    expect(first.output).toMatchObject([{ type: 'function_call', name: 'locate', call_id: 'l1', arguments: '{}' }])
    const answer = {
      model: 'sup',
      previous_response_id: first.id,
      input: [{ type: 'function_call_output' as const, call_id: 'l1', output: 'Oslo' }],
    }
    const second = isStreamed
      ? await client.responses.stream(answer).finalResponse()
      : await client.responses.create(answer)
    expect(second.output_text).toBe('In Oslo.')
    expect(t.script.calls('sup')[1]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ toolCallId: 'l1', toolName: 'locate', output: { type: 'text', value: 'Oslo' } }],
    })
    // Whoever repeats the call with its result is understood too.
    const repeated = [
      { type: 'function_call' as const, call_id: 'l1', name: 'locate', arguments: '{}' },
      ...answer.input,
    ]
    const again = client.responses.create({ ...answer, input: repeated })
    await expect(again).rejects.toMatchObject({ status: 400, code: 'request-invalid' })
  }
})

test('the openai client answers several calls of its own functions, each once', async () => {
  const tools = ['weather', 'clock'].map((name) => {
    return { type: 'function' as const, name, parameters: { type: 'object', properties: {} }, strict: false }
  })
  const output = (id: string, text: string) => ({ type: 'function_call_output' as const, call_id: id, output: text })
  const calls = [
    { id: 'w1', name: 'weather', args: {} },
    { id: 'c1', name: 'clock', args: {} },
  ]
  const t = testApp({
    script: { sup: [{ calls }, { text: 'Snow at noon.' }] },
  })
  const { responses } = clientOf(t)
  const first = await responses.create({ model: 'sup', input: 'Oslo?', tools })
  const ask = { model: 'sup', previous_response_id: first.id, tools }
  const refused = async (input: ReturnType<typeof output>[], more: object = {}): Promise<string> => {
    const thrown: unknown = await responses.create({ ...ask, input, ...more }).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ status: 400, code: 'request-invalid' })
    return String(thrown)
  }
  expect(await refused([output('w1', 'snow'), output('x9', '?')])).toContain('no call "x9"')
  expect(await refused([output('w1', 'snow'), output('w1', 'rain')])).toContain('"w1" has been answered')
  expect(await refused([output('w1', 'snow')], { tools: [] })).toContain('tool "weather"')
  const answered = await responses.create({ ...ask, input: [output('w1', 'snow'), output('c1', 'noon')] })
  expect(answered.output_text).toBe('Snow at noon.')
  expect(t.script.calls('sup')[1]?.prompt.at(-1)?.content).toMatchObject([
    { toolCallId: 'w1', output: { value: 'snow' } },
    { toolCallId: 'c1', output: { value: 'noon' } },
  ])
  expect(await refused([output('w1', 'rain')])).toContain('"w1" has been answered')
  // Of a conversation that the server does not have, nobody knows what a result answers.
  expect(await refused([output('w1', 'snow')], { previous_response_id: null })).toContain('comes without its call')
  expect(t.script.calls('sup')).toHaveLength(2)
})

test('the openai client is told that a call is further back than the agent’s memory recalls', async () => {
  const said = Array.from({ length: 8 }, () => ({ text: 'Yes.' }))
  const t = testApp({ script: { sup: [{ calls: [{ id: 'l1', name: 'locate', args: {} }] }, ...said] } })
  const { responses } = clientOf(t)
  const { id } = await responses.create({ model: 'sup', input: 'Where?' })
  for (const _turn of said) await responses.create({ model: 'sup', previous_response_id: id, input: 'And?' })
  const input = [{ type: 'function_call_output' as const, call_id: 'l1', output: 'Oslo' }]
  const late = responses.create({ model: 'sup', previous_response_id: id, input })
  await expect(late).rejects.toMatchObject({ status: 400, code: 'input-invalid' })
  await expect(late).rejects.toThrow('no call that is recalled')
})

test('R13 the openai client answers no call of a tool that the server runs, and none of another user’s', async () => {
  const calls = [
    { id: 'p1', name: 'pay_bill', args: { euros: 1 } },
    { id: 'l1', name: 'locate', args: {} },
  ]
  const t = testApp({ users: true, script: { sup: [{ calls }] } })
  const first = await clientOf(t, { 'x-user': 'ada' }).responses.create({ model: 'sup', input: 'Pay.' })
  const answer = (user: string, id: string) =>
    clientOf(t, { 'x-user': user }).responses.create({
      model: 'sup',
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: id, output: 'paid' }],
    })
  await expect(answer('ada', 'p1')).rejects.toMatchObject({ status: 400, code: 'request-invalid' })
  await expect(answer('mallory', 'l1')).rejects.toMatchObject({ status: 404, code: 'thread-not-found' })
  expect([t.script.calls('sup').length, t.paid]).toEqual([1, []])
})

test('an answer that waits for a person says so, and which run it is', async () => {
  const t = testApp({
    script: { plain: [{ calls: [{ id: 'p1', name: 'pay_bill', args: { euros: 1 } }] }, { text: 'Not paid.' }] },
  })
  const completion = await clientOf(t).chat.completions.create({
    model: 'plain',
    messages: [{ role: 'user', content: 'Pay.' }],
  })
  const runId = completion.id.replace('chatcmpl-', '')
  expect(completion.choices[0]?.message.content).toBe(`[This waits for a person to decide on pay_bill: run ${runId}.]`)
  expect(await (await t.post(`/api/runs/${runId}/decline`, {})).json()).toMatchObject({ text: 'Not paid.' })
})

test('the openai client is told what is wrong, before and in a stream', async () => {
  const t = testApp({ script: { plain: [new Error('secret of the database'), new Error('secret of the database')] } })
  const client = clientOf(t)
  const messages = [{ role: 'user' as const, content: 'Hi.' }]
  const unknown = client.chat.completions.create({ model: 'plain', messages, n: 2 })
  await expect(unknown).rejects.toMatchObject({ status: 400, code: 'request-invalid' })
  const failed = client.chat.completions.create({ model: 'plain', messages })
  await expect(failed).rejects.toMatchObject({ status: 502, code: 'model-call-failed' })
  await expect(failed).rejects.not.toThrow('secret')
  const stream = await client.chat.completions.create({ model: 'plain', messages, stream: true })
  const read = async (): Promise<void> => {
    for await (const _chunk of stream);
  }
  await expect(read()).rejects.toMatchObject({ code: 'model-call-failed' })
})

test('B12.3 the openai client sends its own history as the input of a response, and the agent has all of it', async () => {
  const call = { id: 'w1', name: 'weather', args: {} }
  const t = testApp({ script: { sup: [{ text: 'Ada.' }, { calls: [call] }, { text: 'It is sunny.' }] } })
  const { responses } = clientOf(t)
  await responses.create({
    model: 'sup',
    input: [
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello, Ada.' },
      { role: 'user', content: 'What is my name?' },
    ],
  })
  const asked = t.script.calls('sup')[0]?.text
  expect(asked).toContain('My name is Ada.')
  expect(asked).toContain('Hello, Ada.')
  const tools = [
    { type: 'function' as const, name: 'weather', parameters: { type: 'object', properties: {} }, strict: false },
  ]
  const first = await responses.create({ model: 'sup', input: 'Weather?', tools })
  const { output_text: text } = await responses.create({
    model: 'sup',
    tools,
    input: [
      { role: 'user', content: 'Weather?' },
      ...first.output,
      { type: 'function_call_output', call_id: 'w1', output: 'sunny' },
    ] as never,
  })
  expect(text).toBe('It is sunny.')
  expect(t.script.calls('sup')[2]?.text).toContain('sunny')
})

test('B12.3 the openai client that wants JSON gets JSON, whatever the agent says before', async () => {
  const turns = [
    { text: 'Let me see.', calls: [{ id: 'a1', name: 'add', args: { a: 2, b: 3 } }] },
    { text: '{"sum":5}' },
  ]
  const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
  const format = { type: 'json_schema' as const, name: 'sum', schema }
  const t = testApp({ script: { plain: [...turns, ...turns, ...turns, ...turns] } })
  const { chat, responses } = clientOf(t)
  const ask = {
    model: 'plain',
    messages: [{ role: 'user' as const, content: '2 + 3?' }],
    response_format: { type: 'json_schema' as const, json_schema: format },
  }
  const whole = await chat.completions.create(ask)
  expect(whole.choices[0]?.message.content).toBe('{"sum":5}')
  let streamed = ''
  for await (const chunk of await chat.completions.create({ ...ask, stream: true }))
    streamed += chunk.choices[0]?.delta.content ?? ''
  expect(streamed).toBe('{"sum":5}')
  const asked = { model: 'plain', input: '2 + 3?', text: { format } }
  expect((await responses.create(asked)).output_text).toBe('{"sum":5}')
  expect((await responses.stream(asked).finalResponse()).output_text).toBe('{"sum":5}')
})

test('B12.3 the openai client may send defaults that ask for nothing, and keep its tools from being called', async () => {
  const t = testApp({ script: { plain: [{ text: 'Sunny.' }] } })
  const { choices } = await clientOf(t).chat.completions.create({
    model: 'plain',
    frequency_penalty: 0,
    presence_penalty: 0,
    logit_bias: {},
    logprobs: false,
    tool_choice: 'none',
    tools: [{ type: 'function', function: { name: 'weather' } }],
    messages: [
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'w1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'w1', content: 'It is sunny.' },
    ],
  })
  expect(choices[0]?.message.content).toBe('Sunny.')
  const [asked] = t.script.calls('plain')
  expect(asked?.text).toContain('It is sunny.')
  expect(asked?.options.tools?.map(({ name }) => name)).not.toContain('weather')
})

test('B12.3 the openai client has one of its functions called, or the one that it names, beside the tools of the agent', async () => {
  const parameters = { type: 'object', properties: {} }
  const named = ['weather', 'clock'].map((name) => ({ name, description: null, parameters })) as never[]
  const inChat = named.map((each) => ({ type: 'function' as const, function: each }))
  const inResponse = named.map((each: object) => ({ type: 'function', ...each })) as never[]
  const clock = { type: 'function', name: 'clock' } as const
  const messages = [{ role: 'user' as const, content: 'Now?' }]
  const called = { calls: [{ id: 'c1', name: 'clock', args: {} }] }
  const sum = { calls: [{ name: 'add', args: { a: 1, b: 2 } }] }
  const t = testApp({ script: { plain: [sum, called, called, sum, called, called] } })
  const { chat, responses } = clientOf(t)
  const choices = ['required', { type: 'function', function: { name: 'clock' } }] as const
  for (const tool_choice of choices) {
    const answer = await chat.completions.create({ model: 'plain', messages, tools: inChat, tool_choice })
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ function: { name: 'clock' } }] },
    })
  }
  for (const tool_choice of ['required', clock] as const) {
    const { output } = await responses.create({ model: 'plain', input: 'Now?', tools: inResponse, tool_choice })
    expect(output).toMatchObject([{ type: 'function_call', name: 'clock' }])
  }
  const required = { type: 'required' }
  const tool = { type: 'tool', toolName: 'clock' }
  const asked = t.script.calls('plain').map(({ options }) => options.toolChoice)
  expect(asked).toEqual([required, required, tool, required, required, tool])
  t.script.assertDone()
  const refused: [object, string][] = [
    [{ tool_choice: 'required' }, 'there are no tools'],
    [{ tool_choice: { type: 'function', function: { name: 'pay_bill' } }, tools: inChat }, '"pay_bill"'],
    [{ tool_choice: { type: 'allowed_tools', allowed_tools: {} }, tools: inChat }, '"allowed_tools" is not supported'],
    [{ tool_choice: 'any', tools: inChat }, '"any" is not supported'],
  ]
  for (const [body, words] of refused) {
    const thrown: unknown = await chat.completions.create({ model: 'plain', messages, ...body }).catch((error) => error)
    expect(thrown).toMatchObject({ status: 400, code: 'request-invalid' })
    expect(String(thrown)).toContain(words)
  }
})

test('B12.3 the openai client may send all that asks for nothing, and is told what is not supported', async () => {
  const t = testApp({ script: { plain: [{ text: 'Hi.' }, { text: 'Hi.' }, { text: 'Hi.' }] } })
  const { chat, responses } = clientOf(t)
  const ask = { model: 'plain', messages: [{ role: 'user' as const, content: 'Hi.' }] }
  const { choices } = await chat.completions.create({ ...ask, ...NOTHING, ...NOTHING_IN_CHAT } as never)
  expect(choices[0]?.message.content).toBe('Hi.')
  const preferred = { verbosity: 'low' as const, prediction: { type: 'content' as const, content: 'Hi.' } }
  await chat.completions.create({ ...ask, ...preferred, modalities: ['text'], reasoning_effort: 'low', tools: [] })
  const answer = await responses.create({ model: 'plain', input: 'Hi.', ...NOTHING, ...NOTHING_IN_RESPONSE } as never)
  expect(answer.output_text).toBe('Hi.')
  t.script.assertDone()
  for (const [name, value] of [
    ['modalities', ['text', 'audio']],
    ['audio', { voice: 'alloy' }],
    ['web_search_options', {}],
    ['top_logprobs', 2],
    ['functions', [{ name: 'weather' }]],
  ]) {
    const refused = chat.completions.create({ ...ask, [String(name)]: value })
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'request-invalid' })
    await expect(refused).rejects.toThrow(String(name))
  }
  const later = responses.create({ model: 'plain', input: 'Hi.', background: true })
  await expect(later).rejects.toMatchObject({ status: 400, code: 'request-invalid' })
})

/** What both protocols have, as clients send it that were not asked for any of it. */
const NOTHING = nulls(
  ['temperature', 'top_p', 'user', 'metadata', 'service_tier', 'parallel_tool_calls', 'safety_identifier', 'stream'],
  ['prompt_cache_key', 'prompt_cache_retention', 'moderation', 'top_logprobs', 'tool_choice', 'tools', 'store'],
)
const NOTHING_IN_CHAT = nulls(
  ['audio', 'frequency_penalty', 'function_call', 'functions', 'logit_bias', 'logprobs', 'max_completion_tokens', 'n'],
  ['max_tokens', 'modalities', 'prediction', 'presence_penalty', 'reasoning_effort', 'response_format', 'seed', 'stop'],
  ['stream_options', 'verbosity', 'web_search_options'],
)
const NOTHING_IN_RESPONSE = nulls(
  ['background', 'context_management', 'conversation', 'include', 'instructions', 'max_output_tokens', 'text'],
  ['max_tool_calls', 'previous_response_id', 'prompt', 'reasoning', 'stream_options', 'truncation'],
)

function nulls(...names: readonly (readonly string[])[]): Record<string, null> {
  return Object.fromEntries(names.flat().map((name) => [name, null]))
}

test('B12.3 the openai client is told that its tool is called like one of the agent', async () => {
  const t = testApp({ script: { plain: [{ text: 'never' }] } })
  const asked = clientOf(t).chat.completions.create({
    model: 'plain',
    tools: [{ type: 'function', function: { name: 'pay_bill' } }],
    messages: [{ role: 'user', content: 'Pay.' }],
  })
  await expect(asked).rejects.toMatchObject({ status: 400, code: 'request-invalid' })
  await expect(asked).rejects.toThrow('pay_bill')
})

test('B12.3 the openai client is told that its run was ended, and does not take it for an answer', async () => {
  const asked = { model: 'plain', messages: [{ role: 'user' as const, content: 'Hi.' }] }
  const reads: ((client: OpenAI) => Promise<unknown>)[] = [
    ({ chat }) => chat.completions.create(asked),
    async ({ chat }) => {
      for await (const _chunk of await chat.completions.create({ ...asked, stream: true }));
    },
    ({ responses }) => responses.create({ model: 'plain', input: 'Hi.' }),
  ]
  for (const read of reads) {
    const t = testApp({ script: { plain: [{ text: 'never', after: new Promise(() => {}) }] } })
    const reading = expect(read(clientOf(t))).rejects.toMatchObject({ code: 'run-aborted' })
    await cancelled(t)
    await reading
  }
})

test('B12.3 the stream of a response that the openai client reads ends as it knows it, however the run ended', async () => {
  const more = { type: 'function_call', name: 'locate' }
  const cases: [Script[string], object, string[]][] = [
    [[{ text: 'never', after: new Promise(() => {}) }], { status: 'failed', error: { code: 'server_error' } }, []],
    [[new Error('down')], { status: 'failed', error: { code: 'server_error' } }, []],
    [[{ text: 'Cut', finish: 'length' }], cut('max_output_tokens'), ['incomplete']],
    [[{ text: 'Cut', finish: 'content-filter' }], cut('content_filter'), ['incomplete']],
    [[{ text: 'All.', finish: 'other' }], { status: 'completed', error: null }, ['completed']],
    [[{ text: 'Where?', calls: [{ name: 'locate', args: {} }] }], { output: [{}, more] }, ['completed', 'completed']],
    [[{ calls: [{ name: 'pay_bill', args: { euros: 1 } }] }], { status: 'completed' }, ['completed']],
  ]
  for (const [turns, expected, items] of cases) {
    const t = testApp({ script: { plain: turns } })
    const stream = clientOf(t).responses.stream({ model: 'plain', input: 'Hi.' })
    const final = stream.finalResponse()
    if (items.length === 0 && !(turns?.[0] instanceof Error)) await cancelled(t)
    const response = await final
    expect(response).toMatchObject(expected)
    expect(response.output.map((item) => 'status' in item && item.status)).toEqual(items)
  }
})

function cut(reason: string): object {
  return { status: 'incomplete', incomplete_details: { reason } }
}

/** Ends the run that a test application has begun. */
async function cancelled(t: TestApp): Promise<void> {
  while (t.script.calls('plain').length === 0) await new Promise((resolve) => setImmediate(resolve))
  const { runs } = (await (await t.get('/api/runs')).json()) as { runs: { runId: string }[] }
  await t.post(`/api/runs/${runs[0]?.runId}/cancel`)
}
