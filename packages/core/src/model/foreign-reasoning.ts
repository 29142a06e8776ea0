import type { AssistantMessage, AssistantPart, Message } from '../messages/message.ts'

/** The provider that a model object names, without the kind of API: `openai` of `openai.responses`. */
function providerFamily(provider: string): string {
  return provider.split('.', 1)[0] ?? provider
}

/** Marks a message with the provider whose model said it, where it holds what only that provider understands. */
export function markProvider(message: AssistantMessage, provider: string): AssistantMessage {
  if (!message.content.some(isProviders)) return message
  const options = message.providerOptions
  return {
    ...message,
    providerOptions: { ...options, retinue: { ...options?.['retinue'], provider: providerFamily(provider) } },
  }
}

/** A prompt without the reasoning of other providers: no provider takes another's, and it is nobody else's to read. */
export function withoutForeignReasoning(prompt: readonly Message[], provider: string): Message[] {
  const family = providerFamily(provider)
  return prompt.flatMap((message) => {
    if (message.role !== 'assistant' || !message.content.some(isProviders)) return [message]
    const content = message.content.filter((part) => !isProviders(part) || madeBy(message, part, family))
    if (content.length === message.content.length) return [message]
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

/** Parts that only the provider that made them understands. */
function isProviders(part: AssistantPart): boolean {
  return part.type === 'reasoning' || part.type === 'reasoning-file' || part.type === 'custom'
}

/** Whether a provider made a part: the message's mark says so, else the part's own metadata; a part without either could be anyone's. */
function madeBy({ providerOptions }: AssistantMessage, part: AssistantPart, family: string): boolean {
  const marked = providerOptions?.['retinue']?.['provider']
  if (typeof marked === 'string') return marked === family
  const names = Object.keys(part.providerOptions ?? {})
  return names.length === 0 || names.includes(family)
}
