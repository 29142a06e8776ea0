import type { Message } from '../messages/message.ts'

/** What a conversation holds that not every model takes: known ahead, so that the usual prompt is not searched at every call. */
export interface PromptTraits {
  /** Files that are named by a URL. */
  urls: boolean
  /** Reasoning that may be of another provider than the one that is asked. */
  reasoning: boolean
}

/** Whether a message names a file by a URL. */
export function namesUrl({ content }: Message): boolean {
  if (typeof content === 'string') return false
  return content.some((part) => {
    if (part.type === 'file') return part.data.type === 'url'
    if (part.type !== 'tool-result' || part.output.type !== 'content') return false
    return part.output.value.some((item) => item.type === 'file' && item.data.type === 'url')
  })
}

/** Whether a message holds what only the provider that made it understands. */
export function holdsReasoning({ content }: Message): boolean {
  if (typeof content === 'string') return false
  return content.some(({ type }) => type === 'reasoning' || type === 'reasoning-file' || type === 'custom')
}
