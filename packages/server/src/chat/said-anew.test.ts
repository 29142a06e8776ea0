import type { RememberedMessage } from '@retinue/core/memory'
import type { UIMessage } from 'ai'
import { expect, test, vi } from 'vitest'
import { type TestApp, testApp } from '../../test-support/test-app.ts'
import { chatWith, lastParts, settled } from '../../test-support/ui-chat.ts'

type Chat = ReturnType<typeof chatWith>

/** What a thread has, a line a message. */
async function kept(t: TestApp, threadId = 'chat-1', agentId = 'sup'): Promise<string[]> {
  const answer = await t.get(`/api/threads/${threadId}/messages?agentId=${agentId}`)
  const { messages } = (await answer.json()) as { messages: RememberedMessage[] }
  return messages.map(
    ({ role, content, origin }) => `${origin ?? role}: ${(content as Part[]).map(shown).join('|').slice(0, 60)}`,
  )
}

interface Part {
  readonly type: string
  readonly text?: string
  readonly toolName?: string
}

const shown = ({ type, text, toolName }: Part): string => text ?? `${type} ${toolName}`

async function reloaded(t: TestApp, agentId = 'sup'): Promise<UIMessage[]> {
  const answer = await t.get(`/api/threads/chat-1/messages?format=ui&agentId=${agentId}`)
  return ((await answer.json()) as { messages: UIMessage[] }).messages
}

const idOf = (chat: Chat, index: number): string => chat.messages[index]?.id ?? 'none'

test('B12.3 regenerate gives the last answer anew, and an earlier one: the thread has what the page has', async () => {
  const t = testApp({
    script: { sup: ['First.', 'Second.', 'Second, anew.', 'First, anew.', 'Goes on.'].map((text) => ({ text })) },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'One?' })
  await chat.sendMessage({ text: 'Two?' })
  await chat.regenerate()
  expect([chat.error, lastParts(chat)]).toMatchObject([undefined, [{ text: 'Second, anew.' }]])
  expect(await kept(t)).toEqual(['user: One?', 'assistant: First.', 'user: Two?', 'assistant: Second, anew.'])
  // The model was asked with what came before, and nothing else.
  expect(t.script.calls('sup')[2]?.text).not.toContain('Second.')
  await chat.regenerate({ messageId: idOf(chat, 1) })
  expect([chat.error, chat.messages.length]).toEqual([undefined, 2])
  expect(await kept(t)).toEqual(['user: One?', 'assistant: First, anew.'])
  await chat.sendMessage({ text: 'And?' })
  expect(
    t.script
      .calls('sup')
      .at(-1)
      ?.text.match(/user: /g),
  ).toHaveLength(2)
  t.script.assertDone()
})

test('B12.3 a message that was edited takes the place of what was said, before a reload and after it', async () => {
  const t = testApp({ script: { sup: ['A.', 'B.', 'C.', 'D.'].map((text) => ({ text })) } })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'A joke.' })
  await chat.sendMessage({ text: 'Another.' })
  await chat.sendMessage({ text: 'A poem.', messageId: idOf(chat, 0) })
  expect([chat.error, await kept(t)]).toEqual([undefined, ['user: A poem.', 'assistant: C.']])
  const messages = await reloaded(t)
  // What the page showed before has the same ids after.
  expect(messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id))
  const second = chatWith(t, 'sup', { messages })
  await second.sendMessage({ text: 'A song.', messageId: idOf(second, 0) })
  expect([second.error, await kept(t)]).toEqual([undefined, ['user: A song.', 'assistant: D.']])
})

