import { isObject } from '../shared/records.ts'
import { legalToolName } from '../shared/tool-name.ts'
import { disarm } from './framework-note.ts'
import { callInput, partsFromContent, type Role } from './from-parts.ts'
import { inputError } from './input-error.ts'
import type { AssistantPart, Message, ToolOutput, ToolResultPart } from './message.ts'
import { valueOutput } from './tool-output.ts'

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
  const name = type === 'dynamic-tool' ? String(part['toolName']) : type.slice('tool-'.length)
  const call = { toolCallId: String(part['toolCallId']), toolName: legalToolName(name) }
  // A call whose arguments were still streaming was never made.
  if (part['state'] === 'input-streaming') return
  const executed = part['providerExecuted'] === true
  const input = callInput(part['input'] ?? part['rawInput'])
  content.push({
    type: 'tool-call',
    ...call,
    input,
    ...(executed ? { providerExecuted: true } : {}),
    ...metadata(part),
  })
  const output = outputOf(part)
  // What the provider ran stands in the model's own message.
  if (output) (executed ? content : results).push({ type: 'tool-result', ...call, output })
}

function outputOf(part: Record<string, unknown>): ToolOutput | undefined {
  switch (part['state']) {
    case 'output-available':
      return valueOutput(part['output'])
    case 'output-error':
      return { type: 'error-text', value: disarm(String(part['errorText'] ?? 'The tool failed.')) }
    case 'output-denied':
      return { type: 'execution-denied' }
    default:
      return undefined
  }
}

function metadata(part: Record<string, unknown>): { providerOptions?: never } {
  const given = part['callProviderMetadata']
  return isObject(given) ? { providerOptions: given as never } : {}
}
