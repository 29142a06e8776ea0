import type { Agent, ChooseModel, InputMessage, RunResult, RunStream } from '@retinue/core/agent'

/** What was said so far, and the way to say more. It is kept for as long as the process lives. */
export class Conversation {
  readonly agent: Agent
  readonly #choose: ChooseModel
  #messages: readonly InputMessage[] = []

  constructor(agent: Agent, choose: ChooseModel) {
    this.agent = agent
    this.#choose = choose
  }

  get messages(): readonly InputMessage[] {
    return this.#messages
  }

  /** Begins a turn, which the signal stops. It is not part of the conversation before it is kept. */
  say(text: string, abortSignal: AbortSignal): Promise<RunStream> {
    return this.agent.stream([...this.#messages, userMessage(text)], { resolveModel: this.#choose, abortSignal })
  }

  /**
   * Takes a turn that has ended into the conversation, a stopped one with what was said until then. A failed one is left out, so
   * that what made it fail can't make the next one fail too. Returns whether it was taken.
   */
  keep(text: string, { finishReason, error, response }: RunResult): boolean {
    const stopped = finishReason === 'aborted'
    if (!stopped && (error !== undefined || response.messages.length === 0)) return false
    this.#messages = [...this.#messages, userMessage(text), ...response.messages]
    return true
  }

  clear(): void {
    this.#messages = []
  }
}

function userMessage(text: string): InputMessage {
  return { role: 'user', content: text }
}
