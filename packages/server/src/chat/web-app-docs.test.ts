import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Retinue } from '@retinue/core'
import type { Storage } from '@retinue/core/storage'
import { type ScriptedTurn, scriptedModel } from '@retinue/core/testing'
import { Window } from 'happy-dom'
import { act, createElement, type FunctionComponent } from 'react'
import { createRoot } from 'react-dom/client'
import { transformWithOxc } from 'vite'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { testApp } from '../../test-support/test-app.ts'
import { chatWith, lastParts } from '../../test-support/ui-chat.ts'
import { createClient } from '../client/index.ts'
import { createHandler } from '../create-handler.ts'
import type { ServerSettings } from '../settings/settings.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const DOCS = readFileSync(join(ROOT, 'docs/web-app.md'), 'utf8')
const scratch = mkdtempSync(join(tmpdir(), 'retinue-web-app-'))

/** A fenced block, by what stands behind its opening fence. */
function block(info: string): string {
  const found = DOCS.split(`\`\`\`${info}\n`)[1]?.split('\n```')[0]
  if (found === undefined) throw new Error(`the page has no block ${info}`)
  return found
}

const load = (name: string) => import(pathToFileURL(join(scratch, name)).href)

beforeAll(async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(scratch, 'node_modules'))
  writeFileSync(join(scratch, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(scratch, 'app.ts'),
    block('ts file=app.ts').replace('file:app.db', `file:${join(scratch, 'app.db')}`),
  )
  writeFileSync(join(scratch, 'server.ts'), block('ts file=server.ts'))
  writeFileSync(join(scratch, 'chat.js'), (await transformWithOxc(block('tsx file=chat.tsx'), 'chat.tsx')).code)
  return () => rmSync(scratch, { recursive: true })
})

afterEach(() => void vi.unstubAllGlobals())

interface Page {
  Chat: FunctionComponent<{ chatId: string; messages: unknown[] }>
  chats(): Promise<{ id: string }[]>
  messagesOf(chatId: string): Promise<unknown[]>
}

test('the page of docs/web-app.md sends, approves, edits, says again, stops, and is loaded again', async () => {
  const window = new Window({ url: 'http://localhost/' })
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', window.document)
  vi.stubGlobal('FormData', window.FormData)
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  const turns: ScriptedTurn[] = [
    { calls: [{ id: 'r1', name: 'refund', args: { euros: 20 } }] },
    { text: 'It is paid back.' },
    { text: 'Hello, edited.' },
    { text: 'Hello again.' },
    { text: 'never', after: new Promise(() => {}) },
  ]
  const { app, storage } = (await load('app.ts')) as { app: Retinue; storage: Storage }
  const model = scriptedModel(turns)
  const server = createHandler({ app, resolveModel: () => model })
  vi.stubGlobal('fetch', (input: string | Request, init?: RequestInit) =>
    server.fetch(typeof input === 'string' ? new Request(new URL(input, 'http://localhost'), init) : input),
  )
  const page = (await load('chat.js')) as Page
  const settle = () => act(async () => new Promise((resolve) => setImmediate(resolve)))
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await settle()
  }
  const show = async () => {
    const messages = await page.messagesOf('c1')
    const place = window.document.createElement('div')
    window.document.body.append(place)
    const root = createRoot(place as never)
    await act(async () => root.render(createElement(page.Chat, { chatId: 'c1', messages })))
    const press = async (name: string) => {
      const buttons = [...place.querySelectorAll('button')].filter((button) => button.textContent === name)
      await act(async () => (buttons[0] as { click(): void } | undefined)?.click())
    }
    const say = async (text: string) => {
      const input = place.querySelector('input')
      if (input) input.value = text
      const submitted = new window.Event('submit', { bubbles: true, cancelable: true })
      await act(async () => void place.querySelector('form')?.dispatchEvent(submitted))
    }
    return { place, press, say, leave: () => act(async () => root.unmount()) }
  }
  const first = await show()
  await first.say('Refund me.')
  await until(() => first.place.textContent?.includes('Approve') === true)
  await first.leave()
  // Loaded again while it waits.
  const second = await show()
  await until(() => second.place.textContent?.includes('Approve') === true)
  await second.press('Approve')
  await until(() => second.place.textContent?.includes('It is paid back.') === true)
  expect(second.place.textContent).toContain('output-available')
  await settle()
  await second.press('Edit')
  await second.say('Hello.')
  await until(() => second.place.textContent?.includes('Hello, edited.') === true)
  expect(second.place.textContent).not.toContain('paid back')
  await settle()
  await second.press('Again')
  await until(() => second.place.textContent?.includes('Hello again.') === true)
  await settle()
  await second.say('And on?')
  await until(() => model.calls.length === 5)
  await second.press('Stop')
  await until(() => second.place.querySelectorAll('button[disabled]')[0]?.textContent === 'Stop')
  await second.leave()
  expect((await page.chats()).map(({ id }) => id)).toEqual(['c1'])
  expect(JSON.stringify(await page.messagesOf('c1'))).toMatch(/Hello\..*Hello again\..*And on\?/)
  expect(await page.messagesOf('c2')).toEqual([])
  await server.close()
  await storage.close()
  await window.happyDOM.close()
})

