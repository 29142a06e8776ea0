import type { AssistantMessage, Message } from '../messages/message.ts'
import type { OpenedMemory } from './agent-memory.ts'

/** Which thread a run belongs to, and whether anything may be written. */
export interface ThreadIds {
  readonly threadId: string
  readonly resourceId: string
  readonly readOnly: boolean
}

/** How a run's conversation comes into its thread: each message once, in order. */
export class KeptConversation {
  readonly #opened: OpenedMemory
  readonly #runId: string
  /** Messages that are not the run's to keep: what was recalled, and what the call gave as context. */
  readonly #given: ReadonlySet<Message>
  /** A delegation's: of it only the prompt and the answer are kept. */
  readonly #delegated: boolean
  readonly #readOnly: boolean
  /** How many messages of the conversation were looked at. */
  #seen: number
  /** How many messages were kept, which numbers them. */
  #kept: number

  /** `kept`: how many of the run's first messages were kept when the thread was opened. */
  constructor(
    opened: OpenedMemory,
    run: { runId: string; delegated: boolean; readOnly: boolean },
    given: ReadonlySet<Message>,
    seen: number,
    kept: number,
  ) {
    this.#opened = opened
    this.#runId = run.runId
    this.#delegated = run.delegated
    this.#readOnly = run.readOnly
    this.#given = given
    this.#seen = seen
    this.#kept = kept
  }

  /** Keeps what was said since the last time. */
  async keep(messages: readonly Message[]): Promise<void> {
    if (this.#delegated && this.#kept > 0) return
    const own = messages.slice(this.#seen).filter((message) => !this.#given.has(message))
    await this.#append(own)
    this.#seen = messages.length
  }

  /** Keeps the rest, at the end of the run. */
  async end(messages: readonly Message[], text: string): Promise<void> {
    if (this.#delegated) await this.#append(answerOf(messages, text))
    else await this.keep(messages)
    this.#opened.ended()
  }

  async #append(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0 || this.#readOnly) return
    const kept = messages.map((message, index) => ({ id: `${this.#runId}/${this.#kept + index}`, message }))
    await this.#opened.append(kept)
    this.#kept += messages.length
  }
}

/** What a child answered, without the way that led there. */
function answerOf(messages: readonly Message[], text: string): AssistantMessage[] {
  const last = messages.findLast((message) => message.role === 'assistant')
  const files = last?.content.filter((part) => part.type === 'file') ?? []
  const said = text.trim() === '' ? [] : [{ type: 'text' as const, text }]
  return files.length + said.length === 0 ? [] : [{ role: 'assistant', content: [...said, ...files] }]
}
