import { describe, expect, test } from 'vitest'
import { chatRules } from '../../../test-support/chat-rules.ts'
import { geminiRules } from '../../../test-support/gemini-rules.ts'
import { messagesRules } from '../../../test-support/messages-rules.ts'
import { responsesRules } from '../../../test-support/responses-rules.ts'
import type { Json } from '../../../test-support/wire-json.ts'

// The rules prove nothing before they have refused what is wrong.

const schema = { type: 'object', properties: {} }

describe('chat completions', () => {
  const user = { role: 'user', content: 'Hi' }
  const call = (id: string, name = 'look', args = '{}') => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  })
  const asks = (...calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls })
  const tells = (id: string, content: unknown = 'seen') => ({ role: 'tool', tool_call_id: id, content })
  const tool = (name = 'look', parameters: object = schema) => ({ type: 'function', function: { name, parameters } })
  const problems = (messages: object[], rest: object = { tools: [tool()] }): string[] =>
    chatRules().problems({ model: 'm', stream: true, messages, ...rest })

  test('takes what is right', () => {
    expect(problems([{ role: 'system', content: 'Be.' }, user])).toEqual([])
    expect(problems([user, asks(call('1'), call('2')), tells('2'), tells('1')])).toEqual([])
  })

  test.each<[string, object[], object?]>([
    ['an open call', [user, asks(call('1'))]],
    ['a call that is answered too late', [user, asks(call('1')), user, tells('1')]],
    ['one of two answers', [user, asks(call('1'), call('2')), tells('1')]],
    ['two answers to one call', [user, asks(call('1')), tells('1'), tells('1')]],
    ['an answer without a call', [user, tells('1')]],
    ['an id that occurs twice', [user, asks(call('1')), tells('1'), asks(call('1')), tells('1')]],
    ['an illegal name', [user, asks(call('1', 'my tool')), tells('1')]],
    ['arguments that are cut off', [user, asks(call('1', 'look', '{"a":')), tells('1')]],
    ['arguments that are a list', [user, asks(call('1', 'look', '[]')), tells('1')]],
    ['the assistant at the end', [user, { role: 'assistant', content: 'Hello' }]],
    ['the assistant at the beginning', [{ role: 'assistant', content: 'Hello' }, user]],
    ['a late system message', [user, { role: 'system', content: 'Be.' }, user]],
    ['an empty text', [{ role: 'user', content: [{ type: 'text', text: ' ' }] }]],
    ['an empty answer', [user, { role: 'assistant', content: '' }, user]],
    ['an empty list of calls', [user, { role: 'assistant', content: 'a', tool_calls: [] }, user]],
    ['no message', []],
    ['a tool of another kind', [user], { tools: [tool('look', { anyOf: [] })] }],
    ['two tools of one name', [user], { tools: [tool(), tool()] }],
    ['an empty list of tools', [user], { tools: [] }],
  ])('refuses %s', (_name, messages, rest) => {
    expect(problems(messages, rest)).not.toEqual([])
  })
})

describe('messages', () => {
  const user = (...content: object[]) => ({ role: 'user', content })
  const assistant = (...content: object[]) => ({ role: 'assistant', content })
  const text = (said = 'Hi') => ({ type: 'text', text: said })
  const use = (id: string, name = 'look', input: unknown = {}) => ({ type: 'tool_use', id, name, input })
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'seen' })
  const thought = (signature = 's') => ({ type: 'thinking', thinking: 'hm', signature })
  const problems = (messages: object[], rest: object = {}): string[] =>
    messagesRules().problems({ model: 'm', max_tokens: 9, stream: true, messages, ...rest })

  test('takes what is right', () => {
    expect(problems([user(text())])).toEqual([])
    expect(
      problems([user(text()), assistant(thought(), use('1'), use('2')), user(result('1'), result('2'), text())]),
    ).toEqual([])
  })

  test.each<[string, object[], object?]>([
    ['an open call', [user(text()), assistant(use('1')), user(text())]],
    ['half of the results', [user(text()), assistant(use('1'), use('2')), user(result('1'))]],
    ['a result without a call', [user(result('1'))]],
    ['a result after a text', [user(text()), assistant(use('1')), user(text(), result('1'))]],
    ['two users in a row', [user(text()), user(text())]],
    ['the assistant at the end', [user(text()), assistant(text())]],
    ['the assistant at the beginning', [assistant(text()), user(text())]],
    ['an empty message', [user()]],
    ['an empty text', [user(text(''))]],
    ['an input that is a text', [user(text()), assistant(use('1', 'look', '{}')), user(result('1'))]],
    ['an illegal id', [user(text()), assistant(use('a b')), user(result('a b'))]],
    ['thinking without a signature', [user(text()), assistant(thought('')), user(text())]],
    ['thinking after a call', [user(text()), assistant(use('1'), thought()), user(result('1'))]],
    ['an empty instruction', [user(text())], { system: [text('')] }],
    ['no bound on the answer', [user(text())], { max_tokens: undefined }],
    ['five cache marks', [user(...Array.from({ length: 5 }, () => ({ ...text(), cache_control: {} })))]],
    ['a tool of another kind', [user(text())], { tools: [{ name: 'look', input_schema: { type: 'string' } }] }],
  ])('refuses %s', (_name, messages, rest) => {
    expect(problems(messages, rest)).not.toEqual([])
  })
})

