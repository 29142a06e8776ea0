import { requestInvalid } from '../errors/request-errors.ts'
import { isObject } from '../is-object.ts'
import type { ClientMessage } from '../work/client-messages.ts'

type Part = Record<string, unknown>

/**
 * Messages of OpenAI's protocols as those of a client. What is written as the system's is the client's word like everything else, and
 * is told to the agent as the person's: its instructions are the server's.
 */
export function clientMessages(messages: readonly Part[]): ClientMessage[] {
  const names = new Map<string, string>()
  return messages.flatMap((message) => clientMessage(message, names))
}

/** `names`: the tools of calls, by their ids, for the results that follow. */
function clientMessage(message: Part, names: Map<string, string>): ClientMessage[] {
  const { role, content } = message
  if (role === 'system' || role === 'developer' || role === 'user')
    return isBlank(content) ? [] : [{ role: 'user', content: parts(content) }]
  if (role === 'tool') {
    const id = String(message['tool_call_id'])
    return [{ role: 'tool', content: [toolResult(id, names.get(id), plainText(content))] }]
  }
  if (role !== 'assistant') throw requestInvalid(`A message has the role ${JSON.stringify(role)}.`, ROLES)
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isObject) : []
  const said = isBlank(content) ? [] : [{ type: 'text', text: plainText(content) }]
  const asked = calls.map((call) => {
    const { name, arguments: args } = (isObject(call['function']) ? call['function'] : {}) as Part
    names.set(String(call['id']), String(name))
    return toolCall(String(call['id']), String(name), args)
  })
  return said.length + asked.length === 0 ? [] : [{ role: 'assistant', content: [...said, ...asked] }]
}

/** The input of `/v1/responses` as messages of a client. */
export function clientItems(input: string | readonly Part[]): ClientMessage[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const names = new Map<string, string>()
  return input.flatMap((item): ClientMessage[] => {
    switch (item['type']) {
      case undefined:
      case 'message':
        return clientMessage(item, names)
      case 'function_call': {
        const id = String(item['call_id'])
        names.set(id, String(item['name']))
        return [{ role: 'assistant', content: [toolCall(id, String(item['name']), item['arguments'])] }]
      }
      case 'function_call_output': {
        const id = String(item['call_id'])
        return [{ role: 'tool', content: [toolResult(id, names.get(id), plainText(item['output']))] }]
      }
      case 'reasoning':
        // Signed by a provider, and of use to it alone.
        return []
      default:
        throw requestInvalid(`The input has an item of type ${JSON.stringify(item['type'])}.`, 'Send messages.')
    }
  })
}

const ROLES = 'It can be user, assistant, system, developer or tool.'

function toolCall(toolCallId: string, toolName: string, args: unknown): Part {
  return { type: 'tool-call', toolCallId, toolName, input: parsedArguments(args) }
}

function toolResult(toolCallId: string, toolName: string | undefined, value: string): Part {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }
}

function parsedArguments(args: unknown): unknown {
  if (typeof args !== 'string') return args ?? {}
  try {
    return JSON.parse(args === '' ? '{}' : args)
  } catch {
    throw requestInvalid('The arguments of a call are no JSON.', 'Send them back as they came.')
  }
}

function isBlank(content: unknown): boolean {
  return content === null || content === undefined || content === '' || (Array.isArray(content) && content.length === 0)
}

function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return JSON.stringify(content ?? '')
  return content.map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
}

function parts(content: unknown): string | Part[] {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw requestInvalid('A message has no content.', 'Send a text, or a list of parts.')
  return content.map((part: unknown) => {
    const converted = isObject(part) ? contentPart(part) : undefined
    if (converted) return converted
    const type = isObject(part) ? part['type'] : typeof part
    throw requestInvalid(
      `A message has a part of type ${JSON.stringify(type)}.`,
      'It can be a text, an image or a file.',
    )
  })
}

function contentPart(part: Part): Part | undefined {
  switch (part['type']) {
    case 'text':
    case 'input_text':
      return { type: 'text', text: part['text'] }
    case 'image_url':
      return { type: 'image', image: isObject(part['image_url']) ? part['image_url']['url'] : part['image_url'] }
    case 'input_image':
      return { type: 'image', image: part['image_url'] }
    case 'file':
      return isObject(part['file']) ? filePart(part['file']) : undefined
    case 'input_file':
      return filePart(part)
    default:
      return undefined
  }
}

function filePart({ file_data: data, file_url: url, filename }: Part): Part {
  const name = typeof filename === 'string' ? { filename } : {}
  return { type: 'file', data: data ?? url, ...name }
}