test('B12.3 a turn with tools and delegations is said anew whole', async () => {
  const calls = [
    { calls: [{ id: 'add-1', name: 'add', args: { a: 2, b: 3 } }] },
    { calls: [{ id: 'clerk-1', name: 'clerk', args: { prompt: 'Look.' } }] },
  ]
  const t = testApp({
    script: {
      sup: [...calls, { text: 'It is 5.' }, ...calls, { text: 'Five.' }],
      'sup/clerk': [{ text: 'Nothing.' }, { text: 'Nothing.' }],
    },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Sum?' })
  await chat.regenerate()
  expect(chat.error).toBeUndefined()
  expect(lastParts(chat).map(({ type }) => type)).toEqual(['tool-add', 'tool-clerk', 'data-delegation', 'text'])
  const lines = await kept(t)
  expect(lines).toHaveLength(6)
  expect(lines.at(-1)).toBe('assistant: Five.')
  // The ids of calls are free again.
  expect(t.script.calls('sup').at(-1)?.text).not.toContain('add-1_2')
})

test('B12.3 B7.1 an approval that waits in a turn that is said anew is called off: nobody can decide it any more', async () => {
  const pay = { calls: [{ id: 'd1', name: 'clerk', args: { prompt: 'Pay.' } }] }
  const t = testApp({
    script: {
      sup: [pay, { text: 'Not today.' }],
      'sup/clerk': [{ calls: [{ id: 'p1', name: 'pay', args: { euros: 5 } }] }],
    },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Pay.' })
  const [asked] = (await t.storage.approvals.list({ status: 'pending' })).items
  await chat.sendMessage({ text: 'Do not pay.', messageId: idOf(chat, 0) })
  expect([chat.error, lastParts(chat)]).toMatchObject([undefined, [{ text: 'Not today.' }]])
  expect(await kept(t)).toEqual(['user: Do not pay.', 'assistant: Not today.'])
  const { items } = await t.storage.approvals.list({})
  expect(items.map(({ status }) => status)).toEqual(['cancelled'])
  const late = await t.post(`/api/runs/${asked?.runId}/approve`)
  expect([late.status, t.paid]).toEqual([404, []])
  expect(await (await t.get('/api/runs')).json()).toMatchObject({ runs: [] })
})

test('B12.3 B9.4 background tasks of a turn that is said anew are called off, and its model is not told of them', async () => {
  const t = testApp({
    script: {
      lead: [{ calls: [{ id: 's1', name: 'scout', args: { prompt: 'Pay.' } }] }, { text: 'It asks.' }, { text: 'No.' }],
      'lead/scout': [{ calls: [{ id: 'p1', name: 'pay', args: { euros: 5 } }] }],
    },
  })
  const chat = chatWith(t, 'lead')
  await chat.sendMessage({ text: 'Pay.' })
  await t.app.tasks.settled()
  expect((await t.app.tasks.questions()).length).toBe(1)
  await chat.regenerate()
  expect([chat.error, lastParts(chat)]).toMatchObject([undefined, [{ text: 'No.' }]])
  expect(await t.app.tasks.questions()).toEqual([])
  const [task] = (await t.app.tasks.list()).items
  expect(task).toMatchObject({ status: 'cancelled', deliveredAt: expect.any(Number) })
  expect((await t.storage.approvals.list({})).items.map(({ status }) => status)).toEqual(['cancelled'])
  expect(await kept(t, 'chat-1', 'lead')).toEqual(['user: Pay.', 'assistant: No.'])
  expect(t.script.calls('lead').at(-1)?.text).not.toContain('background task')
})

test('B12.3 B9.4 the note of a task that an earlier turn began stays, since it comes once', async () => {
  const works = Promise.withResolvers<void>()
  const t = testApp({
    script: {
      lead: [
        { calls: [{ id: 's1', name: 'scout', args: { prompt: 'Look.' } }] },
        { text: 'On the way.' },
        { text: 'Not yet.' },
        { text: 'A zebra was seen.' },
        { text: 'A zebra, I say.' },
      ],
      'lead/scout': [{ text: 'A zebra.', after: works.promise }],
    },
  })
  const chat = chatWith(t, 'lead')
  await chat.sendMessage({ text: 'Look.' })
  await chat.sendMessage({ text: 'Ready?' })
  works.resolve()
  await t.app.tasks.settled()
  await chat.sendMessage({ text: 'And now?' })
  expect((await kept(t, 'chat-1', 'lead')).map((line) => line.split(':')[0])).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'assistant',
    'background-task',
    'user',
    'assistant',
  ])
  // The note goes with neither turn.
  await chat.sendMessage({ text: 'Ready now?', messageId: idOf(chat, 2) })
  expect([chat.error, lastParts(chat)]).toMatchObject([undefined, [{ text: 'A zebra, I say.' }]])
  expect((await kept(t, 'chat-1', 'lead')).slice(4).map((line) => line.slice(0, 20))).toEqual([
    'background-task: [re',
    'user: Ready now?',
    'assistant: A zebra, ',
  ])
  expect(t.script.calls('lead').at(-1)?.text).toContain('A zebra.')
})

test('S30 B12.3 a message that is sent again is said once: while its run goes on, waits, and has ended', async () => {
  const holds = Promise.withResolvers<void>()
  const pay = { calls: [{ id: 'p1', name: 'pay_bill', args: { euros: 5 } }] }
  const t = testApp({ script: { sup: [{ text: 'Hello.', after: holds.promise }, pay, { text: 'Paid.' }] } })
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }
  const send = (body: object) => t.post('/api/chat/sup', { id: 'chat-1', trigger: 'submit-message', ...body })
  // Twice at once, and again while it goes on.
  const both = Promise.all([send({ messages: [message] }), send({ messages: [message] })])
  const answers = await both
  answers.push(await send({ messages: [message], messageId: 'm1' }))
  holds.resolve()
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  for (const text of texts) expect(text).toMatch(/"Hello\."[\s\S]*\[DONE\]/)
  expect(new Set(answers.map(({ headers }) => headers.get('x-retinue-run-id'))).size).toBe(1)
  expect(await (await send({ messages: [message] })).text()).toBe(texts[0])
  expect(await kept(t)).toEqual(['user: Hi.', 'assistant: Hello.'])
  // One that waits for a person is shown again, and asked about once.
  const chat = chatWith(t, 'sup', { messages: await reloaded(t) })
  await chat.sendMessage({ text: 'Pay.' })
  chat.messages = chat.messages.slice(0, -1)
  await chat.sendMessage()
  expect([chat.error, lastParts(chat)]).toMatchObject([undefined, [{ state: 'approval-requested' }]])
  expect((await t.storage.approvals.list({})).items).toHaveLength(1)
  await chat.addToolApprovalResponse({ id: 'p1', approved: true })
  await settled(chat)
  expect([t.paid.length, lastParts(chat).at(-1)?.['text']]).toEqual([1, 'Paid.'])
  t.script.assertDone()
})

test('S30 a message whose answer failed is answered when it is sent again, and is in the thread once', async () => {
  const t = testApp({ script: { sup: [new Error('no'), new Error('no'), { text: 'Now.' }, { text: 'Both.' }] } })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'One?' })
  expect(chat.error).toBeDefined()
  // In the way of a button that says "Retry", and of one that sends.
  await chat.regenerate()
  expect(chat.error).toBeDefined()
  chat.messages = chat.messages.filter(({ role }) => role === 'user')
  await chat.sendMessage()
  expect([chat.error, await kept(t)]).toEqual([undefined, ['user: One?', 'assistant: Now.']])
  // What the page has before a new message, and never was answered, the thread has already.
  const [first] = chat.messages as [UIMessage]
  chat.messages = [first]
  await chat.sendMessage({ text: 'Two?' })
  expect(await kept(t)).toEqual(['user: One?', 'assistant: Now.', 'user: Two?', 'assistant: Both.'])
  expect(t.script.calls('sup').at(-1)?.text).toMatch(/One\?[\s\S]*Now\.[\s\S]*Two\?/)
})

