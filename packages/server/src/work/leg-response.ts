import type { RunResult } from '@retinue/core/agent'
import type { EventPlace } from '@retinue/core/storage'
import type { Services } from '../http/services.ts'
import { eventId } from '../runs/event-id.ts'
import type { RunEvent } from '../runs/log-entry.ts'
import { EventReader } from '../runs/read-events.ts'
import { LegsReader } from '../runs/read-legs.ts'
import type { Leg } from '../runs/run-hub.ts'
import type { TrackedRun } from '../runs/tracked-run.ts'
import { eventStream } from '../sse/event-stream.ts'
import { resultJson } from './run-result.ts'

/** Names the run of a stream, before its first event. */
export const RUN_HEADER = 'x-retinue-run-id'

/** How long a client waits before it comes back, in milliseconds. */
const RETRY_MS = 1_000

/** Whether a request wants a stream of events. */
export function wantsEvents(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/event-stream')
}

/** What is read of a run. */
export interface Reading {
  readonly runId: string
  readonly tracked: TrackedRun | undefined
  readonly after: EventPlace
  /** Where more than one leg is read: resolves when the last has begun. */
  readonly begun?: Promise<unknown>
}

/** How a run's events are told in some protocol. */
export interface Telling {
  encode(event: RunEvent): string | undefined
  readonly head?: string
  tail?(): string
  readonly headers?: Readonly<Record<string, string>>
}

/** The events of a run as a stream, from a place on, as long as somebody works on it. */
export function runStream({ hub, storage, settings }: Services, reading: Reading, telling: Telling): Response {
  const { runId, tracked, after, begun } = reading
  const reader = new EventReader(storage, runId, tracked, after)
  return eventStream({
    ...telling,
    source: begun ? new LegsReader(reader, begun) : reader,
    heartbeatMs: settings.heartbeatMs,
    ending: hub.ending,
    left: tracked ? hub.join(tracked) : () => {},
    headers: { [RUN_HEADER]: runId, ...telling.headers },
  })
}

/** Flat events, each under an id that `Last-Event-ID` takes. */
export function flatEvents(services: Services, reading: Reading): Response {
  const encode = (event: RunEvent): string => `id: ${eventId(event)}\ndata: ${JSON.stringify(event.chunk)}\n\n`
  return runStream(services, reading, { encode, head: `retry: ${RETRY_MS}\n\n` })
}

export function legEvents(services: Services, { run, from }: Leg): Response {
  return flatEvents(services, { runId: run.runId, tracked: run, after: from })
}

/** What a leg came to, for somebody who waits for it. Rejects with the error that it ended with. */
export async function legResult({ hub }: Services, leg: Leg, request: Request): Promise<RunResult> {
  const leave = hub.join(leg.run)
  if (request.signal.aborted) leave()
  request.signal.addEventListener('abort', leave, { once: true })
  try {
    const result = await leg.result
    if (result.finishReason === 'error' && result.error) throw result.error
    return result
  } finally {
    request.signal.removeEventListener('abort', leave)
    leave()
  }
}

/** What a leg came to, as events or whole, as the request wants it. */
export async function legResponse(services: Services, leg: Leg, request: Request): Promise<Response> {
  if (wantsEvents(request)) return legEvents(services, leg)
  const result = await legResult(services, leg, request)
  const { runId, threadId } = leg.run
  return Response.json({ ...resultJson(result, threadId), runId }, { headers: { [RUN_HEADER]: runId } })
}
