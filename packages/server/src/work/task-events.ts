import type { BackgroundTask, Chunk } from '@retinue/core/agent'
import type { EventPlace } from '@retinue/core/storage'
import type { Services } from '../http/services.ts'
import { eventId, isAfter } from '../runs/event-id.ts'
import type { RunEvent } from '../runs/log-entry.ts'
import { LogSource } from '../runs/read-log.ts'
import type { TaskFeed } from '../runs/task-feeds.ts'
import { wireChunk } from '../runs/wire-chunk.ts'
import { eventStream } from '../sse/event-stream.ts'
import { isEndOfTask } from '../task-end.ts'

/** The id of the event after which nothing of a task comes: who has read it need not come back. */
export const TASK_END = 'end'

/** Asks who lost the connection to come back after so many milliseconds. */
const RETRY = 'retry: 1000\n\n'

/**
 * What happens in a task: first how it stands, then all from now on; or all after an event, where this process knows it still. Nobody waits
 * for the reader, and the task goes on without one.
 */
export async function taskEvents(
  { app, hub, feeds, settings }: Services,
  { taskId }: BackgroundTask,
  after: EventPlace | undefined,
): Promise<Response> {
  const known = after && isKnown(feeds.get(taskId), after) ? after : undefined
  const { feed, leave } = feeds.join(taskId)
  const from = known ?? feed.log.end
  try {
    // A feed that nobody has read yet begins with how the task stands itself.
    const isNew = from.seq === 0
    const standing = known || isNew ? undefined : await standingOf(app.tasks.watch(taskId))
    const hasEnded = standing !== undefined && isEndOfTask(taskId, standing)
    return eventStream<RunEvent>({
      // Who is told its end need not be told it again.
      source: hasEnded ? NOTHING : new LogSource(feed.log, from),
      encode: (event) => frame(taskId, event),
      head: RETRY + (standing ? frame(taskId, { ...from, chunk: wireChunk(standing) }) : ''),
      heartbeatMs: settings.heartbeatMs,
      ending: hub.ending,
      left: leave,
    })
  } catch (thrown) {
    leave()
    throw thrown
  }
}

const NOTHING = { take: () => undefined, wait: async () => false, leave: () => {} }

/** Whether everything after a place can be told. */
function isKnown(feed: TaskFeed | undefined, after: EventPlace): boolean {
  if (!feed || feed.log.end.leg !== after.leg) return false
  return !isAfter(after, feed.log.end)
}

/** What a watch begins with. */
async function standingOf(watched: AsyncGenerator<Chunk>): Promise<Chunk | undefined> {
  const { value } = await watched.next()
  await watched.return(undefined)
  return value as Chunk | undefined
}

function frame(taskId: string, event: RunEvent): string {
  const id = isEndOfTask(taskId, event.chunk) ? TASK_END : eventId(event)
  return `id: ${id}\ndata: ${JSON.stringify(event.chunk)}\n\n`
}