test('S30 a message that never arrived is said by whatever sends it', async () => {
  const t = testApp({ script: { sup: [{ text: 'One.' }, { text: 'Two.' }] } })
  const chat = chatWith(t, 'sup')
  const said = (id: string, text: string): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] })
  chat.messages = [said('lost-1', 'One?')]
  await chat.regenerate()
  chat.messages = [...chat.messages, said('lost-2', 'Tw?')]
  await chat.sendMessage({ text: 'Two?', messageId: 'lost-2' })
  expect([chat.error, await kept(t)]).toEqual([
    undefined,
    ['user: One?', 'assistant: One.', 'user: Two?', 'assistant: Two.'],
  ])
})

test('B12.3 whoever wants an answer anew while it is being given does not wait for its end', async () => {
  const aborted = Promise.withResolvers<void>()
  const t = testApp({
    script: {
      sup: [
        ({ options }) => {
          options.abortSignal?.addEventListener('abort', () => aborted.resolve())
          return { text: 'never', after: new Promise(() => {}) }
        },
        { text: 'Quick.' },
      ],
    },
  })
  const chat = chatWith(t, 'sup')
  const saying = chat.sendMessage({ text: 'Hi.' })
  while (t.script.calls('sup').length === 0) await new Promise((resolve) => setImmediate(resolve))
  await chat.stop()
  await saying
  await chat.sendMessage({ text: 'Hello.', messageId: idOf(chat, 0) })
  await aborted.promise
  expect([chat.error, await kept(t)]).toEqual([undefined, ['user: Hello.', 'assistant: Quick.']])
})

