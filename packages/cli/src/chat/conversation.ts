import { randomUUID } from 'node:crypto'
import type { Agent, ChooseModel, RunResult, RunStream } from '@retinue/core/agent'
import type { AgentMemory, RememberedMessage } from '@retinue/core/memory'
import { decideCall, type Verdict } from '../run/decide-call.ts'
import { decidedBy } from '../run/decided-by.ts'
import { LOCAL_RESOURCE } from '../run/default-storage.ts'
import type { WaitingRun } from './decide-pending.ts'

/** A conversation that can be gone on with. */
export interface Listed {
  readonly threadId: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly updatedAt: number
}

/** A conversation with an agent, kept in a thread of its memory. */
export class Conversation {
  readonly agent: Agent
  readonly #choose: ChooseModel
  #threadId: string

  /** `threadId`: of a conversation to go on with. */
  constructor(agent: Agent, choose: ChooseModel, threadId: string = newThreadId()) {
    this.agent = agent
    this.#choose = choose
    this.#threadId = threadId
  }

  get threadId(): string {
    return this.#threadId
  }

  /** Begins a turn, which the signal stops. */
  say(text: string, abortSignal: AbortSignal): Promise<RunStream> {
    const thread = { id: this.#threadId, title: titleOf(text), metadata: { agent: this.agent.id } }
    return this.agent.stream(text, {
      memory: { thread, resource: LOCAL_RESOURCE },
      resolveModel: this.#choose,
      abortSignal,
    })
  }

  /** Begins a turn in which nothing new is said: the agent answers to what its tasks have brought. */
  goOn(abortSignal: AbortSignal): Promise<RunStream> {
    const memory = { thread: this.#threadId, resource: LOCAL_RESOURCE }
    return this.agent.stream([], { memory, resolveModel: this.#choose, abortSignal })
  }

  /** Decides a call that waits; the stream is that of the rest of its run. Rejects, before there is one, if that can't be. */
  decide(runId: string, toolCallId: string, verdict: Verdict): Promise<RunStream> {
    return decideCall(this.agent, verdict, { runId, toolCallId, decidedBy: decidedBy(), resolveModel: this.#choose })
  }

  /** The runs of this conversation that wait for a person, the oldest first. */
  async waiting(): Promise<readonly WaitingRun[]> {
    const { runs } = await this.agent.listSuspendedRuns({ threadId: this.#threadId, resourceId: LOCAL_RESOURCE })
    return runs.map(({ runId, toolCalls }) => ({ runId, calls: toolCalls }))
  }

  /**
   * Whether a turn that has ended was answered, or waits for a person; what was said of a stopped one stays, and what failed stays without
   * an answer.
   */
  isAnswered({ finishReason, error, response }: RunResult): boolean {
    return (
      finishReason === 'aborted' ||
      finishReason === 'suspended' ||
      (error === undefined && response.messages.length > 0)
    )
  }

  /** Begins anew; what was said stays where it is kept. */
  clear(): void {
    this.#threadId = newThreadId()
  }

  /** Goes on with another conversation; gives its last messages. Rejects with `thread-not-found`. */
  async resume(threadId: string): Promise<readonly RememberedMessage[]> {
    const { messages } = await (await this.#memory()).recall({ threadId, resourceId: LOCAL_RESOURCE, limit: SHOWN })
    this.#threadId = threadId
    return messages
  }

  /** The conversations with this agent, the last used first. */
  async list(): Promise<readonly Listed[]> {
    const page = await (await this.#memory()).listThreads({
      resourceId: LOCAL_RESOURCE,
      order: 'updated',
      limit: LISTED,
    })
    return page.items
      .filter(({ metadata }) => metadata?.['agent'] === this.agent.id)
      .map(({ id, title, updatedAt }) => ({ threadId: id, title: title ?? id, updatedAt }))
  }

  async #memory(): Promise<AgentMemory> {
    const memory = await this.agent.getMemory()
    if (!memory) throw new TypeError('An agent of an application with a memory has one.')
    return memory
  }
}

/** How many messages of a conversation are shown when it is gone on with. */
const SHOWN = 6

/** How many conversations are looked through for those of the agent. */
const LISTED = 100

const TITLE_LENGTH = 60

function newThreadId(): string {
  return `chat-${randomUUID()}`
}

/** What a conversation is called: how it began. */
function titleOf(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`
}
