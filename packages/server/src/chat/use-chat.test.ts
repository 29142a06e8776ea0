import type { UIMessage } from 'ai'
import { expect, test } from 'vitest'
import { testApp } from '../../test-support/test-app.ts'
import { chatWith, lastParts, settled } from '../../test-support/ui-chat.ts'

test('useChat shows text, reasoning, tools and delegations, and goes on in its thread', async () => {
  const t = testApp({
    script: {
      sup: [
        { reasoning: 'Sums.', calls: [{ id: 'add-1', name: 'add', args: { a: 2, b: 3 } }] },
        { calls: [{ id: 'clerk-1', name: 'clerk', args: { prompt: 'Look.' } }] },
        { text: ['It is', ' 5.'] },
        { text: 'Again.' },
      ],
      'sup/clerk': [{ text: 'Nothing to pay.' }],
    },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'What is 2 + 3?' })
  expect(chat.error).toBeUndefined()
  const parts = lastParts(chat)
  expect(parts.map(({ type }) => type)).toEqual(['reasoning', 'tool-add', 'tool-clerk', 'data-delegation', 'text'])
  expect(parts[0]).toMatchObject({ text: 'Sums.', state: 'done' })
  expect(parts[1]).toMatchObject({ state: 'output-available', input: { a: 2, b: 3 }, output: 5 })
  expect(parts[3]?.['data']).toMatchObject({ key: 'clerk', status: 'completed', path: ['sup'] })
  expect(parts[4]).toMatchObject({ text: 'It is 5.', state: 'done' })
  await chat.sendMessage({ text: 'Again?' })
  expect(lastParts(chat)).toMatchObject([{ type: 'text', text: 'Again.' }])
  // What was said before came from the thread, once.
  const asked = t.script.calls('sup').at(-1)?.text ?? ''
  expect(asked.match(/user: What is 2 \+ 3\?/g)).toHaveLength(1)
  expect(asked).toContain('assistant: It is 5.')
  t.script.assertDone()
})

test('useChat asks for an approval, sends what the person chose, and goes on in the same message', async () => {
  for (const approved of [true, false]) {
    const t = testApp({
      script: { sup: [{ calls: [{ id: 'p1', name: 'pay_bill', args: { euros: 5 } }] }, { text: 'All right.' }] },
    })
    const chat = chatWith(t, 'sup')
    await chat.sendMessage({ text: 'Pay.' })
    const [part] = lastParts(chat)
    expect(part).toMatchObject({ type: 'tool-pay_bill', state: 'approval-requested', approval: { id: 'p1' } })
    expect(t.paid).toEqual([])
    await chat.addToolApprovalResponse({ id: 'p1', approved, reason: 'so I say' })
    await settled(chat)
    expect(chat.error).toBeUndefined()
    expect(chat.messages).toHaveLength(2)
    const state = approved ? { state: 'output-available', output: { paid: 5 } } : { state: 'output-denied' }
    expect(lastParts(chat)).toMatchObject([
      { type: 'tool-pay_bill', ...state },
      { type: 'text', text: 'All right.' },
    ])
    expect(t.paid).toEqual(approved ? [{ euros: 5 }] : [])
    const [asked] = (await t.storage.approvals.list({})).items
    expect(asked?.decision).toMatchObject(approved ? { by: 'local' } : { by: 'local', reason: 'so I say' })
  }
})

