import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import type { Processor } from '@retinue/core/processors'
import { InMemoryStorage } from '@retinue/core/storage'
import { scriptedModel } from '@retinue/core/testing'
import { Memory } from '@retinue/memory'
import type { UIMessage } from 'ai'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../../test-support/test-app.ts'
import { chatWith, settled } from '../../test-support/ui-chat.ts'
import { createHandler } from '../create-handler.ts'

type Chat = ReturnType<typeof chatWith>

const pay = { text: 'I pay.', calls: [{ id: 'p1', name: 'pay_bill', args: { euros: 5 } }] }

async function reloaded(t: TestApp): Promise<Chat> {
  const answer = await t.get('/api/threads/chat-1/messages?format=ui')
  const chat = chatWith(t, 'sup', { messages: ((await answer.json()) as { messages: UIMessage[] }).messages })
  await chat.resumeStream()
  await settled(chat)
  return chat
}

/** A page, a line a message: what it shows, and whose it is. */
const shown = (chat: Chat): string[] =>
  chat.messages.map(
    ({ role, parts }) =>
      `${role}: ${(parts as Record<string, unknown>[])
        .filter(({ type }) => type !== 'step-start')
        .map(({ type, state, text }) => text ?? `${type} ${state ?? ''}`.trim())
        .join(' | ')}`,
  )

/** A turn that waits for a person, and one that came after it. */
async function wentOn(t: TestApp): Promise<Chat> {
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Pay.' })
  await chat.sendMessage({ text: 'And now?' })
  expect(chat.error).toBeUndefined()
  return chat
}

const WAITS = [
  'user: Pay.',
  'assistant: I pay. | tool-pay_bill approval-requested',
  'user: And now?',
  'assistant: Wait.',
]
const PAID = [
  'user: Pay.',
  'assistant: I pay. | tool-pay_bill output-available | Paid.',
  'user: And now?',
  'assistant: Wait.',
]

test('S30 B7.1 what was said after a turn that waits is shown after a reload, and so is what waits, where it was asked', async () => {
  const t = testApp({ script: { sup: [pay, { text: 'Wait.' }, { text: 'Paid.' }] } })
  const page = await wentOn(t)
  expect(shown(page)).toEqual(WAITS)
  const again = await reloaded(t)
  expect([again.error, shown(again), again.messages.map(({ id }) => id)]).toEqual([
    undefined,
    WAITS,
    page.messages.map(({ id }) => id),
  ])
  // Nothing is being said, and stopping that calls off nothing.
  expect((await t.get('/api/chat/sup/chat-1/stream')).status).toBe(204)
  expect(await (await t.post('/api/chat/sup/chat-1/stop')).json()).toEqual({ stopped: false })
  await again.addToolApprovalResponse({ id: 'p1', approved: true })
  await again.sendMessage()
  await settled(again)
  expect([again.error, shown(again), t.paid]).toEqual([undefined, PAID, [{ euros: 5 }]])
  expect(shown(await reloaded(t))).toEqual(PAID)
})

test('B7.1 what a subagent asked in an earlier turn, and a question, are shown there after a reload', async () => {
  const t = testApp({
    script: {
      sup: [
        {
          calls: [
            { id: 'c1', name: 'clerk', args: { prompt: 'Pay.' } },
            { id: 'a1', name: 'ask', args: {} },
          ],
        },
        { text: 'Wait.' },
        { text: 'Done.' },
      ],
      'sup/clerk': [{ calls: [{ id: 'p1', name: 'pay', args: { euros: 5 } }] }, { text: 'Paid.' }],
    },
  })
  await wentOn(t)
  const again = await reloaded(t)
  const asked = again.messages[1]?.parts.filter(({ type }) => type.startsWith('data-')) as Record<string, unknown>[]
  expect(asked.sort((one, other) => String(one['id']).localeCompare(String(other['id'])))).toMatchObject([
    { type: 'data-tool-call-suspended', id: 'a1', data: { toolName: 'ask', suspendPayload: { question: 'which?' } } },
    { type: 'data-tool-call-approval', id: 'p1', data: { path: ['sup', 'clerk'], args: { euros: 5 } } },
  ])
})

test('S30 an answer that goes on is shown by its stream alone, also where an earlier turn waits', async () => {
  const holds = Promise.withResolvers<void>()
  const t = testApp({ script: { sup: [pay, { text: 'Wait.', after: holds.promise }] } })
  const page = chatWith(t, 'sup')
  await page.sendMessage({ text: 'Pay.' })
  const saying = page.sendMessage({ text: 'And now?' })
  while (t.script.calls('sup').length < 2) await new Promise((resolve) => setImmediate(resolve))
  const answer = await t.get('/api/threads/chat-1/messages?format=ui')
  const { messages } = (await answer.json()) as { messages: UIMessage[] }
  const again = chatWith(t, 'sup', { messages })
  expect(shown(again)).toEqual(WAITS.slice(0, 3))
  const resuming = again.resumeStream()
  holds.resolve()
  await Promise.all([saying, resuming])
  expect([again.error, shown(again)]).toEqual([undefined, WAITS])
})

