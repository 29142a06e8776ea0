import type { RememberedMessage } from '@retinue/core/memory'
import { TOOL_FAILED } from './told-error.ts'

/** A message that was kept, as people outside may read it: what a tool threw is for the model and the log, as in a run's events. */
export function toldMessage(message: RememberedMessage): RememberedMessage {
  const { content } = message
  if (typeof content === 'string') return message
  return { ...message, content: content.map(toldPart) } as RememberedMessage
}

function toldPart<Part extends { readonly type: string }>(part: Part): Part {
  if (part.type !== 'tool-result') return part
  const { output } = part as { readonly output?: { readonly type?: unknown } }
  const isThrown = output?.type === 'error-text' || output?.type === 'error-json'
  return isThrown ? { ...part, output: { type: 'error-text', value: TOOL_FAILED } } : part
}