test('useChat decides on several calls at once, each as the person chose, and no leg ends for want of a reader', async () => {
  const t = testApp({
    settings: { detachMs: 0 },
    script: {
      sup: [
        {
          calls: [
            { id: 'p1', name: 'pay_bill', args: { euros: 1 } },
            { id: 'p2', name: 'pay_bill', args: { euros: 2 } },
            { id: 'p3', name: 'pay_bill', args: { euros: 3 } },
          ],
        },
        { text: 'Two of three.' },
      ],
    },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Pay.' })
  await chat.addToolApprovalResponse({ id: 'p1', approved: true })
  await chat.addToolApprovalResponse({ id: 'p2', approved: false })
  expect(t.paid).toEqual([])
  await chat.addToolApprovalResponse({ id: 'p3', approved: true })
  await settled(chat)
  expect(t.paid).toEqual([{ euros: 1 }, { euros: 3 }])
  expect(lastParts(chat).map(({ state, text }) => state ?? text)).toEqual([
    'output-available',
    'output-denied',
    'output-available',
    'done',
  ])
})

test('S30 whoever decides several calls is answered at once, and not when the first of them has ended', async () => {
  const { promise: holds, resolve: release } = Promise.withResolvers<void>()
  const calls = ['p1', 'p2'].map((id) => ({ id, name: 'pay_bill', args: { euros: 1 } }))
  const t = testApp({ holds, script: { sup: [{ calls }, { text: 'Paid.' }] } })
  const said = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] }
  await (await t.post('/api/chat/sup', { id: 'c', messages: [said] })).text()
  const approvals = ['p1', 'p2'].map((toolCallId) => ({ toolCallId, approved: true }))
  const response = await t.post('/api/chat/sup', { id: 'c', messages: [said], approvals })
  expect([response.status, t.paid]).toEqual([200, []])
  release()
  expect(await response.text()).toMatch(/Paid\.[\s\S]*\[DONE\]/)
  expect(t.paid).toHaveLength(2)
})

