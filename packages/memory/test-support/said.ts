import type { AgentMemory, RememberedMessage } from '@retinue/core/memory'

/** Messages in short: a role, then the texts, calls and results. */
export function said(messages: readonly RememberedMessage[]): string[] {
  return messages.map(({ role, content }) => {
    const parts = typeof content === 'string' ? [content] : content.map(inShort)
    return `${role}: ${parts.join(' | ')}`
  })
}

/** What a memory has of a thread, in short. */
export async function kept(memory: AgentMemory, threadId: string, resourceId: string): Promise<string[]> {
  return said((await memory.recall({ threadId, resourceId, limit: 1000 })).messages)
}

type Part = Exclude<RememberedMessage['content'], string>[number]

function inShort(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text
    case 'tool-call':
      return `call ${part.toolName}`
    case 'tool-result':
      return `result ${part.toolName}`
    default:
      return `(${part.type})`
  }
}
