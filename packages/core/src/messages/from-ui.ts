import { isObject } from '../shared/records.ts'
import { partsFromContent, type Role, valueOutput } from './from-parts.ts'
import { inputError } from './input-error.ts'
import type { AssistantPart, Message, ToolResultPart } from './message.ts'

/** Parts of a UI message that say nothing to a model. */
const SILENT: ReadonlySet<unknown> = new Set(['source-url', 'source-document'])

/** A UI message as model messages: an assistant's is one a step, each followed by the results of its tools. */
export function messagesFromUi(role: Role, parts: readonly unknown[], index: number): Message[] {
  if (role === 'tool') throw inputError(`Message ${index}: a UI message has no role "tool".`, undefined, index)
  if (role === 'system') {
    const text = parts
      .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
      .join('\n')
    return text.trim() === '' ? [] : [{ role, content: text }]
  }
  if (role === 'user') return [{ role, content: partsFromContent(role, parts.flatMap(plainPart), index) } as Message]
  return assistantSteps(parts, index)
}

function plainPart(part: unknown): unknown[] {
  if (!isObject(part)) return [part]
  const type = part['type']
  if (SILENT.has(type) || (typeof type === 'string' && type.startsWith('data-'))) return []
  if (type === 'file') return [{ ...part, data: part['url'] ?? part['data'] }]
  return [part]
}

function assistantSteps(parts: readonly unknown[], index: number): Message[] {
  const out: Message[] = []
  let content: AssistantPart[] = []
  let results: ToolResultPart[] = []
  const close = (): void => {
    if (content.length > 0) out.push({ role: 'assistant', content })
    if (results.length > 0) out.push({ role: 'tool', content: results })
    content = []
    results = []
  }
  for (const part of parts) {
    if (!isObject(part)) throw inputError(`Message ${index} has a part that is no object.`, undefined, index)
    if (part['type'] === 'step-start') close()
    else if (isToolPart(part)) addTool(part, content, results)
    else for (const plain of plainPart(part)) content.push(...partsFromContent('assistant', [plain], index))
  }
  close()
  return out
}

function isToolPart(part: Record<string, unknown>): boolean {
  const type = part['type']
  return (
    typeof part['toolCallId'] === 'string' &&
    typeof type === 'string' &&
    (type.startsWith('tool-') || type === 'dynamic-tool')
  )
}

function addTool(part: Record<string, unknown>, content: AssistantPart[], results: ToolResultPart[]): void {
  const type = String(part['type'])
  const toolName = type === 'dynamic-tool' ? String(part['toolName']) : type.slice('tool-'.length)
  const toolCallId = String(part['toolCallId'])
  // A call whose arguments were still streaming was never made.
  if (part['state'] === 'input-streaming') return
  content.push({ type: 'tool-call', toolCallId, toolName, input: part['input'] ?? part['rawInput'] ?? {} })
  if (part['state'] === 'output-available') {
    results.push({ type: 'tool-result', toolCallId, toolName, output: valueOutput(part['output']) })
  } else if (part['state'] === 'output-error') {
    const value = typeof part['errorText'] === 'string' ? part['errorText'] : 'The tool failed.'
    results.push({ type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value } })
  }
}
