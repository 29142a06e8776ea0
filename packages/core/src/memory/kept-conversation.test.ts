import { describe, expect, test } from 'vitest'
import { type AssistantMessage, type Message, type UserMessage, userText } from '../messages/message.ts'
import type { KeptMessage } from './agent-memory.ts'
import { KeptConversation, type KeptRun } from './kept-conversation.ts'

const answer = (text: string): AssistantMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })
const texts = (messages: readonly KeptMessage[]): string[] =>
  messages.map(
    ({ id, message }) =>
      `${id} ${(message as UserMessage).content.map((part) => (part.type === 'text' ? part.text : part.type)).join()}`,
  )

function conversation(run: Partial<KeptRun>, pending: readonly Message[], begunWith: number, already = 0) {
  const kept: KeptMessage[] = []
  let ended = 0
  const opened = {
    recalled: [],
    system: [],
    tools: {},
    append: async (messages: readonly KeptMessage[]) => void kept.push(...messages),
    ended: () => void ended++,
  }
  const whole = { token: 'r', delegated: false, readOnly: false, ...run }
  return { made: new KeptConversation(opened, whole, pending, begunWith, already), kept, ended: () => ended }
}

const [old, answered] = [userText('old'), answer('answered')]
const question = userText('question')

describe('B6.5 what is kept of a run', () => {
  test('each message once, numbered on from those that were kept at once', async () => {
    const { made, kept, ended } = conversation({}, [], 3, 1)
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
    const made = new KeptConversation(opened, { token: 'r', delegated: false, readOnly: false }, [question], 1, 0)
    await expect(made.keep([question])).rejects.toThrow('full')
    broken = false
    await made.keep([question])
    expect(texts(kept)).toEqual(['r/0 question'])
  })

  test('what was not kept at once is kept first, and once', async () => {
    const { made, kept } = conversation({}, [question], 3)
    await made.keep([old, answered, question])
    await made.keep([old, answered, question, answer('a')])
    expect(texts(kept)).toEqual(['r/0 question', 'r/1 a'])
  })

  test('of what processors made of the input, what is the run’s own; where nothing is left of it, what was said', async () => {
    const { made, kept } = conversation({}, [question], 3)
    made.replaceInput([userText('hidden')], 2)
    await made.keep([userText('summary'), userText('hidden')])
    expect(texts(kept)).toEqual(['r/0 hidden'])
    const whole = conversation({}, [question], 3)
    whole.made.replaceInput([], 1)
    await whole.made.keep([userText('summary')])
    expect(texts(whole.kept)).toEqual(['r/0 question'])
  })

  test('an input that was refused is not kept', async () => {
    const { made, kept, ended } = conversation({}, [question], 1)
    made.refuseInput()
    await made.end([question], '')
    expect([kept, ended()]).toEqual([[], 1])
  })

  test('B6.4 readOnly keeps nothing, and the memory is still told of the end', async () => {
    const { made, kept, ended } = conversation({ readOnly: true }, [question], 1)
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

  test('the prompt alone of what it was handed', async () => {
    const { made, kept } = conversation({ delegated: true }, [question], 3)
    await made.keep([userText('SECRET'), answer('SECRET'), question])
    await made.end([userText('SECRET'), answer('SECRET'), question, answer('a')], 'a')
    expect(texts(kept)).toEqual(['r/0 question', 'r/1 a'])
  })

  test('an answer without text and files is none', async () => {
    const { made, kept } = conversation({ delegated: true }, [], 1, 1)
    await made.end([question], '  ')
    expect(kept).toEqual([])
  })
})
