import { describe, expect, test } from 'vitest'
import { type AssistantMessage, type Message, type UserMessage, userText } from '../messages/message.ts'
import type { KeptMessage } from './agent-memory.ts'
import { KeptConversation, type KeptRun } from './kept-conversation.ts'

const answer = (text: string): AssistantMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })
const copy = (message: Message): Message => ({ ...message }) as Message
const texts = (messages: readonly KeptMessage[]): string[] =>
  messages.map(
    ({ id, message }) =>
      `${id} ${(message as UserMessage).content.map((part) => (part.type === 'text' ? part.text : part.type)).join()}`,
  )

function conversation(run: Partial<KeptRun>, given: readonly Message[], seen = 0, already = 0) {
  const kept: KeptMessage[] = []
  let ended = 0
  const opened = {
    recalled: [],
    system: [],
    tools: {},
    append: async (messages: readonly KeptMessage[]) => void kept.push(...messages),
    ended: () => void ended++,
  }
  const whole = { runId: 'r', delegated: false, readOnly: false, ...run }
  return { made: new KeptConversation(opened, whole, new Set(given), seen, already), kept, ended: () => ended }
}

const [old, answered] = [userText('old'), answer('answered')]
const question = userText('question')

describe('B6.5 what is kept of a run', () => {
  test('each message once, numbered on from those that were kept at once', async () => {
    const { made, kept, ended } = conversation({}, [old, answered], 3, 1)
    const messages = [old, answered, question]
    await made.keep(messages)
    messages.push(answer('a'))
    await made.keep(messages)
    await made.keep(messages)
    messages.push(userText('note'))
    await made.end(messages, 'a')
    expect(texts(kept)).toEqual(['r/1 a', 'r/2 note'])
    expect(ended()).toBe(1)
  })

  test('a conversation that could not be kept is kept the next time', async () => {
    const kept: KeptMessage[] = []
    let broken = true
    const append = async (messages: readonly KeptMessage[]) => {
      if (broken) throw new Error('full')
      kept.push(...messages)
    }
    const opened = { recalled: [], system: [], tools: {}, append, ended: () => {} }
    const made = new KeptConversation(opened, { runId: 'r', delegated: false, readOnly: false }, new Set(), 0, 0)
    await expect(made.keep([question])).rejects.toThrow('full')
    broken = false
    await made.keep([question])
    expect(texts(kept)).toEqual(['r/0 question'])
  })

  for (const [name, processed, expected] of [
    ['left as they are', [old, answered, question], ['r/0 question']],
    ['all made anew', [old, answered, question].map(copy), ['r/0 question']],
    ['all but the question made anew', [copy(old), copy(answered), question], ['r/0 question']],
    ['the oldest left out', [answered, question], ['r/0 question']],
    ['the oldest left out, the others made anew', [answered, question].map(copy), ['r/0 question']],
    ['one added after the question', [old, answered, question, userText('more')], ['r/0 question', 'r/1 more']],
    ['one made anew, one added', [copy(old), question, userText('more')], ['r/0 question', 'r/1 more']],
    ['the question replaced', [old, answered, userText('hidden')], ['r/0 hidden']],
    ['everything replaced by one', [userText('summary')], ['r/0 summary']],
  ] as const) {
    test(`after processors have seen the input: ${name}`, async () => {
      const { made, kept } = conversation({ own: [question] }, [old, answered])
      await made.keep(processed)
      expect(texts(kept)).toEqual(expected)
    })
  }

  test('B6.4 readOnly keeps nothing, and the memory is still told of the end', async () => {
    const { made, kept, ended } = conversation({ readOnly: true }, [])
    await made.keep([question])
    await made.end([question, answer('a')], 'a')
    expect(kept).toEqual([])
    expect(ended()).toBe(1)
  })
})

describe('B6.3 what is kept of a delegation', () => {
  test('the prompt and the answer, not the way that led there', async () => {
    const { made, kept } = conversation({ delegated: true }, [], 1, 1)
    const call: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'x', input: {} }],
    }
    await made.keep([question, answer('Let me see.'), call])
    await made.end([question, answer('Let me see.'), call, answer('done')], 'done')
    expect(texts(kept)).toEqual(['r/1 done'])
  })

  for (const own of [[question], undefined]) {
    test(`of a conversation that processors left of what it inherited, the prompt alone${own ? '' : ', the last'}`, async () => {
      const { made, kept } = conversation({ delegated: true, ...(own ? { own } : {}) }, [])
      await made.keep([userText('SECRET'), answer('SECRET'), question])
      await made.end([userText('SECRET'), answer('SECRET'), question, answer('a')], 'a')
      expect(texts(kept)).toEqual(['r/0 question', 'r/1 a'])
    })
  }

  test('an answer without text and files is none', async () => {
    const { made, kept } = conversation({ delegated: true }, [], 1, 1)
    await made.end([question], '  ')
    expect(kept).toEqual([])
  })
})