test('B12.3 SEC nobody cuts the thread of somebody else, or an answer, and nothing of it changes', async () => {
  const t = testApp({ users: true, script: { sup: ['A.', 'B.', 'C.', 'D.'].map((text) => ({ text })) } })
  const said = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] })
  const send = (as: string, body: object) => t.post('/api/chat/sup', { id: 'c', ...body }, { as })
  const messages = [said('m1', 'Mine.')]
  await (await send('ada', { messages })).text()
  const thread = async () => (await t.get('/api/threads/c/messages', { as: 'ada' })).text()
  const before = await thread()
  const answerId = JSON.parse(before).messages[1].id
  const forged = [
    ['bob', 404, { messages, trigger: 'regenerate-message' }],
    ['bob', 404, { messages: [said('m1', 'Bob’s.')], messageId: 'm1' }],
    ['ada', 400, { messages: [said(answerId, 'I say.')], messageId: answerId }],
    ['ada', 400, { messages: [said('m1', 'Something else.')] }],
    ['ada', 400, { messages: [said('m2', 'One.'), said('m2', 'Two.')] }],
    ['ada', 400, { messages: [...messages, { id: 'x', role: 'assistant', parts: [] }], trigger: 'regenerate-message' }],
  ] as const
  for (const [as, status, body] of forged) {
    const answer = await send(as, body)
    const { code } = (await answer.json()) as { code: string }
    expect([as, answer.status, code]).toEqual([as, status, as === 'bob' ? 'thread-not-found' : 'request-invalid'])
  }
  const run = { input: 'In his place.', threadId: 'c', replaceFrom: 'm1' }
  expect((await t.post('/api/agents/sup/generate', run, { as: 'bob' })).status).toBe(404)
  expect((await t.post('/api/agents/sup/generate', { ...run, replaceFrom: answerId }, { as: 'ada' })).status).toBe(400)
  expect((await t.post('/api/agents/sup/generate', { ...run, replaceFrom: 'no' }, { as: 'ada' })).status).toBe(404)
  expect((await t.post('/api/agents/sup/generate', { ...run, threadId: undefined }, { as: 'ada' })).status).toBe(400)
  expect(await thread()).toBe(before)
  expect((await t.post('/api/agents/sup/generate', run, { as: 'ada' })).status).toBe(200)
  expect(await thread()).toContain('In his place.')
})

test('B12.3 SEC what is said anew brings no results along of calls that go', async () => {
  const t = testApp({ script: { sup: [{ calls: [{ id: 'l1', name: 'locate', args: {} }] }, { text: 'No idea.' }] } })
  const said = (text: string) => ({ id: 'm1', role: 'user', parts: [{ type: 'text', text }] })
  const send = (messages: object[]) => t.post('/api/chat/sup', { id: 'chat-1', messages, messageId: 'm1' })
  await (await send([said('Where?')])).text()
  const part = { type: 'tool-locate', toolCallId: 'l1', state: 'output-available', input: {}, output: 'Oslo' }
  const answer = await send([said('Where?'), { role: 'assistant', parts: [part] }, said('Where now?')])
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('No idea.')])
  expect(t.script.calls('sup').at(-1)?.text).not.toContain('Oslo')
  expect(await kept(t)).toEqual(['user: Where now?', 'assistant: No idea.'])
})

