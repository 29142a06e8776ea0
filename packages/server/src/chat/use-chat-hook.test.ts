import { type UseChatHelpers, useChat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { Window } from 'happy-dom'
import { act, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, test, vi } from 'vitest'
import { testApp } from '../../test-support/test-app.ts'
import { serve } from '../node/serve.ts'

afterEach(() => void vi.unstubAllGlobals())

test('the hook useChat of a page talks to a server that listens: text, an approval, and a page that is loaded again', async () => {
  const window = new Window()
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', window.document)
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  const t = testApp({
    script: {
      sup: [{ text: 'I pay.', calls: [{ id: 'p1', name: 'pay_bill', args: { euros: 5 } }] }, { text: 'Paid.' }],
    },
  })
  const server = await serve({ app: t.app, port: 0 })
  const api = `${server.url}/api/chat/sup`
  let chat: UseChatHelpers<UIMessage> | undefined
  function Page({ resume, messages }: { resume: boolean; messages: UIMessage[] }) {
    chat = useChat({
      id: 'chat-1',
      messages,
      resume,
      transport: new DefaultChatTransport({ api }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
    return createElement(
      'p',
      undefined,
      chat.messages.flatMap(({ parts }) => parts.map(textOf).filter((text) => text !== '')).join('|'),
    )
  }
  /** Shows the page as a browser does that has just loaded it. */
  const load = async (resume: boolean, messages: UIMessage[]) => {
    const place = window.document.createElement('div')
    const root = createRoot(place as never)
    await act(async () => root.render(createElement(Page, { resume, messages })))
    return { place, leave: () => act(async () => root.unmount()) }
  }
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await act(async () => new Promise((resolve) => setImmediate(resolve)))
  }
  const first = await load(false, [])
  await act(async () => chat?.sendMessage({ text: 'Pay.' }))
  await until(() => first.place.textContent === 'Pay.|I pay.|approval-requested')
  await first.leave()

  const known = (await (await fetch(`${server.url}/api/threads/chat-1/messages?format=ui`)).json()) as {
    messages: UIMessage[]
  }
  const second = await load(true, known.messages)
  await until(() => second.place.textContent === 'Pay.|I pay.|approval-requested')
  await act(async () => chat?.addToolApprovalResponse({ id: 'p1', approved: true }))
  await until(() => second.place.textContent === 'Pay.|I pay.|output-available|Paid.' && chat?.status === 'ready')
  expect(t.paid).toEqual([{ euros: 5 }])
  await second.leave()
  await server.close()
  await window.happyDOM.close()
})

function textOf(part: UIMessage['parts'][number]): string {
  if (part.type === 'text') return part.text
  return 'state' in part ? String(part.state) : ''
}
