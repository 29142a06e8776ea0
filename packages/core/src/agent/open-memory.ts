import { tellsOf } from '../background/task-note.ts'
import type { RequestContextLike } from '../context/request-context.ts'
import { agentInvalid } from '../errors/option-errors.ts'
import type { ThreadTasks } from '../loop/run-tasks.ts'
import { type AgentMemory, isAgentMemory, type MemoryTurn, type OpenedMemory } from '../memory/agent-memory.ts'
import { type Application, warnIn } from '../memory/application.ts'
import { KeptConversation, keptMessage, type SavedConversation, type ThreadIds } from '../memory/kept-conversation.ts'
import type { MemoryOption } from '../memory/memory-option.ts'
import { lockThread, threadBusy } from '../memory/thread-locks.ts'
import { assertGoesOn } from '../messages/from-input.ts'
import { type Message, messageText, type SystemMessage } from '../messages/message.ts'
import { recalledConversation } from '../messages/recalled.ts'
import { AbortScope } from '../shared/abort.ts'
import { LONGEST_TIMER_MS } from '../shared/longest-timer.ts'
import type { Tool } from '../tools/tool.ts'
import type { AgentOptions } from './agent-config.ts'
import type { ReplacedTurns } from './replaced-turns.ts'
import type { Place } from './resolve-parts.ts'

/** What a memory adds to a run. */
export interface Remembered {
  /** What the run begins with: what was said in the thread before, the call's context and its input. */
  readonly messages: readonly Message[]
  readonly system: readonly SystemMessage[]
  readonly tools: Readonly<Record<string, Tool>>
  readonly kept: KeptConversation
  /** The memory writes nothing, whatever the call says. */
  readonly readOnly: boolean
  /** Background tasks that it takes over. */
  readonly tasks?: ThreadTasks | undefined
  /** Lets go of the thread. */
  release(): void
}

/**
 * An agent's memory for a request, over the application's storage where it has none of its own. `held`: the agent is one that the
 * application holds, so that the application's memory stands in for its own.
 */
export async function memoryOf(
  { id, memory }: AgentOptions,
  requestContext: RequestContextLike,
  application: Application,
  held: boolean,
): Promise<AgentMemory | undefined> {
  const own = typeof memory === 'function' ? await memory({ requestContext }) : memory
  if (own !== undefined) assertMemory(own, id)
  return (own ?? (held ? application.memory : undefined))?.within(application.storage)
}

/** A memory that a function gave is one, or the run can't begin. */
function assertMemory(memory: unknown, agentId: string): void {
  if (isAgentMemory(memory)) return
  throw agentInvalid(
    `The function for the memory of the agent "${agentId}" gave something that is no memory.`,
    'It must give a Memory of @retinue/memory, or undefined for none.',
  )
}

/** What of a call its memory is told. */
export interface ThreadUse {
  readonly thread: ThreadIds
  readonly delegated: boolean
  /** As the call has it; a delegation has none. */
  readonly option?: MemoryOption | undefined
  /** The run's own messages, to be kept. */
  readonly own: readonly Message[]
  /** Whether they are kept when the thread is opened: else the processors see them first. */
  readonly keepAtOnce: boolean
  /** Finds what the run takes the place of, where it does, once it has the thread. */
  readonly replaces?: (() => Promise<ReplacedTurns | undefined>) | undefined
  /** What it found. */
  readonly replace?: ReplacedTurns | undefined
}

/**
 * Opens the thread of a run: waits for the run that goes on in it, recalls what was said, and keeps the input. Rejects with
 * `thread-busy`, `thread-not-found`, or whatever the storage fails with. Undefined if the run was aborted before.
 */
export function openMemory(memory: AgentMemory, place: Place, given: ThreadUse): Promise<Remembered | undefined> {
  return inThread(memory, place, given, async (replace) => {
    const use = replace ? { ...given, replace } : given
    const tasks = await tasksOfThread(memory, place, use)
    // Nobody waits any more for what is written now.
    if (place.abort.aborted) return undefined
    if (!tasks || tasks.notes.length === 0) return { ...(await opened(memory, place, use)), tasks }
    // What ended since comes before what is now said.
    const at = place.messages.length - use.own.length
    const messages = place.messages.toSpliced(at, 0, ...tasks.notes)
    return { ...(await opened(memory, { ...place, messages }, { ...use, own: [...tasks.notes, ...use.own] })), tasks }
  })
}

async function opened(memory: AgentMemory, place: Place, use: ThreadUse): Promise<Opened> {
  const opened = await memory.open(turnOf(place, use))
  if (use.keepAtOnce) await use.replace?.written()
  return remembered(place, use, opened)
}

type Opened = Omit<Remembered, 'release'>

/** The background tasks that earlier runs on the thread have left to this one. */
async function tasksOfThread(
  memory: AgentMemory,
  { root, runId }: Place,
  { thread, delegated, replace }: ThreadUse,
): Promise<ThreadTasks | undefined> {
  if (!root.tasks || delegated || thread.readOnly) return undefined
  const { threadId, resourceId } = thread
  const wasTold = (taskId: string) => isTold(memory, thread, taskId)
  return root.tasks.ofThread({ threadId, resourceId, runId, without: replace?.runIds, wasTold })
}