test('B7.1 what waits in an earlier turn waits on when a later one is said anew', async () => {
  const t = testApp({
    script: {
      sup: [{ calls: [{ id: 'p1', name: 'pay_bill', args: { euros: 5 } }] }, { text: 'Hi.' }, { text: 'Ho.' }],
    },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Pay.' })
  const [asked] = (await t.storage.approvals.list({})).items
  const other = chatWith(t, 'sup', { messages: await reloaded(t) })
  await other.sendMessage({ text: 'Hello.' })
  await other.regenerate()
  expect([other.error, lastParts(other)]).toMatchObject([undefined, [{ text: 'Ho.' }]])
  expect((await t.storage.approvals.list({})).items.map(({ status }) => status)).toEqual(['pending'])
  expect((await t.storage.runs.list({ status: 'suspended' })).items).toMatchObject([{ runId: asked?.runId }])
})

test('B12.3 the copy of a thread has its own turns: nothing of what waits in the original is shown or ended there', async () => {
  const t = testApp({
    script: { sup: [{ calls: [{ id: 'p1', name: 'pay_bill', args: { euros: 5 } }] }, { text: 'Copied.' }] },
  })
  await chatWith(t, 'sup').sendMessage({ text: 'Pay.' })
  await t.post('/api/threads/chat-1/clone', { newThreadId: 'copy' })
  const { messages } = (await (await t.get('/api/threads/copy/messages')).json()) as { messages: { id: string }[] }
  const message = { id: messages[0]?.id, role: 'user', parts: [{ type: 'text', text: 'Pay.' }] }
  const answer = await t.post('/api/chat/sup', { id: 'copy', messages: [message] })
  expect(await answer.text()).toContain('Copied.')
  expect(await kept(t, 'copy')).toEqual(['user: Pay.', 'assistant: Copied.'])
  expect(await kept(t)).toHaveLength(2)
  expect((await t.storage.approvals.list({})).items.map(({ status }) => status)).toEqual(['pending'])
})

test('B12.3 S30 an edit that is long in being written is answered by what came of it, and not called off', async () => {
  const t = testApp({ script: { sup: [{ text: 'One.' }, { text: 'Two.' }] } })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Hi.' })
  const { threads } = t.storage
  const { beginTurn } = threads
  vi.useFakeTimers()
  try {
    const [writing, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    threads.beginTurn = async (turn) => {
      writing.resolve()
      await written.promise
      return beginTurn.call(threads, turn)
    }
    const saying = chat.sendMessage({ text: 'Hello.', messageId: idOf(chat, 0) })
    await writing.promise
    await vi.advanceTimersByTimeAsync(60_000)
    written.resolve()
    await saying
  } finally {
    vi.useRealTimers()
  }
  expect([chat.error, await kept(t)]).toEqual([undefined, ['user: Hello.', 'assistant: Two.']])
})

test('B12.3 R26 an answer that was stopped for an edit that then failed can be had anew', async () => {
  const t = testApp({
    script: { sup: [{ text: 'One.' }, () => ({ text: 'never', after: new Promise(() => {}) }), { text: 'Two.' }] },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Hi.' })
  const saying = chat.sendMessage({ text: 'And?' })
  while (t.script.calls('sup').length < 2) await new Promise((resolve) => setImmediate(resolve))
  const { threads } = t.storage
  const { beginTurn } = threads
  threads.beginTurn = () => Promise.reject(new Error('the disk is full'))
  const said = (text: string) => {
    const message = { id: idOf(chat, 2), role: 'user', parts: [{ type: 'text', text }] }
    return t.post('/api/chat/sup', { id: 'chat-1', messages: [message], messageId: message.id })
  }
  expect((await said('Well?')).status).toBe(500)
  await saying
  expect(await kept(t)).toEqual(['user: Hi.', 'assistant: One.', 'user: And?'])
  threads.beginTurn = beginTurn
  await (await said('Well?')).text()
  expect(await kept(t)).toEqual(['user: Hi.', 'assistant: One.', 'user: Well?', 'assistant: Two.'])
})