test('the message of a chat has one start and one finish, whatever is decided in it', async () => {
  const calls = ['p1', 'p2'].map((id) => ({ id, name: 'pay_bill', args: { euros: 1 } }))
  const t = testApp({ script: { sup: [{ calls }, { text: 'Paid.' }] } })
  const said = { role: 'user', parts: [{ type: 'text', text: 'Pay.' }] }
  await (await t.post('/api/chat/sup', { id: 'c', messages: [said] })).text()
  const responded = (id: string) => {
    return {
      type: 'tool-pay_bill',
      toolCallId: id,
      state: 'approval-responded',
      input: {},
      approval: { id, approved: true },
    }
  }
  const decide = (...ids: string[]) =>
    t.post('/api/chat/sup', { id: 'c', messages: [said, { role: 'assistant', parts: ids.map(responded) }] })
  const unknown = await decide('p0', 'p1', 'p2')
  expect([unknown.status, ((await unknown.json()) as { code: string }).code, t.paid]).toEqual([
    404,
    'approval-not-found',
    [],
  ])
  const text = await (await decide('p1', 'p2')).text()
  const types = [...text.matchAll(/^data: \{"type":"([\w-]+)"/gm)].map(([, type]) => type)
  expect(types.filter((type) => type === 'start' || type === 'finish')).toEqual(['start', 'finish'])
  expect(types.at(-1)).toBe('finish')
  expect(text.match(/\[DONE\]/g)).toHaveLength(1)
  expect(t.paid).toHaveLength(2)
  const again = await decide('p1', 'p2')
  expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([404, 'approval-not-found'])
})

test('useChat decides on the call of a subagent, which the message has as data, with other arguments', async () => {
  const t = testApp({
    script: {
      sup: [{ calls: [{ id: 'd1', name: 'clerk', args: { prompt: 'Pay.' } }] }, { text: 'Paid.' }],
      'sup/clerk': [{ calls: [{ id: 'p1', name: 'pay', args: { euros: 5 } }] }, { text: 'Done.' }],
    },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Pay.' })
  const asked = lastParts(chat).find(({ type }) => type === 'data-tool-call-approval')
  expect(asked?.['data']).toMatchObject({ path: ['sup', 'clerk'], toolName: 'pay', args: { euros: 5 } })
  await chat.sendMessage(undefined, { body: { approvals: [{ toolCallId: 'p1', approved: true, args: { euros: 4 } }] } })
  expect(chat.error).toBeUndefined()
  expect(t.paid).toEqual([{ euros: 4 }])
  expect(chat.messages).toHaveLength(2)
  expect(lastParts(chat).at(-1)).toMatchObject({ type: 'text', text: 'Paid.' })
  const delegation = lastParts(chat).filter(({ type }) => type === 'data-delegation')
  expect(delegation).toHaveLength(1)
  expect(delegation[0]?.['data']).toMatchObject({ status: 'completed' })
})

test('useChat shows what goes on in the background as one part, and decides what it asks', async () => {
  for (const untilIdle of [true, false]) {
    const t = testApp({
      script: {
        lead: [
          { calls: [{ id: 's1', name: 'scout', args: { prompt: 'Pay.' } }] },
          { text: 'It asks.' },
          ...(untilIdle ? [{ text: 'It is paid.' }] : []),
        ],
        'lead/scout': [{ calls: [{ id: 'p1', name: 'pay', args: { euros: 5 } }] }, { text: 'Paid.' }],
      },
    })
    const chat = chatWith(t, 'lead')
    const tasks = () => lastParts(chat).filter(({ type }) => type === 'data-background-task')
    await chat.sendMessage({ text: 'Pay.' }, { body: { untilIdle } })
    await t.app.tasks.settled()
    expect(tasks()).toHaveLength(1)
    if (untilIdle) expect(tasks()[0]?.['data']).toMatchObject({ status: 'suspended', toolName: 'scout' })
    await chat.sendMessage(undefined, { body: { approvals: [{ toolCallId: 'p1', approved: true }] } })
    expect([chat.error, chat.status]).toEqual([undefined, 'ready'])
    expect(t.paid).toEqual([{ euros: 5 }])
    expect(chat.messages).toHaveLength(2)
    expect(tasks()).toHaveLength(1)
    expect(tasks()[0]?.['data']).toMatchObject({ status: 'completed', result: { text: 'Paid.' } })
    if (untilIdle) expect(lastParts(chat).at(-1)).toMatchObject({ type: 'text', text: 'It is paid.' })
    t.script.assertDone()
  }
})

test('useChat answers a call that was suspended', async () => {
  const t = testApp({ script: { sup: [{ calls: [{ id: 'a1', name: 'ask', args: {} }] }, { text: 'This one.' }] } })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Choose.' })
  expect(lastParts(chat).at(-1)).toMatchObject({
    type: 'data-tool-call-suspended',
    data: { suspendPayload: { question: 'which?' } },
  })
  await chat.sendMessage(undefined, { body: { answers: [{ toolCallId: 'a1', data: 'this' }] } })
  expect(lastParts(chat)).toMatchObject([{ output: 'this' }, {}, { text: 'This one.' }])
})

test('useChat runs the tools that are the client’s, in a thread and without one', async () => {
  for (const agent of ['sup', 'plain']) {
    const t = testApp({
      script: { [agent]: [{ calls: [{ id: 'l1', name: 'locate', args: {} }] }, { text: 'In Oslo.' }] },
    })
    const chat = chatWith(t, agent)
    await chat.sendMessage({ text: 'Where am I?' })
    expect(lastParts(chat)).toMatchObject([{ type: 'tool-locate', state: 'input-available' }])
    await chat.addToolOutput({ tool: 'locate', toolCallId: 'l1', output: { city: 'Oslo' } })
    await settled(chat)
    expect([agent, chat.error]).toEqual([agent, undefined])
    expect(lastParts(chat).at(-1)).toMatchObject({ type: 'text', text: 'In Oslo.' })
    expect(t.script.calls(agent)[1]?.text).toContain('{"city":"Oslo"}')
    t.script.assertDone()
  }
})

test('S30 useChat finds its run again after a reload in the middle of it, whole and once', async () => {
  const more = Promise.withResolvers<void>()
  const t = testApp({
    script: {
      sup: [
        { text: 'Before.' },
        { calls: [{ id: 'a1', name: 'add', args: { a: 1, b: 1 } }] },
        { text: 'Two.', after: more.promise },
      ],
    },
  })
  const first = chatWith(t, 'sup')
  await first.sendMessage({ text: 'Hi.' })
  const saying = first.sendMessage({ text: 'And 1 + 1?' })
  while (!lastParts(first).some(({ state }) => state === 'output-available'))
    await new Promise((resolve) => setImmediate(resolve))
  await first.stop()
  await saying
  const known = (await (await t.get('/api/threads/chat-1/messages?format=ui')).json()) as { messages: UIMessage[] }
  expect(known.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  const second = chatWith(t, 'sup', { messages: known.messages })
  const resuming = second.resumeStream()
  while (lastParts(second).length < 1) await new Promise((resolve) => setImmediate(resolve))
  more.resolve()
  await resuming
  expect(second.messages).toHaveLength(4)
  expect(lastParts(second)).toMatchObject([
    { type: 'tool-add', output: 2 },
    { type: 'text', text: 'Two.' },
  ])
  // There is nothing to resume any more.
  const third = chatWith(t, 'sup', { messages: second.messages })
  await third.resumeStream()
  expect([third.status, third.messages.length]).toEqual(['ready', 4])
})

test('useChat finds what waits for a person after a reload, and decides it', async () => {
  const t = testApp({
    script: { sup: [{ calls: [{ id: 'p1', name: 'pay_bill', args: { euros: 5 } }] }, { text: 'Paid.' }] },
  })
  await chatWith(t, 'sup').sendMessage({ text: 'Pay.' })
  const known = (await (await t.get('/api/threads/chat-1/messages?format=ui')).json()) as { messages: UIMessage[] }
  const chat = chatWith(t, 'sup', { messages: known.messages })
  await chat.resumeStream()
  expect(lastParts(chat)).toMatchObject([{ type: 'tool-pay_bill', state: 'approval-requested' }])
  await chat.addToolApprovalResponse({ id: 'p1', approved: true })
  await settled(chat)
  expect(lastParts(chat)).toMatchObject([{ state: 'output-available' }, { text: 'Paid.' }])
})

test('S30 a chat is stopped: its run is aborted, whatever its reader does', async () => {
  const aborted = Promise.withResolvers<void>()
  const t = testApp({
    script: {
      sup: [
        ({ options }) => {
          options.abortSignal?.addEventListener('abort', () => aborted.resolve())
          return { text: 'never', after: new Promise(() => {}) }
        },
      ],
    },
  })
  const chat = chatWith(t, 'sup')
  const saying = chat.sendMessage({ text: 'Hi.' })
  while (t.script.calls('sup').length === 0) await new Promise((resolve) => setImmediate(resolve))
  const stopped = await (await t.post('/api/chat/sup/chat-1/stop')).json()
  expect(stopped).toMatchObject({ stopped: true })
  await aborted.promise
  await saying
  expect(chat.status).toBe('ready')
  expect(await (await t.post('/api/chat/sup/chat-1/stop')).json()).toEqual({ stopped: false })
})

test('useChat is told of what goes wrong in words that hold no secret', async () => {
  const t = testApp({ script: { sup: [new Error('connect postgres://admin:hunter2@db failed')] } })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Hi.' })
  expect(chat.error?.message).toBe('The call of its model failed.')
  const missing = chatWith(t, 'none')
  await missing.sendMessage({ text: 'Hi.' })
  expect(missing.error?.message).toContain('agent-unknown')
})

test('S30 useChat goes on by itself when an approval and a tool of the client stand in one step', async () => {
  const t = testApp({
    script: {
      sup: [
        {
          calls: [
            { id: 'p1', name: 'pay_bill', args: { euros: 5 } },
            { id: 'l1', name: 'locate', args: {} },
          ],
        },
        { text: 'Paid in Oslo.' },
      ],
    },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Pay here.' })
  await chat.addToolApprovalResponse({ id: 'p1', approved: true })
  await settled(chat)
  await chat.addToolOutput({ tool: 'locate', toolCallId: 'l1', output: 'Oslo' })
  await settled(chat)
  expect([chat.error, t.paid]).toEqual([undefined, [{ euros: 5 }]])
  expect(lastParts(chat).at(-1)).toMatchObject({ type: 'text', text: 'Paid in Oslo.' })
})
