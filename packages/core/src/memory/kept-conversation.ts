import { keptIdOf } from '../messages/kept-id.ts'
import type { AssistantMessage, Message } from '../messages/message.ts'
import type { ThreadKey } from '../storage/threads.ts'
import type { KeptMessage, OpenedMemory } from './agent-memory.ts'

/** Which thread a run belongs to, and whether anything may be written. */
export interface ThreadIds {
  readonly threadId: string
  /** Whose thread it is, as people, hooks and tools are told. */
  readonly resourceId: string
  /** Of a delegation's: who owns it, which is nobody else's. What a store checks. Default: `resourceId`. */
  readonly owner?: string | undefined
  /** The kept thread that a delegation's is for, by its owner; none where nothing above it is kept. */
  readonly parent?: ThreadKey | undefined
  readonly readOnly: boolean
}

/** Whose conversation is kept. */
export interface KeptRun {
  /** Names the messages of this run, and of no other: a run id may be used again. */
  readonly token: string
  /** A delegation's: of it only the prompt and the answer are kept. */
  readonly delegated: boolean
  readonly readOnly: boolean
}

/** How far a conversation is kept, as plain data. */
export interface SavedConversation {
  readonly token: string
  readonly pending: readonly Message[]
  readonly seen: number
  readonly kept: number
  /** What it takes the place of, where that is not deleted yet. */
  readonly replace?: SavedReplacement
}

/** What of a thread a run takes the place of, as plain data. */
export interface SavedReplacement {
  readonly from: string
  /** The sequence of the last message that goes. */
  readonly until: number
  /** The runs that said it. */
  readonly runIds: readonly string[]
}

/** What a run takes the place of when the first of its own is kept. */
export interface Replacing {
  readonly saved: SavedReplacement
  /** Throws `run-busy` if somebody else works by now on what is to end. */
  assertPossible(): void
  /** Ends what belonged to what is deleted now. It can be called again where it failed. */
  written(): Promise<void>
}

/** How a run's conversation comes into its thread: each message once, in order. */
export class KeptConversation {
  readonly #opened: OpenedMemory
  readonly #run: KeptRun
  /** What of the input is still to be kept. */
  #pending: readonly Message[]
  /** How many messages of the conversation were looked at: at first those that the run begins with. */
  #seen: number
  /** How many messages were kept, which numbers them. */
  #kept: number
  /** Whether the input was refused. */
  refused = false
  #replacing: Replacing | undefined

  /**
   * `pending`: the run's own input, where it was not kept when the thread was opened. `begunWith`: how many messages the run has.
   * `replacing`: what it takes the place of with the first that is kept, where that is still there.
   */
  constructor(
    opened: OpenedMemory,
    run: KeptRun,
    pending: readonly Message[],
    begunWith: number,
    kept: number,
    replacing?: Replacing,
  ) {
    this.#replacing = replacing
    this.#opened = opened
    this.#run = run
    this.#pending = pending
    this.#seen = begunWith
    this.#kept = kept
  }

  /** Where a run stands that goes on later, in this process or another. */
  saved(): SavedConversation {
    const replace = this.#replacing && { replace: this.#replacing.saved }
    return { token: this.#run.token, pending: this.#pending, seen: this.#seen, kept: this.#kept, ...replace }
  }

  /** What of the input is still to be kept. */
  get pending(): readonly Message[] {
    return this.#pending
  }

  /** Processors made another conversation of the input: what of it is the run's own, and how many messages there are now. */
  replaceInput(own: readonly Message[], begunWith: number): void {
    // Where nothing of it is left to be seen, what the person said is kept as it was.
    if (own.length > 0) this.#pending = own
    this.#seen = begunWith
  }

  /** The input was refused: it is not kept, so that it can't make the next run fail too. */
  refuseInput(): void {
    this.#pending = []
    this.refused = true
  }

  /** Keeps what was said since the last time. */
  async keep(messages: readonly Message[]): Promise<void> {
    const { delegated } = this.#run
    await this.#append(delegated ? this.#pending : [...this.#pending, ...messages.slice(this.#seen)])
    this.#pending = []
    this.#seen = messages.length
  }

  /** Keeps the rest, at the end of the run. It can be called again where it failed. */
  async end(messages: readonly Message[], text: string): Promise<void> {
    await this.keep(messages)
    if (this.#run.delegated) await this.#append(answerOf(messages, text))
    this.#opened.ended()
  }

  async #append(messages: readonly Message[]): Promise<void> {
    const { token, readOnly } = this.#run
    if (messages.length === 0 || readOnly) return
    const kept = messages.map((message, index) => keptMessage(message, `${token}/${this.#kept + index}`))
    this.#replacing?.assertPossible()
    await this.#opened.append(kept)
    await this.#replacing?.written()
    this.#replacing = undefined
    this.#kept += messages.length
  }
}

/** A message under the id that it is to be kept under, or else under one of the run's. */
export function keptMessage(message: Message, id: string): KeptMessage {
  return { id: keptIdOf(message) ?? id, message }
}

/** What a child answered, without the way that led there. */
function answerOf(messages: readonly Message[], text: string): AssistantMessage[] {
  const last = messages.findLast((message) => message.role === 'assistant')
  const files = last?.content.filter((part) => part.type === 'file') ?? []
  const said = text.trim() === '' ? [] : [{ type: 'text' as const, text }]
  return files.length + said.length === 0 ? [] : [{ role: 'assistant', content: [...said, ...files] }]
}
