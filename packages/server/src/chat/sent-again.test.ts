import type { RememberedMessage } from '@retinue/core/memory'
import { InMemoryStorage } from '@retinue/core/storage'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../../test-support/test-app.ts'
import { chatWith, lastParts } from '../../test-support/ui-chat.ts'

const said = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] })

async function send(t: TestApp, messages: object[], more: object = {}) {
  const answer = await t.post('/api/chat/sup', { id: 'chat-1', messages, ...more })
  const text = await answer.text()
  return { status: answer.status, runId: answer.headers.get('x-retinue-run-id'), text }
}

async function kept(t: TestApp): Promise<string[]> {
  const answer = await t.get('/api/threads/chat-1/messages?agentId=sup')
  const { messages } = (await answer.json()) as { messages: RememberedMessage[] }
  return messages.map(
    ({ role, content }) => `${role}: ${(content as Part[]).map(({ type, text }) => text ?? type).join('|')}`,
  )
}

interface Part {
  readonly type: string
  readonly text?: string
}

const add = { calls: [{ id: 'k1', name: 'add', args: { a: 1, b: 2 } }] }

test('S30 a message is said once also after a restart: the thread has its answer, and what came after it', async () => {
  for (const durable of [false, true]) {
    const storage = new InMemoryStorage()
    const before = testApp({ storage, durable, script: { sup: [add, { text: 'Three.' }, { text: 'Second.' }] } })
    const first = await send(before, [said('u1', 'Sum?')])
    await send(before, [said('u2', 'And?')])
    const lines = await kept(before)
    const t = testApp({ storage, durable })
    const again = await send(t, [said('u1', 'Sum?')])
    expect([again.status, again.runId, await kept(t)]).toEqual([200, first.runId, lines])
    // A page reads it as it read it the first time.
    const chat = chatWith(t, 'sup')
    await chat.sendMessage(said('u1', 'Sum?') as never)
    expect([chat.error, chat.messages.at(-1)?.id]).toEqual([undefined, first.runId])
    expect(lastParts(chat)).toMatchObject([
      { type: 'tool-add', output: 3 },
      { type: 'text', text: 'Three.' },
    ])
    expect(await kept(t)).toEqual(lines)
  }
})

test('S30 one that came to no answer is answered where nothing came after it, and else refused', async () => {
  const storage = new InMemoryStorage()
  const before = testApp({ storage, script: { sup: [new Error('no'), { text: 'Second.' }, add, new Error('no')] } })
  await send(before, [said('u1', 'One?')])
  await send(before, [said('u2', 'Two?')])
  await send(before, [said('u3', 'Three?')])
  for (const t of [before, testApp({ storage, script: { sup: [{ text: 'Third.' }] } })]) {
    const lines = await kept(t)
    const lost = await send(t, [said('u1', 'One?')])
    expect([lost.status, JSON.parse(lost.text).code, await kept(t)]).toEqual([400, 'request-invalid', lines])
    if (t === before) continue
    expect((await send(t, [said('u3', 'Three?')])).text).toContain('Third.')
    expect(await kept(t)).toEqual([
      'user: One?',
      'user: Two?',
      'assistant: Second.',
      'user: Three?',
      'assistant: Third.',
    ])
  }
})

test('B12.3 an edit that changes no word cuts the thread as the page did, once', async () => {
  const holds = Promise.withResolvers<void>()
  const t = testApp({
    script: { sup: [{ text: 'A.' }, { text: 'B.' }, { text: 'Anew.', after: holds.promise }, { text: 'D.' }] },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'One.' })
  await chat.sendMessage({ text: 'Two.' })
  const id = chat.messages[0]?.id as string
  const edit = chat.sendMessage({ text: 'One.', messageId: id })
  while (t.script.calls('sup').length < 3) await new Promise((resolve) => setImmediate(resolve))
  // A network sends it twice.
  const twice = send(t, [said(id, 'One.')], { messageId: id })
  holds.resolve()
  await edit
  expect((await twice).text).toContain('Anew.')
  expect([chat.error, await kept(t)]).toEqual([undefined, ['user: One.', 'assistant: Anew.']])
  expect((await send(t, [said(id, 'One.')], { messageId: id })).text).toContain('Anew.')
  await chat.sendMessage({ text: 'Three.' })
  expect(await kept(t)).toEqual(['user: One.', 'assistant: Anew.', 'user: Three.', 'assistant: D.'])
  expect(t.script.calls('sup').at(-1)?.text).not.toContain('Two.')
  t.script.assertDone()
})

test.each([
  ['no parts', []],
  ['an empty text', [{ type: 'text', text: '' }]],
  ['a text without one', [{ type: 'text' }]],
  ['a file without data', [{ type: 'file', mediaType: 'image/png' }]],
])('B12.3 an edit that is refused ends nothing: %s', async (_what, parts) => {
  const holds = Promise.withResolvers<void>()
  const t = testApp({ script: { sup: [{ text: 'A.', after: holds.promise }] } })
  const first = await t.post('/api/chat/sup', { id: 'chat-1', messages: [said('u1', 'One.')] })
  while (t.script.calls('sup').length < 1) await new Promise((resolve) => setImmediate(resolve))
  const refused = await send(t, [{ id: 'u1', role: 'user', parts }], { messageId: 'u1' })
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([400, expect.stringMatching(/-invalid$/)])
  holds.resolve()
  expect(await first.text()).toMatch(/A\.[\s\S]*\[DONE\]/)
  expect(await kept(t)).toEqual(['user: One.', 'assistant: A.'])
})

test('B12.3 a message whose id can’t be kept is refused, and one without an id is not answered anew', async () => {
  const t = testApp({ script: { sup: [{ text: 'A.' }] } })
  for (const id of ['u'.repeat(257), '', 7]) {
    const answer = await send(t, [{ ...said('x', 'One.'), id }], { trigger: 'regenerate-message' })
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, 'request-invalid'])
  }
  const { id: _, ...without } = said('x', 'One.')
  expect((await send(t, [without], { trigger: 'regenerate-message' })).status).toBe(400)
  expect((await t.get('/api/threads/chat-1/messages')).status).toBe(404)
  expect((await send(t, [without])).status).toBe(200)
})

test('B12.3 what is said by generate and stream is kept under its id, and can be said anew', async () => {
  const t = testApp({ script: { sup: [{ text: 'A.' }, { text: 'B.' }, { text: 'C.' }] } })
  for (const [way, id] of [
    ['generate', 'u1'],
    ['stream', 'u2'],
  ] as const)
    await (await t.post(`/api/agents/sup/${way}`, { messages: [said(id, `${id}?`)], threadId: 'chat-1' })).text()
  const before = await kept(t)
  const wrong = [said('u1', 'Something else.'), said('u'.repeat(257), 'One.')]
  for (const message of wrong) {
    const answer = await t.post('/api/agents/sup/generate', { messages: [message], threadId: 'chat-1' })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'request-invalid'])
  }
  expect(await kept(t)).toEqual(before)
  expect((await send(t, [said('u2', 'u2?')], { trigger: 'regenerate-message' })).text).toContain('C.')
  expect(await kept(t)).toEqual(['user: u1?', 'assistant: A.', 'user: u2?', 'assistant: C.'])
})
