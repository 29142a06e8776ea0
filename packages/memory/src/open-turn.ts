import { isRetinueError } from '@retinue/core/errors'
import type { MemoryTurn, SystemMessage } from '@retinue/core/memory'
import type { BegunTurn, StoredMessage, ThreadKey } from '@retinue/core/storage'
import type { Tool } from '@retinue/core/tools'
import { forgetReplaced } from './forget-replaced.ts'
import { inTime } from './in-time.ts'
import { OpenedTurn, type TurnParts } from './opened-turn.ts'
import type { WorkingMemorySettings } from './options/settings.ts'
import { withQuestion } from './recall/history.ts'
import { relatedMessages } from './recall/related.ts'
import { relatedMessage } from './recall/related-message.ts'
import { newMessages } from './remembered-message.ts'
import { Notes } from './working-memory/notes.ts'
import { offerNotes } from './working-memory/offer-notes.ts'

/** How long a run waits for what has to do with its task, in milliseconds. */
const RECALL_MS = 10_000

/**
 * Opens a thread for a run. Rejects with what the storage fails with; a recall that fails or takes too long is told, and the run goes on.
 */
export async function openTurn(parts: TurnParts, turn: MemoryTurn): Promise<OpenedTurn> {
  const { settings, storage } = parts
  const key: ThreadKey = { threadId: turn.threadId, resourceId: turn.resourceId }
  const begun = await begin(parts, turn, key)
  if (begun.unreadable.length > 0)
    parts.teller.tell(
      'memory-unreadable',
      `${begun.unreadable.length} of what is kept of the thread "${key.threadId}" can't be read`,
    )
  const isKeptAtOnce = turn.messages.length > 0
  if (turn.replace && isKeptAtOnce) await forgetReplaced(parts, key, turn.replace.gone)
  const recalled = await withQuestion(storage.threads, key, begun.recalled)
  const notes = settings.workingMemory && offered(parts, settings.workingMemory, key, begun)
  const told = new Set([...recalled, ...turn.messages].map(({ id }) => id))
  const related = await relatedTo(parts, turn, key, new Set([...told, ...(turn.replace?.gone ?? [])]))
  return new OpenedTurn(parts, turn, {
    recalled,
    system: [...(notes ? [notes.message] : []), ...(related ? [related] : [])],
    tools: notes?.tools ?? {},
    // One that can't be read stays as it is.
    titled: !begun.thread || begun.thread.title !== undefined,
  })
}

/** What of the past a turn begins with. `thread` is undefined where nothing is written, too. */
type Begun = Pick<BegunTurn, 'recalled' | 'unreadable' | 'workingMemory'> & { readonly thread?: BegunTurn['thread'] }

/** What a turn takes the place of is deleted with the first message that is kept: where that comes later, it is read until then. */
function begin(parts: TurnParts, turn: MemoryTurn, key: ThreadKey): Promise<Begun> {
  if (parts.settings.readOnly) return readTurn(parts, turn, key)
  if (turn.replace && turn.messages.length === 0) return readBefore(parts, turn, turn.replace, key)
  return beginTurn(parts, turn, key)
}

/** What a turn begins with that takes the place of others: what came before them, and what of them stays. */
async function readBefore(
  parts: TurnParts,
  turn: MemoryTurn,
  { sequence, keep }: NonNullable<MemoryTurn['replace']>,
  key: ThreadKey,
): Promise<Begun> {
  const { threads } = parts.storage
  const { lastMessages } = parts.settings
  const thread = await threads.get(key)
  const begun = await readTurn(parts, turn, key, sequence)
  if (lastMessages === 0) return { ...begun, thread }
  const stays: StoredMessage[] = []
  const unreadable = [...begun.unreadable]
  for (const messageId of keep) {
    const found = await threads.listNeighbours({ ...key, messageId, before: 0, after: 0 })
    stays.push(...found.messages)
    unreadable.push(...found.unreadable)
  }
  stays.sort((one, other) => one.sequence - other.sequence)
  return { ...begun, thread, unreadable, recalled: [...begun.recalled, ...stays].slice(-lastMessages) }
}

function beginTurn({ storage, settings }: TurnParts, turn: MemoryTurn, key: ThreadKey): Promise<BegunTurn> {
  const at = Date.now()
  const { calledAs, parent, title, metadata, messages, replace, delegated } = turn
  return storage.threads.beginTurn({
    ...key,
    ...(calledAs === undefined ? {} : { calledAs }),
    ...(parent === undefined ? {} : { parent }),
    ...(title === undefined ? {} : { title }),
    ...(metadata === undefined ? {} : { metadata }),
    messages: newMessages(messages, turn.runId),
    ...(replace ? { replace: { from: replace.from, keep: replace.keep } } : {}),
    lastMessages: delegated ? 0 : settings.lastMessages,
    ...(settings.workingMemory ? { workingMemory: settings.workingMemory.scope } : {}),
    at,
  })
}

/** The same without writing anything; a thread that is not there was never spoken in. */
async function readTurn(
  { storage, settings }: TurnParts,
  { delegated }: MemoryTurn,
  key: ThreadKey,
  before?: number,
): Promise<Begun> {
  const { workingMemory, lastMessages } = settings
  const [history, notes] = await Promise.all([
    delegated || lastMessages === 0
      ? undefined
      : ifThere(
          storage.threads.listMessages({ ...key, limit: lastMessages, ...(before === undefined ? {} : { before }) }),
        ),
    workingMemory && ifThere(storage.workingMemory.get(notesKey(workingMemory, key))),
  ])
  return {
    recalled: history?.messages ?? [],
    unreadable: history?.unreadable ?? [],
    ...(notes ? { workingMemory: notes } : {}),
  }
}

async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (thrown) {
    if (isRetinueError(thrown, 'thread-not-found')) return undefined
    throw thrown
  }
}

function notesKey({ scope }: WorkingMemorySettings, key: ThreadKey): ThreadKey | Pick<ThreadKey, 'resourceId'> {
  return scope === 'thread' ? key : { resourceId: key.resourceId }
}

function offered(
  { storage, settings }: TurnParts,
  notes: WorkingMemorySettings,
  key: ThreadKey,
  begun: Begun,
): { readonly message: SystemMessage; readonly tools: Readonly<Record<string, Tool>> } {
  const read = new Notes(storage.workingMemory, notesKey(notes, key), begun.workingMemory)
  return offerNotes(read, notes, !settings.readOnly)
}

async function relatedTo(
  { storage, settings, index, teller }: TurnParts,
  { task, abortSignal }: MemoryTurn,
  key: ThreadKey,
  told: ReadonlySet<string>,
): Promise<SystemMessage | undefined> {
  if (!settings.semanticRecall) return undefined
  try {
    const query = { threads: storage.threads, index, key, task, settings: settings.semanticRecall, told }
    const related = await inTime(RECALL_MS, abortSignal, (signal) => relatedMessages({ ...query, signal }))
    return relatedMessage(related, key.threadId)
  } catch (thrown) {
    // Nothing was said yet in a thread that is not there, and a run that was aborted misses nothing.
    if (!isRetinueError(thrown, 'thread-not-found') && !abortSignal?.aborted)
      teller.tell('memory-not-recalled', 'earlier messages that have to do with a task were not found', thrown)
    return undefined
  }
}
