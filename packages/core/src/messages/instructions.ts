import { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'
import type { SystemMessage } from './message.ts'

/** One instruction: text, or a system message with options for its provider (a cache mark, say). */
export type Instruction =
  | string
  | { role?: 'system'; content: string; providerOptions?: SystemMessage['providerOptions'] }

export type Instructions = Instruction | readonly Instruction[]

/** Instructions as system messages: plain texts joined by a blank line, messages with provider options each on its own. */
export function systemMessages(instructions: unknown, agentId: string): SystemMessage[] {
  if (instructions === undefined) return []
  const list: unknown[] = Array.isArray(instructions) ? instructions : [instructions]
  const out: SystemMessage[] = []
  for (const item of list) {
    const { content, providerOptions } = asMessage(item, agentId)
    if (content.trim() === '') continue
    const last = out.at(-1)
    if (last && !last.providerOptions && !providerOptions) last.content += `\n\n${content}`
    else out.push({ role: 'system', content, ...(providerOptions ? { providerOptions } : {}) })
  }
  return out
}

function asMessage(
  item: unknown,
  agentId: string,
): { content: string; providerOptions?: SystemMessage['providerOptions'] } {
  if (typeof item === 'string') return { content: item }
  if (isObject(item) && typeof item['content'] === 'string' && (item['role'] ?? 'system') === 'system') {
    const { content, providerOptions } = item
    return isObject(providerOptions)
      ? { content, providerOptions: providerOptions as NonNullable<SystemMessage['providerOptions']> }
      : { content }
  }
  throw new RetinueError({
    code: 'instructions-invalid',
    message: `The instructions of the agent "${agentId}" hold ${item === null ? 'null' : `a ${typeof item}`} that is no instruction.`,
    hint: 'Pass text, a system message { content, providerOptions? }, or a list of those.',
  })
}
