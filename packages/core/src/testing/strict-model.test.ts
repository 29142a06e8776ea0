import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { isRetinueError } from '../errors/index.ts'
import { assertStrict, promptProblems, scriptedModel, strictModel } from './index.ts'

type Prompt = LanguageModelV4CallOptions['prompt']
type Tools = NonNullable<LanguageModelV4CallOptions['tools']>

const user = (text = 'Hi') => ({ role: 'user', content: [{ type: 'text', text }] })
const system = (content = 'S') => ({ role: 'system', content })
const call = (toolCallId: string, more: object = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'tool',
  input: {},
  ...more,
})
const calls = (...parts: object[]) => ({ role: 'assistant', content: parts })
const result = (toolCallId: string) => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'tool',
  output: { type: 'text', value: 'r' },
})
const results = (...ids: string[]) => ({ role: 'tool', content: ids.map(result) })

describe('the strict model', () => {
  const good: [string, object[]][] = [
    ['one question', [user()]],
    ['leading system messages', [system(), system(), user()]],
    ['calls answered directly after, in any order', [user(), calls(call('a'), call('b')), results('b', 'a')]],
    ['users in a row', [user(), user(), calls({ type: 'text', text: 'x' }), user()]],
    ['a call that the provider ran', [user(), calls(call('a', { providerExecuted: true }), result('a')), user()]],
  ]
  test.each(good)('takes %s', (_name, prompt) => {
    expect(promptProblems(prompt as Prompt)).toEqual([])
  })

  const bad: [string, object[], RegExp][] = [
    ['nothing', [], /last message is neither/],
    [
      'a conversation that ends with the assistant',
      [user(), calls({ type: 'text', text: 'x' })],
      /last message is neither/,
    ],
    [
      'one that begins with the assistant',
      [calls({ type: 'text', text: 'x' }), user()],
      /does not begin with the user/,
    ],
    [
      'a system message after the leading ones',
      [user(), system(), user()],
      /system message stands after the leading ones/,
    ],
    ['an empty system message', [system(' '), user()], /Message 0 \(system\): it is empty/],
    ['an empty message', [{ role: 'user', content: [] }], /Message 0 \(user\): it is empty/],
    ['a blank text', [user(' \n')], /it has an empty text/],
    [
      'a call without its result',
      [user(), calls(call('a'), call('b')), results('a')],
      /call "b" is not answered directly after/,
    ],
    [
      'a result that comes late',
      [user(), calls(call('a')), user(), results('a')],
      /call "a" is not answered directly after/,
    ],
    ['a result without its call', [user(), results('a')], /result "a" has no call directly before/],
    ['two results of a call', [user(), calls(call('a')), results('a', 'a')], /call "a" is answered twice/],
    ['a doubled id in one message', [user(), calls(call('a'), call('a')), results('a')], /call id "a" occurs twice/],
    [
      'a doubled id in two',
      [user(), calls(call('a')), results('a'), calls(call('a')), results('a')],
      /call id "a" occurs twice/,
    ],
    ['a bad tool name', [user(), calls(call('a', { toolName: 'my tool' })), results('a')], /"my tool" is no tool name/],
    ['an input that is text', [user(), calls(call('a', { input: '{}' })), results('a')], /input of "a" is no object/],
  ]
  test.each(bad)('refuses %s', (_name, prompt, problem) => {
    expect(promptProblems(prompt as Prompt).join(' ')).toMatch(problem)
  })

  const tool = (name: string, inputSchema: object = { type: 'object' }) => ({ type: 'function', name, inputSchema })
  const badTools: [string, object[], RegExp][] = [
    ['a bad name', [tool('my tool')], /"my tool" is no tool name/],
    ['a name of 65 characters', [tool('x'.repeat(65))], /is no tool name/],
    ['two tools of one name', [tool('a'), tool('a')], /Two tools are called "a"/],
    ['a schema without an object at its root', [tool('a', { anyOf: [] })], /schema of "a" is no object at its root/],
  ]
  test.each(badTools)('refuses a tool list with %s', (_name, tools, problem) => {
    expect(() => assertStrict({ prompt: [user()] as Prompt, tools: tools as Tools })).toThrow(problem)
  })

  test('says everything that is wrong at once, and asks the model nothing', async () => {
    const inner = scriptedModel([{ text: 'x' }])
    const model = strictModel(inner)
    const options = { prompt: [user(' '), results('a')] as Prompt }
    for (const method of ['doStream', 'doGenerate'] as const) {
      const error: unknown = await Promise.resolve(model[method](options)).catch((thrown: unknown) => thrown)
      expect(isRetinueError(error, 'strict-model-refused')).toBe(true)
      expect((error as { data: { problems: string[] } }).data.problems).toHaveLength(2)
    }
    expect(inner.calls).toHaveLength(0)
    await model.doStream({ prompt: [user()] as Prompt })
    expect(inner.calls).toHaveLength(1)
  })
})
