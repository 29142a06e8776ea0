import type { AssistantMessage, Message, ToolResultPart } from './message.ts'
import { NEVER_ANSWERED } from './repair.ts'

/**
 * What was kept of a conversation, as one that every provider takes. It never throws: what is in a thread was put there by processes
 * that died, or by two at once, and whoever goes on in it can't mend it. It begins with the person; every result stands directly after
 * its call, wherever it was kept; a call that never got one gets one that says so; a result of no call goes; and of two calls with one
 * id, kept by different runs, the later is renamed.
 */
export function recalledConversation(messages: readonly Message[]): Message[] {
  const first = messages.findIndex(({ role }) => role === 'user')
  if (first < 0) return []
  const ids = new Set<string>()
  /** By the id that it was kept under: the last call of that id. */
  const calls = new Map<string, Call>()
  const steps = messages.slice(first).flatMap((message): Step[] => {
    if (message.role === 'assistant') {
      const own = callsOf(message, ids)
      for (const call of own) calls.set(call.keptAs, call)
      return [{ message: withIds(message, own), calls: own }]
    }
    if (message.role !== 'tool') return [{ message, calls: [] }]
    for (const part of message.content) {
      const call = part.type === 'tool-result' ? calls.get(part.toolCallId) : undefined
      if (call && part.type === 'tool-result') call.result ??= part
    }
    return []
  })
  return steps.flatMap(({ message, calls: own }) =>
    own.length === 0 ? [message] : [message, { role: 'tool', content: own.map(resultOf) }],
  )
}

/** A message, and the calls that it makes. */
interface Step {
  readonly message: Message
  readonly calls: readonly Call[]
}

interface Call {
  readonly keptAs: string
  readonly id: string
  readonly toolName: string
  result?: ToolResultPart
}

/** The calls of a message that somebody else than the provider answers, each under an id of its own. */
function callsOf({ content }: AssistantMessage, ids: Set<string>): Call[] {
  return content.flatMap((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted === true) return []
    let id = part.toolCallId
    for (let number = 2; ids.has(id); number++) id = `${part.toolCallId}_${number}`
    ids.add(id)
    return [{ keptAs: part.toolCallId, id, toolName: part.toolName }]
  })
}

function withIds(message: AssistantMessage, calls: readonly Call[]): AssistantMessage {
  if (calls.every(({ keptAs, id }) => keptAs === id)) return message
  const left = [...calls]
  const content = message.content.map((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted === true) return part
    const call = left.shift()
    return call ? { ...part, toolCallId: call.id } : part
  })
  return { ...message, content }
}

function resultOf({ id, toolName, result }: Call): ToolResultPart {
  if (!result) return { type: 'tool-result', toolCallId: id, toolName, output: NEVER_ANSWERED }
  return result.toolCallId === id ? result : { ...result, toolCallId: id }
}
