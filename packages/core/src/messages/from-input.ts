import type { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'
import { disarm } from './framework-note.ts'
import { partsFromContent, type Role } from './from-parts.ts'
import { messagesFromUi } from './from-ui.ts'
import { inputError, MESSAGE_FORM } from './input-error.ts'
import { withKeptId } from './kept-id.ts'
import { type Message, userText } from './message.ts'
import { repairOpenCalls } from './repair.ts'

/** A message as an application writes it: an AI SDK model message (`content`) or UI message (`parts`). */
export type InputMessage =
  | { role: 'system' | 'user' | 'assistant' | 'tool'; content: unknown; providerOptions?: Record<string, unknown> }
  | { role: 'system' | 'user' | 'assistant'; parts: readonly unknown[]; id?: string; metadata?: unknown }

/**
 * What `generate` and `stream` take: a text, a message, or a conversation that ends with the user's or a tool's message. On a thread that
 * the agent remembers an empty list is one, too: then what is not answered in it is answered, such as the result of a background task.
 */
export type AgentInput = string | InputMessage | readonly InputMessage[]

/** An input, split into the system messages that it begins with and the conversation. */
export interface Conversation {
  system: Extract<Message, { role: 'system' }>[]
  messages: Message[]
}

/** Turns an input, and what goes before it, into messages. Throws `input-invalid`, naming the message and what was expected. */
export function messagesFromInput(input: unknown, context?: unknown): Conversation {
  if (context !== undefined) return withContext(context, input)
  if (typeof input === 'string') {
    if (input.trim() === '') throw emptyInput()
    return { system: [], messages: [userText(disarm(input))] }
  }
  return validConversation(converted(input))
}

/**
 * Throws `input-invalid` for the conversation of a thread that no model can be asked with: one that ends with an answer, or a result
 * that answers no call of it. `input`: what was said now.
 */
export function assertGoesOn(messages: readonly Message[], input: readonly Message[]): void {
  const calls = new Set<string>()
  for (const message of [...messages, ...input])
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'tool-call') calls.add(part.toolCallId)
  for (const message of input) {
    if (message.role !== 'tool') continue
    const orphan = message.content.find((part) => part.type === 'tool-result' && !calls.has(part.toolCallId))
    if (orphan?.type === 'tool-result')
      throw inputError(
        `The tool result "${orphan.toolCallId}" answers no call that is recalled of the thread.`,
        'Send the result of a call that the thread has, under its id. One further back than `lastMessages` of the memory is not recalled.',
      )
  }
  const last = messages.at(-1)
  if (!last) throw inputError('The conversation does not begin with the user.', MESSAGE_FORM)
  if (last.role === 'assistant') throw endsWithAnswer()
}

/**
 * An input that goes on in a conversation which is not here: results of calls that were made there may stand alone, and what it
 * repeats is found later. `keepsIds`: UI messages of the person keep their ids. `own`: the input, without the context.
 */
export function looseMessagesFromInput(
  input: unknown,
  context: unknown,
  keepsIds = false,
): Conversation & { readonly own: readonly Message[] } {
  const said = context === undefined ? [] : contextList(context)
  if (typeof input === 'string' && input.trim() === '') throw emptyInput()
  const before = split(converted(said))
  const own = split(converted(input, keepsIds))
  // Who says nothing new wants what the thread has not answered yet to be answered.
  const isNothing = Array.isArray(input) && input.length === 0
  if (own.messages.length === 0 && !isNothing) throw noMessage()
  return {
    system: [...before.system, ...own.system],
    messages: [...before.messages, ...own.messages],
    own: own.messages,
  }
}

/** Throws `input-invalid` for what no run on a thread can begin with. */
export function assertInput(input: AgentInput): void {
  looseMessagesFromInput(input, undefined)
}

function withContext(context: unknown, input: unknown): Conversation {
  const before = split(converted(contextList(context)))
  const own = messagesFromInput(input)
  return {
    system: [...before.system, ...own.system],
    messages: repairOpenCalls([...before.messages, ...own.messages]),
  }
}

function contextList(context: unknown): readonly unknown[] {
  if (!Array.isArray(context)) throw inputError('The option context is no list of messages.', MESSAGE_FORM)
  return context
}

function converted(input: unknown, keepsIds = false): Message[] {
  const list = Array.isArray(input) ? input : [input]
  const all: Message[] = []
  for (let index = 0; index < list.length; index++) all.push(...convert(list[index], index, keepsIds))
  return all
}

function convert(message: unknown, index: number, keepsIds: boolean): Message[] {
  if (typeof message === 'string') return [userText(disarm(message))]
  if (!isObject(message)) throw inputError(`Message ${index} is not a message.`, MESSAGE_FORM, index)
  const role = message['role']
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool') {
    throw inputError(`Message ${index} has the role ${JSON.stringify(role)}.`, MESSAGE_FORM, index)
  }
  if (Array.isArray(message['parts'])) {
    const messages = messagesFromUi(role, message['parts'], index)
    return keepsIds && role === 'user' ? messages.map((said) => withKeptId(said, message['id'])) : messages
  }
  return fromModelMessage(role, message, index)
}

function fromModelMessage(role: Role, message: Record<string, unknown>, index: number): Message[] {
  const content = message['content']
  const options = isObject(message['providerOptions']) ? { providerOptions: message['providerOptions'] } : {}
  if (role === 'system') {
    if (typeof content !== 'string')
      throw inputError(`Message ${index}: a system message's content is text.`, MESSAGE_FORM, index)
    return content.trim() === '' ? [] : [{ role, content, ...options } as Message]
  }
  const parts = partsFromContent(role, content, index)
  return parts.length === 0 ? [] : [{ role, content: parts, ...options } as Message]
}

/** System messages apart from the conversation, which they come before. */
function split(all: Message[]): Conversation {
  const system: Conversation['system'] = []
  const messages: Message[] = []
  for (const message of all) {
    if (message.role !== 'system') messages.push(message)
    else if (messages.length === 0) system.push(message)
    else
      throw inputError(
        'A system message stands after other messages.',
        'System messages come first; pass a note in the conversation as a user message.',
      )
  }
  return { system, messages }
}

function validConversation(all: Message[]): Conversation {
  const { system, messages } = split(all)
  const last = messages.at(-1)
  if (!last) throw noMessage()
  if (last.role === 'assistant' && !last.content.some((part) => part.type === 'tool-call')) throw endsWithAnswer()
  return { system, messages: repairOpenCalls(messages) }
}

function emptyInput(): RetinueError {
  return inputError('The input is empty.', 'Pass the text of the request.')
}

function noMessage(): RetinueError {
  return inputError('The input holds no message.', 'Pass at least one user message that is not empty.')
}

function endsWithAnswer(): RetinueError {
  return inputError(
    'The conversation ends with an assistant message.',
    'The last message must be the user’s, or the result of a tool.',
  )
}
