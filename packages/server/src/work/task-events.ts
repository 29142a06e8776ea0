import type { BackgroundTask, Chunk } from '@retinue/core/agent'
import type { Services } from '../http/services.ts'
import { wireChunk } from '../runs/wire-chunk.ts'
import { eventStream } from '../sse/event-stream.ts'
import { IteratedSource } from '../sse/iterated-source.ts'

/** The id of the event after which nothing of a task comes: who has read it need not come back. */
export const TASK_END = 'end'

/** Asks who lost the connection to come back after so many milliseconds. */
const RETRY = 'retry: 1000\n\n'

const ENDS: ReadonlySet<string> = new Set([
  'background-task-completed',
  'background-task-failed',
  'background-task-cancelled',
  'background-task-timed-out',
])

/** What happens in a task from now on, first how it stands. Nobody waits for the reader, and the task goes on without one. */
export function taskEvents({ app, hub, settings }: Services, { taskId }: BackgroundTask): Response {
  const leaving = new AbortController()
  const watched = app.tasks.watch(taskId, { signal: leaving.signal })
  return eventStream<Chunk>({
    source: new IteratedSource(watched, () => leaving.abort()),
    encode: (chunk) => {
      const id = isEndOf(taskId, chunk) ? `id: ${TASK_END}\n` : ''
      return `${id}data: ${JSON.stringify(wireChunk(chunk))}\n\n`
    },
    head: RETRY,
    heartbeatMs: settings.heartbeatMs,
    ending: hub.ending,
    left: () => {},
  })
}

/** A task can have tasks of its own, which end before it. */
function isEndOf(taskId: string, { type, payload }: Chunk): boolean {
  return ENDS.has(type) && (payload as { readonly taskId: string }).taskId === taskId
}
