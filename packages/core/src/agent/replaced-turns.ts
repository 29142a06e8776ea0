import { TASK_ORIGIN, toldTasks } from '../background/task-note.ts'
import { optionInvalid } from '../errors/option-errors.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { AgentMemory, RememberedMessage } from '../memory/agent-memory.ts'
import {
  keptMessage,
  type Replacing,
  type SavedConversation,
  type SavedReplacement,
} from '../memory/kept-conversation.ts'
import type { Storage } from '../storage/storage.ts'
import { messageNotFound } from '../storage/storage-errors.ts'
import type { ThreadKey } from '../storage/threads.ts'
import { storageInUse } from './storage-of.ts'
import type { Site } from './take-run.ts'
import { TurnsToEnd } from './turns-to-end.ts'

/** What of a thread a run takes the place of. */
export interface ReplacedTurns extends Replacing {
  /** The person's message that goes first. */
  readonly from: string
  /** Its place in the thread. */
  readonly sequence: number
  /** Messages after it that stay: notes of tasks that earlier turns began, of which the model would not hear again. */
  readonly keep: readonly string[]
  /** All that go. */
  readonly gone: readonly string[]
  /** The runs that said it. */
  readonly runIds: ReadonlySet<string>
  /** Lets go of what still waits or works for those turns, unless it has ended. */
  release(): Promise<void>
}

/** Who takes the place of turns. */
export interface ReplacingRun {
  readonly site: Site
  readonly memory: AgentMemory
  readonly key: ThreadKey
  readonly runId: string
}

/**
 * Finds what a run takes the place of, and takes what still works or waits for it, which ends once it is deleted: runs that wait for a
 * person, and background tasks but for those that are detached. Nothing is deleted yet. To be called by who has the thread. Rejects with
 * `thread-not-found`, `message-not-found`, `option-invalid` for a message that no person said; with `run-busy` while somebody works on one
 * of the runs. `until`: the last message that goes, where it was found before; what came after it stays.
 */
export async function replacedTurns(run: ReplacingRun, from: string, until?: number): Promise<ReplacedTurns> {
  const { memory, key } = run
  const { threadId, resourceId } = key
  const first = await memory.getMessage({ threadId, resourceId, messageId: from })
  if (first.role !== 'user' || first.origin !== undefined)
    throw optionInvalid(
      `memory.replaceFrom names the message "${from}", which no person said.`,
      'It is the id of a message of the person: an answer is given anew from the message that it answers.',
    )
  // Somebody else said it anew.
  if (until !== undefined && first.sequence > until) throw messageNotFound(threadId, from)
  const messages = await messagesFrom(memory, key, first)
  const [going, later] = [messages.filter(isUntil(until)), messages.filter((each) => !isUntil(until)(each))]
  const runIds = new Set(going.flatMap(({ runId }) => (runId === undefined ? [] : [runId])))
  const { parts, application } = run.site
  const storage = storageInUse(parts, application)
  const toEnd = storage && (await TurnsToEnd.take(storage, application, key, runIds, run.runId))
  try {
    const keep = later.map(({ id }) => id)
    for (const message of going) if (await tellsOfOthers(storage, message, runIds)) keep.push(message.id)
    const kept = new Set(keep)
    const gone = going.map(({ id }) => id).filter((id) => !kept.has(id))
    const saved = { from, until: going.at(-1)?.sequence ?? first.sequence, runIds: [...runIds] }
    return { from, sequence: first.sequence, keep, gone, runIds, ...ending(run, toEnd, saved) }
  } catch (thrown) {
    await toEnd?.release()
    throw thrown
  }
}

function isUntil(until: number | undefined): (message: RememberedMessage) => boolean {
  return ({ sequence }) => until === undefined || sequence <= until
}

function ending(
  { runId }: ReplacingRun,
  toEnd: TurnsToEnd | undefined,
  saved: SavedReplacement,
): Replacing & { release(): Promise<void> } {
  return {
    saved,
    assertPossible: () => toEnd?.assertHeld(),
    written: async () => toEnd?.end(runId),
    release: async () => toEnd?.release(),
  }
}

/**
 * The same for a run that goes on where it stopped, before anything of its own was known to be written. Undefined if it was: then what
 * was left of those turns has ended.
 */
export async function replacedOnResume(
  run: ReplacingRun,
  { token, pending, kept, replace }: SavedConversation,
): Promise<ReplacedTurns | undefined> {
  if (!replace) return undefined
  const [first] = pending
  if (!first || (await isOf(run, keptMessage(first, `${token}/${kept}`).id))) {
    await endLeft(run, new Set(replace.runIds))
    return undefined
  }
  return replacedTurns(run, replace.from, replace.until)
}

/** Whether a message of the thread is the run's. */
async function isOf({ memory, key, runId }: ReplacingRun, messageId: string): Promise<boolean> {
  try {
    return (await memory.getMessage({ ...idsOf(key), messageId })).runId === runId
  } catch (thrown) {
    if (isRetinueError(thrown, 'message-not-found')) return false
    throw thrown
  }
}

async function endLeft({ site: { parts, application }, key, runId }: ReplacingRun, runIds: ReadonlySet<string>) {
  const storage = storageInUse(parts, application)
  const toEnd = storage && (await TurnsToEnd.take(storage, application, key, runIds, runId))
  await toEnd?.end(runId)
}

function idsOf({ threadId, resourceId }: ThreadKey): ThreadKey {
  return { threadId, resourceId }
}

async function messagesFrom(
  memory: AgentMemory,
  { threadId, resourceId }: ThreadKey,
  first: RememberedMessage,
): Promise<RememberedMessage[]> {
  const found = [first]
  for (;;) {
    const after = found.at(-1)?.sequence as number
    const { messages, hasMore } = await memory.recall({ threadId, resourceId, after, limit: 200 })
    found.push(...messages)
    if (!hasMore || messages.length === 0) return found
  }
}

/** Whether a message tells of tasks that other turns began, or of which nobody knows that. */
async function tellsOfOthers(
  storage: Storage | undefined,
  message: RememberedMessage,
  runIds: ReadonlySet<string>,
): Promise<boolean> {
  if (message.origin !== TASK_ORIGIN) return false
  for (const taskId of toldTasks(message)) {
    const rootRunId = storage && (await rootOf(storage, taskId))
    if (rootRunId === undefined || !runIds.has(rootRunId)) return true
  }
  return false
}

async function rootOf(storage: Storage, taskId: string): Promise<string | undefined> {
  try {
    return (await storage.tasks.get(taskId)).rootRunId
  } catch (thrown) {
    if (isRetinueError(thrown, 'task-not-found') || isRetinueError(thrown, 'storage-row-unreadable')) return undefined
    throw thrown
  }
}
