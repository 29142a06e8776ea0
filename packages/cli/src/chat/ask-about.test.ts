import { expect, test } from 'vitest'
import { type Asker, askAbout, draftOf } from './ask-about.ts'

const call = {
  toolCallId: 'c',
  toolName: 'fell',
  path: ['lead', 'scout'],
  args: { tree: 'oak' },
  requiresApproval: true,
}
const question = { ...call, requiresApproval: false, suspendPayload: { question: 'Left?' } }

/** Answers in turn; undefined leaves a question. */
function asker(...answers: (string | undefined)[]) {
  const said: string[] = []
  const asked: [string, string | undefined][] = []
  const desk: Asker = {
    say: (text) => void said.push(text),
    ask: async (what, draft) => {
      asked.push([what, draft])
      if (answers.length === 0) throw new Error(`Nobody expected to be asked ${what}`)
      return answers.shift()
    },
  }
  return { desk, said, asked }
}

test.each([
  [['y'], { type: 'approve' }],
  [[' YES '], { type: 'approve' }],
  [['n', ''], { type: 'decline' }],
  [['n', 'too old'], { type: 'decline', reason: 'too old' }],
  [['e', '{"tree":"elm"}'], { type: 'approve', args: { tree: 'elm' } }],
  [[undefined], undefined],
  [['l'], undefined],
  // Who leaves the second question is asked the first again; what is no key decides nothing.
  [['n', undefined, 'e', undefined, '', 'yup', 'y'], { type: 'approve' }],
])('B7.1 a call is decided by %j', async (answers, verdict) => {
  const { desk, said } = asker(...answers)
  expect(await askAbout(call, desk)).toEqual(verdict)
  expect(said[0]).toBe('◇ lead › scout wants to run fell\n  tree: oak')
})

test('B7.2 arguments are edited from what they are; what is no JSON is said, and asked again', async () => {
  const { desk, said, asked } = asker('e', '{"tree":', '{"tree":"elm"}')
  expect(await askAbout(call, desk)).toEqual({ type: 'approve', args: { tree: 'elm' } })
  expect(asked.slice(1)).toEqual([
    ['arguments', '{"tree":"oak"}'],
    ['arguments', '{"tree":'],
  ])
  expect(said.at(-1)).toMatch(/^That is no JSON: /)
})

test.each([
  ['left', 'left'],
  ['{"way":1}', { way: 1 }],
  ['false', false],
  ['0', 0],
])('B7.1 a suspended tool is answered with JSON, or with a text: %s', async (typed, data) => {
  const { desk } = asker('', typed)
  expect(await askAbout(question, desk)).toEqual({ type: 'answer', data })
})

test('a draft says the same, and steers no terminal', () => {
  const args = { text: 'a\u001b[2J\u202eb\u{e0001}\nc' }
  const draft = draftOf(args)
  expect(draft).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(JSON.parse(draft)).toEqual(args)
})
