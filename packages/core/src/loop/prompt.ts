import type { Message } from '../messages/message.ts'

/**
 * The prompt of a run, kept up as its conversation grows. Each call gets a copy of its own: a model may keep what it was asked,
 * and must not see it change.
 */
export class Prompt {
  readonly system: readonly Message[]
  readonly #messages: Message[]
  #read = 0

  constructor(system: readonly Message[], inherited: readonly Message[]) {
    this.system = system
    this.#messages = [...system, ...inherited]
  }

  /** The whole prompt for a conversation that has only ever been appended to since the last call. */
  of(conversation: readonly Message[]): Message[] {
    for (; this.#read < conversation.length; this.#read++) this.#messages.push(conversation[this.#read] as Message)
    return this.#messages.slice()
  }
}
