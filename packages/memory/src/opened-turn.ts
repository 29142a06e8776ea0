import { isRetinueError } from '@retinue/core/errors'
import {
  type KeptMessage,
  type MemoryTurn,
  type Message,
  type OpenedMemory,
  type SystemMessage,
  spokenText,
} from '@retinue/core/memory'
import type { NewMessage, Storage, StoredMessage, ThreadKey } from '@retinue/core/storage'
import type { Tool } from '@retinue/core/tools'
import type { ThreadAfterwork } from './afterwork.ts'
import { forgetReplaced } from './forget-replaced.ts'
import type { Settings } from './options/settings.ts'
import { indexMessages, type MeaningIndex } from './recall/message-vectors.ts'
import { newMessages } from './remembered-message.ts'
import { isPersons } from './spoken.ts'
import type { Teller } from './teller.ts'
import { giveTitle } from './titles/give-title.ts'

/** What a turn is worked with. */
export interface TurnParts {
  readonly storage: Storage
  readonly settings: Settings
  /** Undefined: nothing is recalled by meaning. */
  readonly index: MeaningIndex | undefined
  readonly afterwork: ThreadAfterwork
  readonly teller: Teller
}

/** What was found when the turn began. */
export interface Found {
  readonly recalled: readonly StoredMessage[]
  readonly system: readonly SystemMessage[]
  readonly tools: Readonly<Record<string, Tool>>
  /** Whether the thread has a title. */
  readonly titled: boolean
}

/** A run that goes on in a thread: keeps what it says, and looks after it when it has ended. */
export class OpenedTurn implements OpenedMemory {
  readonly readOnly: boolean
  readonly recalled: readonly Message[]
  readonly system: readonly SystemMessage[]
  readonly tools: Readonly<Record<string, Tool>>
  readonly #parts: TurnParts
  readonly #turn: MemoryTurn
  readonly #titled: boolean
  readonly #key: ThreadKey
  readonly #kept: KeptMessage[]
  /** What is still to be deleted. */
  #replace: MemoryTurn['replace']
  #replacing: Promise<void> | undefined

  constructor(parts: TurnParts, turn: MemoryTurn, { recalled, system, tools, titled }: Found) {
    this.readOnly = parts.settings.readOnly
    this.recalled = recalled.map(({ message }) => message)
    this.system = system
    this.tools = tools
    this.#parts = parts
    this.#turn = turn
    this.#titled = titled
    this.#key = { threadId: turn.threadId, resourceId: turn.resourceId }
    this.#kept = [...turn.messages]
    this.#replace = turn.messages.length === 0 ? turn.replace : undefined
  }

  async append(messages: readonly KeptMessage[]): Promise<void> {
    if (this.readOnly || messages.length === 0) return
    // Who is aborted keeps the rest while the first is still being written: it must be deleted once.
    await this.#replacing
    if (this.#replace) await this.#replaceWith(messages, this.#replace)
    else await this.#parts.storage.threads.append({ ...this.#key, messages: newMessages(messages, this.#turn.runId) })
    this.#kept.push(...messages)
  }

  async #replaceWith(messages: readonly KeptMessage[], replace: NonNullable<MemoryTurn['replace']>): Promise<void> {
    const writing = this.#deleteAndAppend(newMessages(messages, this.#turn.runId), replace).then(() => {
      this.#replace = undefined
    })
    this.#replacing = writing.catch(() => {})
    await writing
    await forgetReplaced(this.#parts, this.#key, replace.gone)
  }

  async #deleteAndAppend(messages: readonly NewMessage[], { from, keep }: NonNullable<MemoryTurn['replace']>) {
    const { threads } = this.#parts.storage
    const turn = { ...this.#key, messages, lastMessages: 0, at: Date.now() }
    try {
      await threads.beginTurn({ ...turn, replace: { from, keep } })
    } catch (thrown) {
      // It may have been written the last time, although it was said to have failed.
      if (!isRetinueError(thrown, 'message-not-found') || !(await this.#hasAny(messages))) throw thrown
      await threads.append({ ...this.#key, messages })
    }
  }

  async #hasAny([first]: readonly NewMessage[]): Promise<boolean> {
    if (!first) return false
    const neighbours = { ...this.#key, messageId: first.id, before: 0, after: 0 }
    return this.#parts.storage.threads.listNeighbours(neighbours).then(
      () => true,
      () => false,
    )
  }

  ended(): void {
    if (this.readOnly) return
    this.#index()
    this.#title()
  }

  #index(): void {
    const { index, afterwork, teller } = this.#parts
    if (!index) return
    afterwork.start(
      'vectors',
      (job) => indexMessages(job, index, this.#key, this.#kept),
      (thrown) => teller.notIndexed(this.#key.threadId, thrown),
    )
  }

  #title(): void {
    const { settings, storage, afterwork, teller } = this.#parts
    const { title } = settings
    const { delegated, task, requestContext } = this.#turn
    // Nobody lists the threads of delegations by their titles.
    if (title === undefined || this.#titled || delegated) return
    // A run before this one is still being named: the thread is called by what it began with.
    if (afterwork.isPending('title')) return
    const failed = (thrown: unknown): void =>
      teller.tell('memory-no-title', `the thread "${this.#key.threadId}" got no title of its own`, thrown)
    const exchange = { question: task || this.#said(isPersons), answer: this.#said(({ role }) => role === 'assistant') }
    afterwork.start(
      'title',
      (job) => giveTitle(job, storage.threads, this.#key, { setting: title, exchange, requestContext }, failed),
      failed,
    )
  }

  #said(by: (message: Message) => boolean): string {
    return (
      this.#kept.map(({ message }) => (by(message) ? spokenText(message) : '')).findLast((text) => text !== '') ?? ''
    )
  }
}
