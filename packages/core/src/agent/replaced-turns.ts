import { OPEN } from '../background/open-states.ts'
import { soundTerms } from '../background/stored-terms.ts'
import { TASK_ORIGIN, toldTasks } from '../background/task-note.ts'
import { optionInvalid } from '../errors/option-errors.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { AgentMemory, RememberedMessage } from '../memory/agent-memory.ts'
import { allPages } from '../storage/page.ts'
import type { Storage } from '../storage/storage.ts'
import type { ThreadKey } from '../storage/threads.ts'
import { callOff } from './call-off.ts'
import { storageInUse } from './storage-of.ts'
import type { Site } from './take-run.ts'
import { taskManagerIn } from './task-manager-in.ts'
import { taskAt } from './task-of-decision.ts'

const WHY = 'what it belongs to was said anew'

/** What of a thread a run takes the place of. */
export interface ReplacedTurns {
  /** The person's message that goes first. */
  readonly from: string
  /** Messages after it that stay: notes of tasks that earlier turns began, of which the model would not hear again. */
  readonly keep: readonly string[]
  /** All that go. */
  readonly gone: readonly string[]
  /** The runs that said it. */
  readonly runIds: ReadonlySet<string>
}

/**
 * Finds what a run takes the place of, and ends what still works or waits for it: runs that wait for a person, and background tasks but for
 * those that are detached. Nothing is deleted yet. To be called by who has the thread. Rejects with `thread-not-found`,
 * `message-not-found`, `option-invalid` for a message that no person said; with `run-busy` while another process works on one of the runs.
 */
export async function replacedTurns(
  { parts, application }: Site,
  memory: AgentMemory,
  key: ThreadKey,
  from: string,
): Promise<ReplacedTurns> {
  const { threadId, resourceId } = key
  const first = await memory.getMessage({ threadId, resourceId, messageId: from })
  if (first.role !== 'user' || first.origin !== undefined)
    throw optionInvalid(
      `memory.replaceFrom names the message "${from}", which no person said.`,
      'It is the id of a message of the person: an answer is given anew from the message that it answers.',
    )
  const messages = await messagesFrom(memory, key, first)
  const runIds = new Set(messages.flatMap(({ runId }) => (runId === undefined ? [] : [runId])))
  const storage = storageInUse(parts, application)
  if (storage) await endRuns(storage, key, runIds)
  if (storage && application.background) await endTasks({ parts, application }, storage, key, runIds)
  const keep: string[] = []
  for (const message of messages) if (await tellsOfOthers(storage, message, runIds)) keep.push(message.id)
  const kept = new Set(keep)
  return { from, keep, gone: messages.map(({ id }) => id).filter((id) => !kept.has(id)), runIds }
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

/** Those that have ended are kept for their results. */
async function endRuns(storage: Storage, { threadId, resourceId }: ThreadKey, runIds: ReadonlySet<string>) {
  for (const status of ['running', 'suspended'] as const) {
    const runs = await allPages((page) => storage.runs.list({ threadId, resourceId, status, ...page }))
    for (const { runId } of runs) {
      if (!runIds.has(runId)) continue
      await callOff(storage, runId, WHY).catch((thrown: unknown) => {
        // It ended meanwhile.
        if (!isRetinueError(thrown, 'run-not-found')) throw thrown
      })
    }
  }
}

async function endTasks(
  { application }: Site,
  storage: Storage,
  { threadId, resourceId }: ThreadKey,
  runIds: ReadonlySet<string>,
): Promise<void> {
  const manager = await taskManagerIn(application)
  const open = await allPages((page) => storage.tasks.list({ threadId, resourceId, status: OPEN, ...page }))
  for (const { taskId, rootRunId } of open) {
    if (!runIds.has(rootRunId)) continue
    const task = await taskAt(storage, taskId)
    if (task && !soundTerms(task)?.detached) await manager.cancel(taskId, WHY)
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
