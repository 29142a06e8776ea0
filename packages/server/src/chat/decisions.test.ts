import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../../test-support/test-app.ts'
import { chatWith, lastParts } from '../../test-support/ui-chat.ts'

const said = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] })
const both = {
  calls: [
    { id: 'k1', name: 'pay_bill', args: { euros: 1 } },
    { id: 'k2', name: 'pay_bill', args: { euros: 2 } },
  ],
}

async function decide(t: TestApp, body: object, messages: object[] = [said('u1', 'Pay.')]) {
  const answer = await t.post('/api/chat/sup', { id: 'chat-1', messages, ...body })
  const text = await answer.text()
  return { status: answer.status, text, code: text.startsWith('{') ? JSON.parse(text).code : undefined }
}

const statuses = async (t: TestApp) => (await t.storage.approvals.list({})).items.map(({ status }) => status)

test('B7.1 a decision of which any can’t be taken is refused whole, with what is wrong, before anything runs', async () => {
  const ask = { calls: [...both.calls, { id: 'a1', name: 'ask', args: {} }] }
  const t = testApp({ script: { sup: [ask] } })
  await decide(t, {})
  const first = { toolCallId: 'k1', approved: true }
  const wrong: [object, string][] = [
    [{ approvals: [first, { toolCallId: 'nope', approved: true }] }, 'approval-not-found'],
    [{ approvals: [first, { toolCallId: 'k2', approved: true, args: { euros: 'many' } }] }, 'decision-invalid'],
    [{ approvals: [first, { toolCallId: 'a1', approved: true }] }, 'decision-invalid'],
    [{ approvals: [first], answers: [{ toolCallId: 'k2', data: 1 }] }, 'decision-invalid'],
  ]
  for (const [body, code] of wrong) {
    const { status, code: told } = await decide(t, body)
    expect([told, status >= 400 && status < 500]).toEqual([code, true])
  }
  expect([t.paid, await statuses(t)]).toEqual([[], ['pending', 'pending', 'pending']])
})

test('B7.1 arguments of a subagent’s call are looked at before, too; and calls of two runs are decided apart', async () => {
  const t = testApp({
    script: {
      sup: [{ calls: [{ id: 'c1', name: 'clerk', args: { prompt: 'Pay.' } }] }, both],
      'sup/clerk': [{ calls: [{ id: 'p1', name: 'pay', args: { euros: 5 } }] }],
    },
  })
  await decide(t, {})
  await decide(t, {}, [said('u2', 'More.')])
  const last = [said('u2', 'More.')]
  const args = await decide(t, { approvals: [{ toolCallId: 'p1', approved: true, args: { euros: [] } }] }, last)
  expect([args.status, args.code]).toEqual([400, 'decision-invalid'])
  const approvals = ['p1', 'k1'].map((toolCallId) => ({ toolCallId, approved: true }))
  const two = await decide(t, { approvals }, last)
  expect([two.status, two.code]).toEqual([400, 'request-invalid'])
  expect([t.paid, await statuses(t)]).toEqual([[], ['pending', 'pending', 'pending']])
})

test('B7.1 a decision that turns out not to be possible later is told in the stream, as an error', async () => {
  const t = testApp({ script: { sup: [both, { text: 'Paid.' }] } })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Pay.' })
  const { change } = t.storage.approvals
  t.storage.approvals.change = (given) =>
    given.toolCallId === 'k2' && given.to === 'approved'
      ? Promise.reject(new Error('postgres://admin:hunter2@db'))
      : change.call(t.storage.approvals, given)
  const approvals = ['k1', 'k2'].map((toolCallId) => ({ toolCallId, approved: true }))
  await chat.sendMessage(undefined, { body: { approvals } })
  expect(chat.error?.message).toMatch(/k2|failed/)
  expect(chat.error?.message).not.toContain('hunter2')
  expect(t.paid).toEqual([{ euros: 1 }])
  // What was decided before it went on, and what could not be taken waits.
  expect(lastParts(chat).map(({ state }) => state)).toEqual(['output-available', 'approval-requested'])
  t.storage.approvals.change = change
  await chat.sendMessage(undefined, { body: { approvals: approvals.slice(1) } })
  expect([chat.error, lastParts(chat).at(-1)?.['text']]).toEqual([undefined, 'Paid.'])
})

test('B7.1 what is said beside a decision is refused, and neither is lost', async () => {
  const t = testApp({ script: { sup: [{ calls: both.calls.slice(0, 1) }, { text: 'Paid.' }, { text: 'I hurry.' }] } })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Pay.' })
  const approvals = [{ toolCallId: 'k1', approved: true }]
  await chat.sendMessage({ text: 'And hurry.' }, { body: { approvals } })
  expect(chat.error?.message).toContain('request-invalid')
  expect([t.paid, await statuses(t)]).toEqual([[], ['pending']])
  chat.messages = chat.messages.slice(0, -1)
  await chat.sendMessage(undefined, { body: { approvals } })
  await chat.sendMessage({ text: 'And hurry.' })
  expect([chat.error, t.paid, lastParts(chat)]).toMatchObject([undefined, [{ euros: 1 }], [{ text: 'I hurry.' }]])
})

test('B7.1 a decision that stands in a message as it was taken is passed over, and one that stands otherwise is not', async () => {
  const t = testApp({ script: { sup: [both, { text: 'Paid.' }] } })
  await decide(t, {})
  await decide(t, { approvals: [{ toolCallId: 'k1', approved: true }] })
  const part = (toolCallId: string, approved: boolean) => ({
    ...{ type: 'tool-pay_bill', toolCallId, state: 'approval-responded', input: {} },
    approval: { id: toolCallId, approved },
  })
  const message = (...parts: object[]) => [said('u1', 'Pay.'), { role: 'assistant', parts }]
  const other = await decide(t, {}, message(part('k1', false), part('k2', true)))
  expect([other.status, other.code, t.paid.length]).toEqual([409, 'approval-decided', 1])
  expect((await decide(t, {}, message(part('k1', true), part('k2', true)))).text).toContain('Paid.')
  expect(t.paid).toHaveLength(2)
})
