import { begunWith } from '../context/saved-context.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { RunState } from '../loop/run-state.ts'
import type { AgentMemory, RememberedMessage } from '../memory/agent-memory.ts'
import { keptMessage, type SavedConversation, type ThreadIds } from '../memory/kept-conversation.ts'
import { keptIdOf } from '../messages/kept-id.ts'
import type { StoredRun } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { isReplaced } from './is-replaced.ts'
import { memoryOf } from './open-memory.ts'
import type { Restored } from './open-saved.ts'
import type { Site } from './take-run.ts'
import { endTasks } from './turns-to-end.ts'

/**
 * Whether what a run said was deleted from its thread since it stopped: something else was said in its place, by somebody who died before
 * he could end the run, or who found the thread before the run had said anything. Its background tasks then end.
 */
export async function turnIsGone(
  { parts, application }: Site,
  storage: Storage,
  stored: StoredRun,
  { tree, requestContext }: Restored,
): Promise<boolean> {
  const { kept, thread } = tree.run
  if (!kept || !thread || thread.readOnly || stored.status === 'ended') return false
  const memory = await memoryOf(parts.options, begunWith(requestContext, tree.context), application, true)
  if (!memory || (await isThere(memory, thread, stored, kept, tree.run.state))) return false
  const runIds = new Set([stored.runId])
  if (application.background) await endTasks(storage, application, thread, runIds, stored.runId)
  return true
}

async function isThere(
  memory: AgentMemory,
  thread: ThreadIds,
  { runId, createdAt }: StoredRun,
  { token, kept, seen, pending, replace }: SavedConversation,
  { messages, inputLength }: RunState,
): Promise<boolean> {
  const find = (messageId: string): Promise<Found> => found(memory, thread, messageId)
  if (kept > 0) {
    // The last of it is near at hand.
    if (await find(`${token}/${kept - 1}`)) return true
    // What took its place may have come before the run was first saved.
    if (!(await isReplaced(memory, thread, runId, 0))) return true
    if (seen > inputLength) return false
    // Its input alone was kept: one that another run said, too, was sent before, and is not what took its place.
    const input = messages.slice(0, inputLength).findLast(({ role }) => role === 'user')
    const id = input && keptIdOf(input)
    const said = id === undefined ? undefined : await find(id)
    return said === 'unknown' || (said !== undefined && said.createdAt <= createdAt)
  }
  if (!replace) return true
  const [first] = pending
  const own = first && (await find(keptMessage(first, `${token}/0`).id))
  if (own === 'unknown' || own?.runId === runId) return true
  const from = await find(replace.from)
  return from === 'unknown' || (from !== undefined && from.sequence <= replace.until)
}

/** `unknown`: what is damaged, or of a thread that is not there, says nothing. */
type Found = RememberedMessage | 'unknown' | undefined

async function found(memory: AgentMemory, { threadId, resourceId }: ThreadIds, messageId: string): Promise<Found> {
  try {
    return await memory.getMessage({ threadId, resourceId, messageId })
  } catch (thrown) {
    if (isRetinueError(thrown, 'message-not-found')) return undefined
    if (isRetinueError(thrown, 'thread-not-found') || isRetinueError(thrown, 'storage-row-unreadable')) return 'unknown'
    throw thrown
  }
}
