import { describe, expect, test } from 'vitest'
import { promptProblems } from '../testing/strict-rules.ts'
import { type Message, userText } from './message.ts'
import { recalledConversation } from './recalled.ts'

const call = (...ids: string[]): Message => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: {} })),
})
const result = (...ids: string[]): Message => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'look',
    output: { type: 'text', value: `of ${toolCallId}` },
  })),
})
const told = (messages: readonly Message[]): string[] =>
  messages.map(({ role, content }) => {
    if (typeof content === 'string') return role
    const parts = content.map((part) => {
      if (part.type === 'tool-call') return part.toolCallId
      if (part.type !== 'tool-result') return ''
      const said = 'value' in part.output ? String(part.output.value) : ''
      return `${part.toolCallId}=${said.startsWith('of') ? said : 'unknown'}`
    })
    return `${role} ${parts.join()}`.trim()
  })

describe('B6.5 recalled history is valid, whatever was kept', () => {
  for (const [name, messages, expected] of [
    ['nothing of the person', [call('1'), result('1')], []],
    ['a beginning that was cut off', [result('1'), userText('q')], ['user']],
    ['a call without a result', [userText('q'), call('1')], ['user', 'assistant 1', 'tool 1=unknown']],
    ['a result without a call', [userText('q'), result('1')], ['user']],
    [
      'two runs at once, of two processes',
      [userText('q'), userText('r'), call('1'), call('2'), result('1'), result('2')],
      ['user', 'user', 'assistant 1', 'tool 1=of 1', 'assistant 2', 'tool 2=of 2'],
    ],
    [
      'a question between a call and its result',
      [userText('q'), call('1'), userText('r'), result('1')],
      ['user', 'assistant 1', 'tool 1=of 1', 'user'],
    ],
    [
      'two calls of one id, of two runs',
      [userText('q'), call('1'), result('1'), call('1'), result('1')],
      ['user', 'assistant 1', 'tool 1=of 1', 'assistant 1_2', 'tool 1_2=of 1'],
    ],
    [
      'two results of one call',
      [userText('q'), call('1'), result('1'), result('1')],
      ['user', 'assistant 1', 'tool 1=of 1'],
    ],
    [
      'some results of a step',
      [userText('q'), call('1', '2'), result('2')],
      ['user', 'assistant 1,2', 'tool 1=unknown,2=of 2'],
    ],
  ] as const) {
    test(name, () => {
      const conversation = recalledConversation(messages)
      expect(told(conversation)).toEqual(expected)
      expect(promptProblems([...conversation, userText('next')])).toEqual([])
    })
  }

  test('what is valid is left as it is', () => {
    const messages = [userText('q'), call('1'), result('1'), userText('r')]
    expect(recalledConversation(messages)).toEqual(messages)
    expect(recalledConversation(messages)[1]).toBe(messages[1])
  })
})
