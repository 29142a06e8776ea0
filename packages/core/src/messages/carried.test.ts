import { expect, test } from 'vitest'
import { carried } from './carried.ts'
import { type Message, userText } from './message.ts'

const [old, question] = [userText('old'), userText('question')]
const answered: Message = { role: 'assistant', content: [{ type: 'text', text: 'answered' }] }
const before = [old, answered, question]
const copy = <T extends Message>(message: T): T => ({ ...message })
const hidden = userText('hidden')
const note = userText('note')

const cases: [string, readonly Message[], number[]][] = [
  ['left as they are', [old, answered, question], [2]],
  ['all made anew', [copy(old), copy(answered), copy(question)], [2]],
  ['the oldest left out', [answered, question], [1]],
  ['the question made anew', [old, answered, hidden], [2]],
  ['one added after it', [old, answered, question, note], [2]],
  ['one added before, all made anew', [note, copy(old), copy(answered), copy(question)], [3]],
  ['only the question, made anew, and one added', [hidden, note], [1]],
  ['nothing left', [], []],
]

test.each(cases)('B6.5 what is still the run’s own after processors: %s', (_name, after, expected) => {
  const own = carried(before, after, new Set([question]))
  expect(after.flatMap((message, index) => (own.has(message) ? [index] : []))).toEqual(expected)
})
