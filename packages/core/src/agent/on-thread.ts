import { optionInvalid } from '../errors/option-errors.ts'
import type { AgentMemory } from '../memory/agent-memory.ts'
import { warnIn } from '../memory/application.ts'
import type { SavedConversation, ThreadIds } from '../memory/kept-conversation.ts'
import type { MemoryOption } from '../memory/memory-option.ts'
import type { Message } from '../messages/message.ts'
import { ABORTED } from '../shared/abort.ts'
import type { AgentParts } from './agent-parts.ts'
import { memoryOf, openMemory, type Remembered, reopenMemory, type ThreadUse } from './open-memory.ts'
import type { Place } from './resolve-parts.ts'
import { noteCallIds } from './root-run.ts'

/** The place of a run that belongs to a thread, with what its agent remembers of it. `own`: the input, without the call's context. */
export async function placeOnThread(
  parts: AgentParts,
  place: Place,
  option: MemoryOption,
  own: readonly Message[],
): Promise<Place> {
  const { thread, resource, options } = option
  const threadId = typeof thread === 'string' ? thread : thread.id
  const ids: ThreadIds = { threadId, resourceId: resource, readOnly: options?.readOnly ?? false }
  return remember(parts, place, { thread: ids, delegated: false, option, own })
}

/** The place of a run with what its agent remembers of its thread; without a memory, with the thread alone. */
export async function remember(parts: AgentParts, place: Place, use: Omit<ThreadUse, 'keepAtOnce'>): Promise<Place> {
  const { thread, delegated, own } = use
  const asked = memoryOf(parts.options, place.requestContext, place.root.application, !delegated)
  const memory = await place.abort.race(asked)
  if (!memory || memory === ABORTED) {
    if (memory === undefined && !delegated) warnIn(place.root.application, 'memory-missing', noMemory(parts.options.id))
    return { ...place, thread }
  }
  // What a client repeats of the thread is found once the thread is there, and processors may change what is to be kept.
  const keepAtOnce = parts.options.inputProcessors === undefined && own.every(({ role }) => role === 'user')
  const replaces = replacesOf(parts, place, memory, use)
  const opening = openMemory(memory, place, { ...use, keepAtOnce, replaces })
  // Once it is being written what is deleted can't be called off: whoever aborts it is told what came of it.
  const remembered = await (replaces ? opening : place.abort.race(opening))
  if (remembered === ABORTED) {
    // Nobody waits for it any more, but the next run on the thread does.
    opening.then((opened) => opened?.release()).catch(() => {})
    return { ...place, thread }
  }
  if (!remembered) return { ...place, thread }
  noteCallIds(place.root.callIds, remembered.messages)
  return withMemory(place, thread, remembered)
}

/** Finds what a call takes the place of; loaded with the first that does. */
function replacesOf(
  parts: AgentParts,
  { root: { application }, runId }: Place,
  memory: AgentMemory,
  { thread, option }: Omit<ThreadUse, 'keepAtOnce'>,
): ThreadUse['replaces'] {
  const from = option?.replaceFrom
  if (from === undefined) return undefined
  if (memory.readOnly)
    throw optionInvalid('memory.replaceFrom deletes, and the memory is read-only.', 'Leave one of them out.')
  const run = { site: { parts, application }, memory, key: thread, runId }
  return async () => (await import('./replaced-turns.ts')).replacedTurns(run, from)
}

/** Finds it again for a run that stopped before it was deleted. */
function replacesAgain(
  parts: AgentParts,
  { root: { application }, runId }: Place,
  memory: AgentMemory,
  key: ThreadIds,
  kept: SavedConversation,
): ThreadUse['replaces'] {
  if (!kept.replace) return undefined
  const run = { site: { parts, application }, memory, key, runId }
  return async () => (await import('./replaced-turns.ts')).replacedOnResume(run, kept)
}

function withMemory(place: Place, thread: ThreadIds, remembered: Remembered): Place {
  return {
    ...place,
    thread: remembered.readOnly ? { ...thread, readOnly: true } : thread,
    remembered,
    system: [...remembered.system, ...place.system],
    messages: [...remembered.messages],
    tasks: remembered.tasks?.open,
    told: remembered.tasks?.told.length ? remembered.tasks.told : undefined,
    close: () => {
      remembered.release()
      place.close()
    },
  }
}

/**
 * The place of a run that goes on where it stopped: on its thread again, with what it remembered then. A delegation has no `option`.
 * Without its memory it goes on all the same; what it says from then on is not kept, and a warning says so.
 */
export async function goOnInThread(parts: AgentParts, place: Place, option: MemoryOption | undefined): Promise<Place> {
  const { saved, thread } = place
  if (!saved?.kept || !thread) return place
  const { application } = place.root
  const delegated = option === undefined
  const memory = await place.abort.race(memoryOf(parts.options, place.requestContext, application, !delegated))
  if (memory === ABORTED) return place
  if (!memory) {
    warnIn(application, 'memory-missing', noMemory(parts.options.id))
    return place
  }
  const replaces = replacesAgain(parts, place, memory, thread, saved.kept)
  const use = { thread, delegated, option, own: [], keepAtOnce: true, replaces }
  const opening = reopenMemory(memory, place, use, saved.kept)
  const remembered = await place.abort.race(opening)
  if (remembered === ABORTED) {
    opening.then((opened) => opened?.release()).catch(() => {})
    return place
  }
  return remembered ? withMemory(place, thread, remembered) : place
}

function noMemory(agentId: string): string {
  return `The agent "${agentId}" was called with a thread and has no memory: nothing is recalled, and nothing is kept. Give it one: memory: new Memory().`
}
