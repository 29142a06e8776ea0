import { Chat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import type { TestApp } from './test-app.ts'

export type Part = UIMessage['parts'][number] & Record<string, unknown>

/** A chat of the AI SDK over the server, without a network. */
export function chatWith(t: TestApp, agent: string, options: { messages?: UIMessage[]; auto?: boolean } = {}) {
  const transport = new DefaultChatTransport({
    api: `http://localhost/api/chat/${agent}`,
    fetch: ((input: string | URL | Request, init?: RequestInit) =>
      t.server.fetch(new Request(input, init))) as typeof fetch,
  })
  return new Chat({
    id: 'chat-1',
    transport,
    messages: options.messages ?? [],
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(state) || lastAssistantMessageIsCompleteWithToolCalls(state),
  })
}

/** The parts of the last message, the steps left out. */
export function lastParts(chat: { messages: UIMessage[] }): Part[] {
  return (chat.messages.at(-1)?.parts ?? []).filter(({ type }) => type !== 'step-start') as Part[]
}

/** Resolves when the chat says nothing any more. */
export async function settled(chat: { status: string }): Promise<void> {
  while (chat.status === 'streaming' || chat.status === 'submitted')
    await new Promise((resolve) => setImmediate(resolve))
}