test('the lines of docs/web-app.md that decide do', async () => {
  const [approve = '', answer = ''] = block('ts decide').split('\n')
  const run = (line: string, chat: unknown, toolCallId: string) =>
    new Function('chat', 'toolCallId', `return (async () => { ${line} })()`)(chat, toolCallId) as Promise<void>
  const t = testApp({
    script: {
      sup: [
        { calls: [{ id: 'd1', name: 'clerk', args: { prompt: 'Pay.' } }] },
        { text: 'Paid.' },
        { calls: [{ id: 'a1', name: 'ask', args: {} }] },
        { text: 'Blue.' },
      ],
      'sup/clerk': [{ calls: [{ id: 'p1', name: 'pay', args: { euros: 5 } }] }, { text: 'Done.' }],
    },
  })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'Pay.' })
  await run(approve, chat, 'p1')
  expect([chat.error, t.paid]).toEqual([undefined, [{ euros: 8 }]])
  await chat.sendMessage({ text: 'Choose.' })
  await run(answer, chat, 'a1')
  expect(lastParts(chat)).toMatchObject([{ output: 'the blue one' }, {}, { text: 'Blue.' }])
})

test('the lines of docs/web-app.md that show what was said earlier do', async () => {
  const { code } = await transformWithOxc(`async () => { ${block('ts earlier')} }`, 'earlier.ts')
  const show = new Function('client', 'chatId', 'chat', `return (${code.trim().replace(/;$/, '')})()`)
  const t = testApp({ script: { sup: [{ text: 'One.' }, { text: 'Two.' }] } })
  const { threads } = createClient({ baseUrl: 'http://localhost', fetch: (request) => t.server.fetch(request) })
  const chat = chatWith(t, 'sup')
  await chat.sendMessage({ text: 'One?' })
  await chat.sendMessage({ text: 'Two?' })
  const all = chat.messages.map(({ id }) => id)
  chat.messages = chat.messages.slice(2)
  const uiMessages = (chatId: string, query: object = {}) => threads.uiMessages(chatId, { ...query, limit: 2 })
  const page = { setMessages: (messages: typeof chat.messages) => (chat.messages = messages), messages: chat.messages }
  await show({ threads: { uiMessages } }, 'chat-1', page)
  expect(chat.messages.map(({ id }) => id)).toEqual(all)
})

test('the settings of docs/web-app.md tell users apart, and its proxy passes the check of the origin', async () => {
  const { default: settings } = (await load('server.ts')) as { default: ServerSettings }
  const t = testApp({ settings, script: { sup: [{ text: 'Hi.' }] } })
  const as = (session: string) => ({ headers: { cookie: `a=b; session=${session}` } })
  expect((await t.get('/api/threads')).status).toBe(401)
  await t.post('/api/agents/sup/generate', { input: 'Hi.', threadId: 't1' }, as('ada'))
  expect((await t.get('/api/threads/t1', as('ada'))).status).toBe(200)
  expect((await t.get('/api/threads/t1', as('bob'))).status).toBe(404)
  expect(block('ts vite')).toContain("'/api': 'http://localhost:4111'")
  // What a browser sends to that proxy, and the proxy passes on with the Host that it was called by.
  const request = new Request('http://localhost:4111/api/agents')
  const passed = new Headers({ origin: 'http://localhost:5173', host: 'localhost:5173' })
  const plain = testApp()
  const answer = await plain.server.fetch(Object.defineProperty(request, 'headers', { value: passed }))
  expect(answer.status).toBe(200)
})
