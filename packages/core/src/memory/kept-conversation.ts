import type { AssistantMessage, Message } from '../messages/message.ts'
import type { OpenedMemory } from './agent-memory.ts'

/** Which thread a run belongs to, and whether anything may be written. */
export interface ThreadIds {
  readonly threadId: string
  readonly resourceId: string
  readonly readOnly: boolean
}

/** Whose conversation is kept. */
export interface KeptRun {
  readonly runId: string
  /** A delegation's: of it only the prompt and the answer are kept. */
  readonly delegated: boolean
  readonly readOnly: boolean
  /** What the run begins with and is its own, before processors saw it. */
  readonly own?: readonly Message[]
}

/** How a run's conversation comes into its thread: each message once, in order. */
export class KeptConversation {
  readonly #opened: OpenedMemory
  readonly #run: KeptRun
  /** Messages that are not the run's to keep: what was recalled, and what the call gave as context. */
  readonly #given: ReadonlySet<Message>
  /** How many messages of the conversation were looked at. */
  #seen: number
  /** How many messages were kept, which numbers them. */
  #kept: number

  /** `kept`: how many of the run's first messages were kept when the thread was opened. */
  constructor(opened: OpenedMemory, run: KeptRun, given: ReadonlySet<Message>, seen: number, kept: number) {
    this.#opened = opened
    this.#run = run
    this.#given = given
    this.#seen = seen
    this.#kept = kept
  }

  /** Keeps what was said since the last time. */
  async keep(messages: readonly Message[]): Promise<void> {
    if (this.#run.delegated && this.#kept > 0) return
    await this.#append(this.#seen === 0 ? this.#begunWith(messages) : messages.slice(this.#seen).filter(this.#isOwn))
    this.#seen = messages.length
  }

  /** Keeps the rest, at the end of the run. */
  async end(messages: readonly Message[], text: string): Promise<void> {
    if (this.#run.delegated) await this.#append(answerOf(messages, text))
    else await this.keep(messages)
    this.#opened.ended()
  }

  readonly #isOwn = (message: Message): boolean => !this.#given.has(message)

  /**
   * What of the input is the run's own, after processors saw it: they may have made messages anew, also those that were recalled. As
   * many as are missing of those came before the run's own.
   */
  #begunWith(messages: readonly Message[]): readonly Message[] {
    const { own = [], delegated } = this.#run
    const rest = messages.filter(this.#isOwn)
    const first = rest.findIndex((message) => own.includes(message))
    // A child may have inherited a conversation, which is its parent's to keep: the prompt is the last.
    if (delegated) return first < 0 ? rest.slice(-1) : rest.slice(first, first + 1)
    const missing = this.#given.size - (messages.length - rest.length)
    const before = first < 0 ? Math.max(0, rest.length - (own.length || rest.length)) : first
    return rest.slice(Math.min(missing, before))
  }

  async #append(messages: readonly Message[]): Promise<void> {
    const { runId, readOnly } = this.#run
    if (messages.length === 0 || readOnly) return
    const kept = messages.map((message, index) => ({ id: `${runId}/${this.#kept + index}`, message }))
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
