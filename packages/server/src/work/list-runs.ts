import type { Page, RunQuery, RunStatus } from '@retinue/core/storage'
import { type KnownRun, ofStored, ofTracked } from '../http/known-run.ts'
import type { Services } from '../http/services.ts'

/** Where a page begins: among the runs on which this process works, or among those that are stored. */
type Place =
  | { readonly type: 'live'; readonly after: Pick<KnownRun, 'createdAt' | 'runId'> | undefined }
  | { readonly type: 'stored'; readonly cursor: string | undefined }

/**
 * The runs that somebody began: first those on which this process works, which need not be stored, then the others. No page has more than
 * `limit` of them. Rejects with `option-invalid` for a cursor that is none.
 */
export async function listRuns({ hub, storage }: Services, query: RunQuery): Promise<Page<KnownRun>> {
  const { cursor, limit = 100, ...filter } = query
  const place = placeOf(cursor)
  const live = hub
    .all()
    .filter(({ stream, isTask }) => stream && !isTask)
    .map(ofTracked)
  const own = place.type === 'live' ? live.filter((run) => fits(run, filter) && comesAfter(run, place.after)) : []
  const first = own.sort(byAge).slice(0, limit)
  const last = first.at(-1)
  if (last && own.length > limit) return { items: first, unreadable: [], next: liveCursor(last) }
  if (first.length === limit) return { items: first, unreadable: [], next: storedCursor('') }
  const at = place.type === 'stored' && place.cursor !== undefined ? { cursor: place.cursor } : {}
  const page = await storage.runs.list({ ...filter, ...at, limit: limit - first.length })
  const liveIds = new Set(live.map(({ runId }) => runId))
  const stored = page.items
    .filter(({ runId }) => !liveIds.has(runId))
    .map((run) => ofStored(run, hub.get(run.runId)))
    .filter(({ isTask }) => !isTask)
  const next = page.next === undefined ? {} : { next: storedCursor(page.next) }
  return { items: [...first, ...stored], unreadable: page.unreadable, ...next }
}

type Filter = { readonly status?: RunStatus } & Omit<RunQuery, 'limit' | 'cursor'>

function fits(run: KnownRun, { resourceId, agentId, threadId, status }: Filter): boolean {
  return (
    (resourceId === undefined || run.resourceId === resourceId) &&
    (agentId === undefined || run.agentId === agentId) &&
    (threadId === undefined || run.threadId === threadId) &&
    (status === undefined || run.status === status)
  )
}

type Age = Pick<KnownRun, 'createdAt' | 'runId'>

function byAge(one: Age, other: Age): number {
  return one.createdAt - other.createdAt || (one.runId < other.runId ? -1 : one.runId > other.runId ? 1 : 0)
}

function comesAfter(run: Age, other: Age | undefined): boolean {
  return other === undefined || byAge(run, other) > 0
}

function liveCursor({ createdAt, runId }: Age): string {
  return `live:${createdAt}:${runId}`
}

function storedCursor(cursor: string): string {
  return `stored:${cursor}`
}

function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { type: 'live', after: undefined }
  const live = /^live:(\d{1,16}):(.+)$/s.exec(cursor)
  if (live) return { type: 'live', after: { createdAt: Number(live[1]), runId: String(live[2]) } }
  const stored = /^stored:(.*)$/s.exec(cursor)
  // What is no cursor the storage refuses.
  const given = stored ? stored[1] : cursor
  return { type: 'stored', cursor: given === '' ? undefined : given }
}