/** Whether a message of a thread tells of a task, the last ones first. */
async function isTold(memory: AgentMemory, { threadId, resourceId }: ThreadIds, taskId: string): Promise<boolean> {
  let before: number | undefined
  for (;;) {
    const query = { threadId, resourceId, limit: 200, ...(before === undefined ? {} : { before }) }
    const { messages, hasMore } = await memory.recall(query)
    if (messages.some((message) => tellsOf(message, taskId))) return true
    before = messages[0]?.sequence
    if (!hasMore || before === undefined) return false
  }
}

/** Opens the thread of a run that goes on: nothing is recalled anew, and what was kept is not kept again. */
export function reopenMemory(
  memory: AgentMemory,
  place: Place,
  use: ThreadUse,
  { token, pending, seen, kept }: SavedConversation,
): Promise<Remembered | undefined> {
  return inThread(memory, place, use, async (replace) => {
    const turn = turnOf(place, { ...use, replace })
    const opened = await memory.open({ ...turn, options: { ...turn.options, lastMessages: 0, semanticRecall: false } })
    const { system, tools, readOnly = false } = opened
    const run = { token, delegated: use.delegated, readOnly: use.thread.readOnly }
    const conversation = new KeptConversation(opened, run, pending, seen, kept, replace)
    return { messages: place.messages, system, tools, readOnly, kept: conversation }
  })
}

/**
 * What is opened once nobody else is in the thread, and it is found what it takes the place of; undefined if the run was aborted before.
 */
async function inThread(
  memory: AgentMemory,
  place: Place,
  use: ThreadUse,
  open: (replace: ReplacedTurns | undefined) => Promise<Opened | undefined>,
): Promise<Remembered | undefined> {
  const { thread, delegated } = use
  // Nobody else is in the thread of a delegation, and who only reads is in nobody's way.
  const release = delegated || thread.readOnly ? () => {} : await locked(memory, place, use)
  if (place.abort.aborted) {
    // It may be that nothing was taken: then another run goes on in the thread, and nothing may be written into it.
    release()
    return undefined
  }
  let replace: ReplacedTurns | undefined
  const letGo = (): void => {
    if (replace) void replace.release().finally(release)
    else release()
  }
  try {
    replace = await use.replaces?.()
    const opened = await open(replace)
    if (opened) return { ...opened, release: letGo }
    letGo()
    return undefined
  } catch (thrown) {
    await replace?.release()
    release()
    throw thrown
  }
}

/** Takes the thread, once it is free. Throws `thread-busy` if that takes too long. What comes after it has no such bound. */
async function locked(memory: AgentMemory, place: Place, { thread, option }: ThreadUse): Promise<() => void> {
  const { onBusy = 'wait', busyTimeoutMs } = option ?? {}
  const waiting = AbortScope.within(place.abort)
  // What has long begun waits as long as it takes.
  const stopClock =
    busyTimeoutMs === undefined || place.saved
      ? undefined
      : place.root.effects.startTimer(Math.min(busyTimeoutMs, LONGEST_TIMER_MS), () => waiting.abort())
  try {
    const release = await lockThread(memory.storage, thread, onBusy, (callback) => waiting.onAbort(callback))
    if (!waiting.aborted || place.abort.aborted) return release
    release()
  } finally {
    stopClock?.()
    waiting.dispose()
  }
  throw threadBusy(thread.threadId, 'wait longer: memory.busyTimeoutMs')
}

function remembered(place: Place, use: ThreadUse, opened: OpenedMemory): Opened {
  const { thread, delegated, own, keepAtOnce, replace } = use
  const context = place.messages.slice(0, place.messages.length - own.length)
  // A client sends what it knows of the conversation along: what came before its last answer is in the thread.
  const fresh =
    opened.recalled.length === 0 ? own : own.slice(own.findLastIndex(({ role }) => role === 'assistant') + 1)
  const messages = recalledConversation([...opened.recalled, ...context, ...fresh])
  if (!delegated) assertGoesOn(messages, fresh)
  const run = { token: place.root.effects.newId(), delegated, readOnly: thread.readOnly }
  const [pending, kept] = keepAtOnce ? [[], own.length] : [fresh, 0]
  const { system, tools, readOnly = false } = opened
  const replacing = keepAtOnce ? undefined : replace
  const conversation = new KeptConversation(opened, run, pending, messages.length, kept, replacing)
  return { messages, system, tools, readOnly, kept: conversation }
}

function turnOf(place: Place, { thread, delegated, option, own, keepAtOnce, replace }: ThreadUse): MemoryTurn {
  const token = place.root.effects.newId()
  const named = typeof option?.thread === 'object' ? option.thread : undefined
  const { readOnly: _readOnly, ...options } = option?.options ?? {}
  return {
    runId: place.runId,
    threadId: thread.threadId,
    resourceId: thread.owner ?? thread.resourceId,
    calledAs: thread.owner === undefined ? undefined : thread.resourceId,
    parent: thread.parent,
    title: named?.title,
    metadata: named?.metadata,
    messages: keepAtOnce ? own.map((message, index) => keptMessage(message, `${token}/${index}`)) : [],
    replace,
    task: taskOf(own.at(-1)),
    delegated,
    readOnly: thread.readOnly,
    options: option?.options && options,
    requestContext: place.requestContext,
    abortSignal: place.abort.signal,
    warn: (code, message) => warnIn(place.root.application, code, message),
  }
}

function taskOf(message: Message | undefined): string {
  return message?.role === 'user' ? messageText(message) : ''
}