test('S30 an earlier turn that goes on after a decision hides nothing of the last one', async () => {
  const holds = Promise.withResolvers<void>()
  const add = { calls: [{ id: 'k1', name: 'add', args: { a: 1, b: 2 } }] }
  const t = testApp({ script: { sup: [pay, { text: 'Wait.' }, add, { text: 'Paid.', after: holds.promise }] } })
  const page = await wentOn(t)
  const [asked] = (await t.storage.approvals.list({ status: 'pending' })).items
  const deciding = t.post(`/api/runs/${asked?.runId}/approve`)
  while (t.script.calls('sup').length < 4) await new Promise((resolve) => setImmediate(resolve))
  await page.stop()
  const during = shown(await reloaded(t))
  expect([during[1], during.at(-1)]).toEqual([
    'assistant: I pay. | tool-pay_bill output-available | tool-add input-available',
    'assistant: Wait.',
  ])
  holds.resolve()
  await (await deciding).text()
  expect(shown(await reloaded(t))[1]).toBe(
    'assistant: I pay. | tool-pay_bill output-available | tool-add output-available | Paid.',
  )
})

test('S30 B7.1 page by page, too, what a turn that waited says later stands where it was asked, and nowhere else', async () => {
  const t = testApp({ script: { sup: [pay, { text: 'Wait.' }, { text: 'Three.' }, { text: 'Paid.' }] } })
  const page = await wentOn(t)
  await page.sendMessage({ text: 'And then?' })
  const pages = async (limit: number): Promise<string[][]> => {
    const all: string[][] = []
    let before = ''
    for (;;) {
      const answer = await t.get(`/api/threads/chat-1/messages?format=ui&limit=${limit}${before}`)
      const body = (await answer.json()) as { messages: UIMessage[]; before?: number }
      all.push(shown({ messages: body.messages } as Chat))
      if (body.before === undefined) return all
      before = `&before=${body.before}`
    }
  }
  expect((await pages(2)).reverse().flat()).toEqual([...WAITS, 'user: And then?', 'assistant: Three.'])
  const decides = await reloaded(t)
  await decides.addToolApprovalResponse({ id: 'p1', approved: true })
  await decides.sendMessage()
  await settled(decides)
  const whole = [...PAID, 'user: And then?', 'assistant: Three.']
  for (const limit of [2, 3, 4, 6, 100]) expect((await pages(limit)).reverse().flat(), `${limit}`).toEqual(whole)
})

test('a page that is loaded while processors look at what was said hears the answer', async () => {
  const passes = Promise.withResolvers<void>()
  const looks = Promise.withResolvers<void>()
  const model = scriptedModel([{ text: 'One.' }, { text: 'Two.' }])
  let seen = 0
  const slow: Processor = {
    id: 'slow',
    processInput: async () => {
      seen += 1
      if (seen === 1) return
      looks.resolve()
      await passes.promise
    },
  }
  const agent = new Agent({ id: 'a', model, memory: new Memory(), inputProcessors: [slow] })
  const app = new Retinue({ agents: { agent }, storage: new InMemoryStorage(), logger: false })
  const { fetch } = createHandler({ app })
  const say = (...texts: string[]): Promise<Response> => {
    const messages = texts.map((text) => ({ id: text, role: 'user', parts: [{ type: 'text', text }] }))
    const body = JSON.stringify({ id: 'chat-1', messages })
    const headers = { 'content-type': 'application/json' }
    return fetch(new Request('http://localhost/api/chat/a', { method: 'POST', headers, body }))
  }
  await (await say('one')).text()
  const first = await say('one', 'two')
  await looks.promise
  const later = await fetch(new Request('http://localhost/api/chat/a/chat-1/stream'))
  expect(later.status).toBe(200)
  passes.resolve()
  expect(await later.text()).toContain('Two.')
  await first.text()
})

test('what is being said is found without reading all that ever was', async () => {
  const t = testApp({ durable: true, script: { sup: Array.from({ length: 5 }, () => ({ text: 'Fine.' })) } })
  const chat = chatWith(t, 'sup')
  for (const text of ['1', '2', '3', '4', '5']) await chat.sendMessage({ text })
  expect((await t.storage.runs.list({ status: 'ended' })).items).toHaveLength(5)
  const list = t.storage.runs.list.bind(t.storage.runs)
  let rows = 0
  t.storage.runs.list = async (query) => {
    const page = await list(query)
    rows += page.items.length
    return page
  }
  await t.get('/api/threads/chat-1/messages?format=ui')
  await t.get('/api/chat/sup/chat-1/stream')
  await t.post('/api/chat/sup/chat-1/stop')
  expect(rows).toBe(0)
})
