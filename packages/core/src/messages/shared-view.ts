import type { AssistantMessage, AssistantPart, Message, UserMessage } from './message.ts'

/**
 * A conversation as children see it: what people and the agent said, with images and files, and nothing else. It grows with the
 * conversation and converts each message once, so that the hundredth delegation of a run costs what the first did.
 */
export class SharedView {
  readonly #shared: Message[] = []
  #read = 0

  /** The view of a conversation that has only ever been appended to since the last call. Do not change it. */
  of(messages: readonly Message[]): readonly Message[] {
    for (; this.#read < messages.length; this.#read++) {
      const shared = sharedForm(messages[this.#read] as Message)
      if (shared) this.#shared.push(shared)
    }
    return this.#shared
  }
}

/** The part of a message that a child may see; undefined if nothing is left. */
function sharedForm(message: Message): UserMessage | AssistantMessage | undefined {
  return message.role === 'user' || message.role === 'assistant'
    ? sharedMessage(message.role, message.content)
    : undefined
}

/** A message of the parts that a child may see, without providers' metadata; undefined if there are none. */
export function sharedMessage(
  role: 'user' | 'assistant',
  parts: readonly (AssistantPart | Record<string, unknown>)[],
): UserMessage | AssistantMessage | undefined {
  const content: UserMessage['content'] = []
  for (const part of parts as readonly AssistantPart[]) {
    if (part.type === 'text' && typeof part.text === 'string' && part.text.trim() !== '') {
      content.push({ type: 'text', text: part.text })
    } else if (part.type === 'file') {
      const { providerOptions: _metadata, ...file } = part
      content.push(file)
    }
  }
  return content.length === 0 ? undefined : { role, content }
}
