import type { Agent, AgentInput, InputMessage } from '@retinue/core/agent'
import type { RequestContextLike } from '@retinue/core/request-context'
import { requestInvalid } from '../errors/request-errors.ts'
import { isObject } from '../is-object.ts'
import { answeredCalls, assertHasCall, type KeptThread } from './answered-calls.ts'

/** What a client sends is judged by who it is for. */
export interface Recipient {
  readonly agent: Agent
  readonly requestContext: RequestContextLike
  /** Names of tools that the client brings along, which are its to run. */
  readonly more?: readonly string[]
  /** The conversation that the server itself has; undefined where the client's word is all there is of it. */
  readonly thread: KeptThread | undefined
}

type Part = Record<string, unknown>
export type ClientMessage = Record<string, unknown>

/**
 * A client's messages as an input. It speaks as the person, and answers the calls of tools that are the client's to run; it does not
 * speak as the system (no schema lets it), gives no results of tools that the server runs, and decides on no approval by what it writes
 * into its history. Where the server has the conversation, it takes of it only what is new. Throws `request-invalid`.
 */
export async function messagesFromClient(messages: readonly ClientMessage[], to: Recipient): Promise<AgentInput> {
  const own = await clientTools(to)
  if (to.thread) {
    const answers = await answeredCalls(resultsIn(messages), own, to.thread)
    const fresh = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
    const said = fresh.filter(({ role }) => role === 'user').map(asSaid)
    const results = answers.length > 0 ? [{ role: 'tool' as const, content: answers }] : []
    return assertSome([...results, ...said])
  }
  return assertSome(messages.flatMap((message) => withoutServerCalls(message, own)))
}

function assertSome(messages: readonly InputMessage[]): readonly InputMessage[] {
  if (messages.length > 0) return messages
  throw requestInvalid('There is nothing new in the messages.', 'Send what the person says as the last message.')
}

/** Only the parts of a message that a person can bring about. */
function asSaid({ role: _role, content, parts, id }: ClientMessage): InputMessage {
  if (Array.isArray(parts)) return { role: 'user', parts, ...(typeof id === 'string' ? { id } : {}) }
  return { role: 'user', content }
}

/** Names of the agent's tools that are the client's to run. */
async function clientTools({ agent, requestContext, more = [] }: Recipient): Promise<ReadonlySet<string>> {
  const { tools } = agent.options
  const all = typeof tools === 'function' ? await tools({ requestContext }) : (tools ?? {})
  return new Set([
    ...more,
    ...Object.entries(all).flatMap(([name, tool]) => {
      const type = (tool as { readonly type?: unknown }).type
      // What the provider runs has no `execute` either.
      const isProviders = type === 'provider' || type === 'provider-defined'
      return tool.execute === undefined && !isProviders ? [name] : []
    }),
  ])
}

/** Tells the calls that are the client's to run. */
export async function isClientsCall(to: Recipient): Promise<(toolName: string) => boolean> {
  const own = await clientTools(to)
  return (toolName) => own.has(toolName)
}

/** A message of a conversation that is the client's word alone: calls of tools that the server runs are left out, with their results. */
function withoutServerCalls(message: ClientMessage, own: ReadonlySet<string>): InputMessage[] {
  const { role, parts, content } = message
  if (role === 'user') return [asSaid(message)]
  if (Array.isArray(parts)) {
    const kept = parts.filter((part) => isObject(part) && mayStay(part, own))
    return kept.length > 0 ? [{ role: 'assistant', parts: kept }] : []
  }
  if (Array.isArray(content)) content.forEach(assertHasCall)
  const kept = Array.isArray(content) ? content.filter((part) => isObject(part) && mayStay(part, own)) : content
  if (Array.isArray(kept) && kept.length === 0) return []
  return [{ role: role === 'tool' ? 'tool' : 'assistant', content: kept }]
}

/** Texts, files and steps, and the calls of client's tools. Reasoning is signed by the provider, and is of no use from elsewhere. */
function mayStay(part: Part, own: ReadonlySet<string>): boolean {
  const type = String(part['type'])
  if (type === 'text' || type === 'file' || type === 'image' || type === 'step-start') return true
  const name = toolOf(part)
  return name !== undefined && own.has(name) && part['providerExecuted'] !== true
}

/** The tool of a part that is a call or a result, of a UI message or a model message. */
function toolOf(part: Part): string | undefined {
  const type = String(part['type'])
  if (type === 'tool-call' || type === 'tool-result' || type === 'dynamic-tool')
    return typeof part['toolName'] === 'string' ? part['toolName'] : undefined
  return type.startsWith('tool-') ? type.slice('tool-'.length) : undefined
}

/** The results that messages hold, as parts of a model message. */
function resultsIn(messages: readonly ClientMessage[]): Part[] {
  return messages.flatMap(({ role, parts, content }) => {
    if (role === 'assistant' && Array.isArray(parts)) return parts.filter(isObject).flatMap(uiResult)
    if (role === 'tool' && Array.isArray(content)) return content.filter(isObject)
    return []
  })
}

function uiResult(part: Part): Part[] {
  const toolName = toolOf(part)
  const call = { type: 'tool-result', toolCallId: part['toolCallId'], toolName }
  if (part['state'] === 'output-available') {
    const value = part['output']
    const output = typeof value === 'string' ? { type: 'text', value } : { type: 'json', value: value ?? null }
    return [{ ...call, output }]
  }
  if (part['state'] === 'output-error')
    return [{ ...call, output: { type: 'error-text', value: String(part['errorText'] ?? 'The tool failed.') } }]
  return []
}
