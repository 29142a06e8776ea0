import type { Chunk, FinishReason, Usage } from '@retinue/core/agent'
import type { ErrorInfo } from '@retinue/core/errors'

/** A call that is the client's to run. */
export interface ClientCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: unknown
}

/** Between what the agent said before it used its tools, and what it said then. */
const BETWEEN = '\n\n'

/** What of a run OpenAI's protocols have a place for: the root agent's text, calls for the client, and how it ended. */
export class Answer {
  readonly #runId: string
  readonly #isTyped: boolean
  readonly #open = new Map<string, ClientCall>()
  readonly #asked: string[] = []
  #text = ''
  #isNewBlock = false
  reason: FinishReason | undefined
  usage: Usage | undefined
  error: ErrorInfo | undefined

  /** `isTyped`: the client wants JSON; of what is said, the object alone is the answer. */
  constructor(runId: string, isTyped = false) {
    this.#runId = runId
    this.#isTyped = isTyped
  }

  get text(): string {
    return this.#text
  }

  /** Calls that nobody has answered: the client's, where the run ended with `tool-calls`. */
  get calls(): readonly ClientCall[] {
    return this.reason === 'tool-calls' ? [...this.#open.values()] : []
  }

  /** Takes in an event, and gives the text that it adds. */
  take(chunk: Chunk): string {
    if (chunk.type === 'tool-call-approval' || chunk.type === 'tool-call-suspended') {
      this.#asked.push(chunk.payload.toolName)
      return ''
    }
    if (chunk.runId !== this.#runId) return ''
    switch (chunk.type) {
      case 'text-start':
        this.#isNewBlock = this.#text !== ''
        return ''
      case 'text-delta':
        return this.#isTyped ? '' : this.#add(chunk.payload.text)
      case 'object':
        return this.#isTyped ? this.#add(JSON.stringify(chunk.payload.object)) : ''
      case 'tool-call':
        if (!chunk.payload.providerExecuted) this.#open.set(chunk.payload.toolCallId, chunk.payload)
        return ''
      case 'tool-result':
      case 'tool-error':
      case 'tool-output-denied':
        this.#open.delete(chunk.payload.toolCallId)
        return ''
      case 'error':
        this.error = chunk.payload.error
        return ''
      case 'finish':
        return this.#finish(chunk.payload)
      default:
        return ''
    }
  }

  #add(text: string): string {
    const added = this.#isNewBlock && text !== '' ? BETWEEN + text : text
    if (text !== '') this.#isNewBlock = false
    this.#text += added
    return added
  }

  #finish({ stepResult, totalUsage }: Extract<Chunk, { type: 'finish' }>['payload']): string {
    this.reason = stepResult.reason
    this.usage = totalUsage
    if (this.reason !== 'suspended') return ''
    // The protocols know no approvals: an empty answer would be one that nobody could make anything of.
    this.#isNewBlock = this.#text !== ''
    return this.#add(`[This waits for a person to decide on ${this.#asked.join(', ')}: run ${this.#runId}.]`)
  }
}
