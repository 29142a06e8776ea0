import type { RetinueError } from '../errors/retinue-error.ts'
import { inputError } from './input-error.ts'
import type { Message, ToolMessage, ToolResultPart } from './message.ts'
import { originOf } from './spoken-text.ts'

/**
 * A conversation in which every call has its result directly after it. A call that never got one (the process died, the run was
 * aborted) gets one that says so; a result without a call is an error, since nothing tells what it answers.
 */
export function repairOpenCalls(messages: readonly Message[]): Message[] {
  const out: Message[] = []
  const seen = new Set<string>()
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i] as Message
    if (message.role === 'tool')
      throw inputError(`The conversation holds a tool result that no call stands before.`, ORPHAN)
    out.push(message)
    if (message.role !== 'assistant') continue
    const open = openCalls(message.content)
    for (const id of open.keys()) {
      if (seen.has(id)) throw doubled(id)
      seen.add(id)
    }
    const results: ToolResultPart[] = []
    const notes: Message[] = []
    const take = (message: Message): void => {
      if (message.role !== 'tool') notes.push(message)
      else for (const part of message.content) if (part.type === 'tool-result') results.push(part)
    }
    for (let end = answersUntil(messages, i + 1); i + 1 < end; i++) take(messages[i + 1] as Message)
    const tool = answer(open, results)
    if (tool) out.push(tool)
    // A hook's feedback can stand between the results that came at once and those that a client gave later.
    out.push(...notes)
  }
  return out
}

/** Where the results of a message's calls end: tool messages, with notes of the framework between them. */
function answersUntil(messages: readonly Message[], from: number): number {
  let end = from
  for (let i = from; i < messages.length; i++) {
    const message = messages[i] as Message
    if (message.role === 'tool') end = i + 1
    else if (originOf(message) === undefined) break
  }
  return end
}

const ORPHAN =
  'Keep an assistant message with tool calls and the tool message that answers it together when you cut a history.'

function openCalls(content: Extract<Message, { role: 'assistant' }>['content']): Map<string, string> {
  const open = new Map<string, string>()
  for (const part of content) {
    if (part.type !== 'tool-call' || part.providerExecuted === true) continue
    if (open.has(part.toolCallId)) throw doubled(part.toolCallId)
    open.set(part.toolCallId, part.toolName)
  }
  return open
}

function doubled(id: string): RetinueError {
  return inputError(`Two tool calls have the id "${id}".`, 'Give each call of a conversation its own id.')
}

function answer(open: Map<string, string>, results: readonly ToolResultPart[]): ToolMessage | undefined {
  const answered = new Set<string>()
  for (const { toolCallId } of results) {
    if (!open.has(toolCallId))
      throw inputError(`The tool result "${toolCallId}" answers no call of the message before it.`, ORPHAN)
    if (answered.has(toolCallId))
      throw inputError(`The tool call "${toolCallId}" has two results.`, 'Keep one of them.')
    answered.add(toolCallId)
  }
  const content = [...results]
  for (const [toolCallId, toolName] of open) {
    if (!answered.has(toolCallId)) content.push({ type: 'tool-result', toolCallId, toolName, output: NEVER_ANSWERED })
  }
  return content.length === 0 ? undefined : { role: 'tool', content }
}

export const NEVER_ANSWERED: ToolResultPart['output'] = {
  type: 'error-text',
  value: 'No result of this call was recorded. It may or may not have run.',
}

/**
 * A selection of a conversation in which every result stands after its call: the message of a call that a cut took off comes back, and
 * a result of which nothing tells what it answers goes.
 */
export function withCalls(selection: readonly Message[], conversation: readonly Message[]): Message[] {
  const out: Message[] = []
  const called = new Set<string>()
  const add = (message: Message): void => {
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'tool-call') called.add(part.toolCallId)
    out.push(message)
  }
  for (const message of selection) {
    if (message.role !== 'tool') {
      add(message)
      continue
    }
    const caller = callerOf(message, conversation)
    if (caller && !selection.includes(caller) && !out.includes(caller)) add(caller)
    const content = message.content.filter((part) => part.type !== 'tool-result' || called.has(part.toolCallId))
    if (content.length === message.content.length) out.push(message)
    else if (content.length > 0) out.push({ ...message, content })
  }
  return out
}

/** The message of a conversation whose calls a message of it answers. */
function callerOf(message: Message, conversation: readonly Message[]): Message | undefined {
  const at = conversation.indexOf(message)
  return at < 0 ? undefined : conversation.slice(0, at).findLast(({ role }) => role === 'assistant')
}
