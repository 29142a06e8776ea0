import type { Chunk } from '@retinue/core/agent'
import { isRetinueError, RetinueError } from '@retinue/core/errors'
import type { Connection } from './connection.ts'
import { eventsOf, MOST_ATTEMPTS, waitBefore } from './run-events.ts'

const ENDS: ReadonlySet<string> = new Set([
  'background-task-completed',
  'background-task-failed',
  'background-task-cancelled',
  'background-task-timed-out',
])

/**
 * What happens in a background task from now on, to its end: first how it stands. A connection that breaks is made again, and goes on after
 * the last event; where the server does not know that any more, with how the task stands then. Rejects with the error of the server, or with `connection-lost`.
 */
export async function* taskEvents(
  connection: Connection,
  taskId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Chunk, void> {
  let last: string | undefined
  const open = () =>
    connection.send('GET', `/api/tasks/${encodeURIComponent(taskId)}/events`, {
      ...{ accept: 'text/event-stream', signal },
      ...(last === undefined ? {} : { headers: { 'last-event-id': last } }),
    })
  let response: Response | undefined = await open()
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const { id, chunk } of eventsOf(response, signal)) {
        attempt = 1
        last = id === '' ? last : id
        yield chunk
        if (isEndOf(taskId, chunk)) return
      }
    } catch (thrown) {
      if (thrown instanceof SyntaxError) throw thrown
    }
    if (signal?.aborted) return
    if (attempt > MOST_ATTEMPTS) throw connectionLost(taskId)
    await waitBefore(attempt, signal)
    if (signal?.aborted) return
    response = await open().catch((thrown: unknown) => {
      // What the server refuses it will refuse again.
      if (isRetinueError(thrown) && Number(thrown.data['status']) < 500) throw thrown
      return undefined
    })
  }
}

/** A task can have tasks of its own, which end before it. */
function isEndOf(taskId: string, { type, payload }: Chunk): boolean {
  return ENDS.has(type) && (payload as { readonly taskId: string }).taskId === taskId
}

function connectionLost(taskId: string): RetinueError {
  return new RetinueError({
    code: 'connection-lost',
    message: `The connection to the background task "${taskId}" was lost, and could not be made again.`,
    hint: 'The task may go on: read its events again later.',
    data: { taskId },
  })
}