describe('generateContent', () => {
  const user = (...parts: object[]) => ({ role: 'user', parts })
  const model = (...parts: object[]) => ({ role: 'model', parts })
  const text = (said = 'Hi') => ({ text: said })
  const call = (name: string, args: unknown = {}, id?: string) => ({ functionCall: { name, args, id } })
  const response = (name: string, id?: string) => ({ functionResponse: { name, response: { content: 1 }, id } })
  const problems = (contents: object[], rest: object = {}): string[] => geminiRules().problems({ contents, ...rest })

  test('takes what is right', () => {
    expect(problems([user(text())])).toEqual([])
    expect(problems([user(text()), model(text(), call('a'), call('b')), user(response('a'), response('b'))])).toEqual(
      [],
    )
  })

  test.each<[string, object[], object?]>([
    ['an open call', [user(text()), model(call('a')), user(text())]],
    ['half of the responses', [user(text()), model(call('a'), call('b')), user(response('a'))]],
    ['responses in another order', [user(text()), model(call('a'), call('b')), user(response('b'), response('a'))]],
    ['a response without a call', [user(text()), model(text()), user(response('a'))]],
    ['another call’s answer', [user(text()), model(call('a', {}, '1')), user(response('a', '2'))]],
    ['a text beside a response', [user(text()), model(call('a')), user(response('a'), text())]],
    ['the model at the end', [user(text()), model(text())]],
    ['the model at the beginning', [model(text()), user(text())]],
    ['a turn without parts', [user()]],
    ['an empty text', [user(text(' '))]],
    ['arguments that are a text', [user(text()), model(call('a', '{}')), user(response('a'))]],
    ['a name that begins with a digit', [user(text()), model(call('1a')), user(response('1a'))]],
    ['an empty instruction', [user(text())], { systemInstruction: { parts: [] } }],
    ['a tool without a schema', [user(text())], { tools: [{ functionDeclarations: [{ name: 'a' }] }] }],
  ])('refuses %s', (_name, contents, rest) => {
    expect(problems(contents, rest)).not.toEqual([])
  })
})

describe('responses', () => {
  const user = { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }
  const call = (id: string, rest: object = {}) => ({
    type: 'function_call',
    call_id: id,
    name: 'look',
    arguments: '{}',
    ...rest,
  })
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'seen' })
  const reference = (id: string) => ({ type: 'item_reference', id })
  const reasoning = (id: string) => ({ type: 'reasoning', id, summary: [] })
  const done = (item: Json): string => `data: ${JSON.stringify({ type: 'response.output_item.done', item })}\n\n`
  const made = [
    { type: 'reasoning', id: 'rs_1' },
    { type: 'function_call', id: 'fc_1', call_id: '1' },
    { type: 'message', id: 'msg_1' },
  ]
  const problems = (input: object[], rest: object = {}): string[] => {
    const rules = responsesRules()
    rules.answered(made.map(done).join(''))
    return rules.problems({ model: 'm', stream: true, input, ...rest })
  }

  test('takes what is right', () => {
    expect(problems([{ role: 'developer', content: 'Be.' }, user])).toEqual([])
    expect(problems([user, call('1'), call('2'), output('1'), output('2')])).toEqual([])
    expect(problems([user, reference('rs_1'), reference('fc_1'), output('1')])).toEqual([])
    expect(problems([user, reasoning('rs_1'), call('1', { id: 'fc_1' }), output('1'), user])).toEqual([])
  })

  test.each<[string, object[], object?]>([
    ['an open call', [user, call('1')]],
    ['a call that is answered too late', [user, call('1'), user, output('1')]],
    ['an output without a call', [user, output('1')]],
    ['two outputs of one call', [user, call('1'), output('1'), output('1')]],
    ['an id that occurs twice', [user, call('1'), output('1'), call('1'), output('1')]],
    ['arguments that are cut off', [user, call('1', { arguments: '{"a' }), output('1')]],
    ['a reference to nothing', [user, reference('fc_9'), user]],
    ['a call without the reasoning that led to it', [user, reference('fc_1'), output('1')]],
    ['a message without the reasoning that led to it', [user, reference('msg_1'), user]],
    ['reasoning that leads to nothing', [user, reasoning('rs_1'), user]],
    ['the assistant at the end', [user, { role: 'assistant', content: 'Hello' }]],
    ['the assistant at the beginning', [{ role: 'assistant', content: 'Hello' }, user]],
    ['a late instruction', [user, { role: 'developer', content: 'Be.' }, user]],
    ['an empty text', [{ role: 'user', content: [{ type: 'input_text', text: '' }] }]],
    ['an illegal tool', [user], { tools: [{ type: 'function', name: 'a b', parameters: schema }] }],
  ])('refuses %s', (_name, input, rest) => {
    expect(problems(input, rest)).not.toEqual([])
  })
})
