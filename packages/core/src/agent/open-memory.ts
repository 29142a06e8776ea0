import type { RequestContextLike } from '../context/request-context.ts'
import type { AgentMemory, MemoryTurn, OpenedMemory } from '../memory/agent-memory.ts'
import { type Application, warnIn } from '../memory/application.ts'
import { KeptConversation, type ThreadIds } from '../memory/kept-conversation.ts'
import type { MemoryOption } from '../memory/memory-option.ts'
import { lockThread } from '../memory/thread-locks.ts'
import type { Message, SystemMessage } from '../messages/message.ts'
import { recalledConversation } from '../messages/recalled.ts'
import type { Tool } from '../tools/tool.ts'
import type { AgentOptions } from './agent-config.ts'
import type { Place } from './resolve-parts.ts'

/** What a memory adds to a run. */
export interface Remembered {
  /** What was said in the thread before, as a conversation that every provider takes. */
  readonly recalled: readonly Message[]
  readonly system: readonly SystemMessage[]
  readonly tools: Readonly<Record<string, Tool>>
  readonly kept: KeptConversation
  /** The memory writes nothing, whatever the call says. */
  readonly readOnly: boolean
  /** Lets go of the thread. */
  release(): void
}

/**
 * An agent's memory for a request, over the application's storage where it has none of its own. `held`: the agent is one that the
 * application holds, so that the application's memory stands in for its own.
 */
export async function memoryOf(
  { memory }: AgentOptions,
  requestContext: RequestContextLike,
  application: Application,
  held: boolean,
): Promise<AgentMemory | undefined> {
  const own = typeof memory === 'function' ? await memory({ requestContext }) : memory
  return (own ?? (held ? application.memory : undefined))?.within(application.storage)
}

/** What of a call its memory is told. */
export interface ThreadUse {
  readonly thread: ThreadIds
  readonly delegated: boolean
  /** As the call has it; a delegation has none. */
  readonly option?: MemoryOption | undefined
  /** The run's own messages, to be kept. */
  readonly messages: readonly Message[]
  /** Whether they are kept when the thread is opened: else the processors see them first. */
  readonly keepAtOnce: boolean
}

/**
 * Opens the thread of a run: waits for the run that goes on in it, recalls what was said, and keeps the input. Rejects with
 * `thread-busy`, `thread-not-found`, or whatever the storage fails with. Undefined if the run was aborted before.
 */
export async function openMemory(memory: AgentMemory, place: Place, use: ThreadUse): Promise<Remembered | undefined> {
  const { thread, delegated, option } = use
  const release = delegated
    ? () => {}
    : await lockThread(memory.storage, thread.threadId, option?.onBusy ?? 'wait', (callback) =>
        place.abort.onAbort(callback),
      )
  if (place.abort.aborted) {
    // It may be that nothing was taken: then another run goes on in the thread, and nothing may be written into it.
    release()
    return undefined
  }
  try {
    const opened = await memory.open(turnOf(place, use))
    return { ...remembered(place, use, opened), release }
  } catch (thrown) {
    release()
    throw thrown
  }
}

function remembered(place: Place, use: ThreadUse, opened: OpenedMemory): Omit<Remembered, 'release'> {
  const { thread, delegated, messages, keepAtOnce } = use
  const recalled = recalledConversation(opened.recalled)
  const context = place.messages.slice(0, place.messages.length - messages.length)
  const kept = new KeptConversation(
    opened,
    { runId: place.runId, delegated, readOnly: thread.readOnly, own: messages },
    new Set([...recalled, ...context]),
    keepAtOnce ? recalled.length + place.messages.length : 0,
    keepAtOnce ? messages.length : 0,
  )
  const { system, tools, readOnly = false } = opened
  return { recalled, system, tools, kept, readOnly }
}

function turnOf(place: Place, { thread, delegated, option, messages, keepAtOnce }: ThreadUse): MemoryTurn {
  const named = typeof option?.thread === 'object' ? option.thread : undefined
  const { readOnly: _readOnly, ...options } = option?.options ?? {}
  return {
    threadId: thread.threadId,
    resourceId: thread.resourceId,
    title: named?.title,
    metadata: named?.metadata,
    messages: keepAtOnce ? messages.map((message, index) => ({ id: `${place.runId}/${index}`, message })) : [],
    task: textOf(messages.at(-1)),
    delegated,
    readOnly: thread.readOnly,
    options: option?.options && options,
    agentId: place.path.at(-1) ?? '',
    runId: place.runId,
    requestContext: place.requestContext,
    warn: (code, message) => warnIn(place.root.application, code, message),
  }
}

function textOf(message: Message | undefined): string {
  return message?.role === 'user'
    ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    : ''
}
