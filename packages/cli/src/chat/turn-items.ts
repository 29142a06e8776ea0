import type { ModelUse } from '@retinue/core/agent'

/**
 * How a piece of a turn stands. `waiting`: for a person. `partial`: it was cut short by a bound. `cancelled`: the turn was stopped.
 * `declined`: a person did not want it. `background`: it goes on apart from the turn.
 */
export type ItemState = 'running' | 'waiting' | 'done' | 'partial' | 'failed' | 'cancelled' | 'declined' | 'background'

/** Something that happens in a run, in the order in which it began. Times are milliseconds of the clock that the caller hands in. */
export type TurnItem = TextItem | ToolItem | DelegationItem

/** Why something failed; of an error that the framework knows, also its code and what to do. */
export interface Problem {
  readonly code?: string
  readonly message: string
  readonly hint?: string
}

export interface TextItem {
  readonly kind: 'text'
  readonly id: string
  readonly text: string
}

export interface ToolItem {
  readonly kind: 'tool'
  readonly callId: string
  readonly name: string
  /** Undefined while the model still writes them. */
  readonly args: unknown
  readonly state: ItemState
  readonly startedAt: number
  readonly endedAt?: number
  readonly problem?: Problem
  /** It is a background task: this one. */
  readonly task?: string
}

/** What a run has shown so far: the root's, or a delegation's. */
export interface RunNode {
  readonly runId: string
  readonly state: ItemState
  readonly startedAt: number
  readonly endedAt?: number
  /** Tokens of its own model calls; `totalTokens` has those of its delegations too, once it has ended. */
  readonly ownTokens: number
  readonly totalTokens?: number
  /** What answers; undefined until the model has begun to. */
  readonly model?: ModelUse
  readonly items: readonly TurnItem[]
  readonly problem?: Problem
}

export interface DelegationItem extends RunNode {
  readonly kind: 'delegation'
  readonly callId: string
  readonly key: string
  readonly prompt: string
  /** It is a background task: this one. */
  readonly task?: string
}

/** How what was stopped ends. */
export const CANCELLED = { state: 'cancelled' } as const

/** Adds to the text with an id; the latest, since a provider may use an id again. */
export function withText(items: readonly TurnItem[], id: string, text: string): readonly TurnItem[] {
  const at = items.findLastIndex((item) => item.kind === 'text' && item.id === id)
  const item = items[at]
  if (item?.kind !== 'text') return [...items, { kind: 'text', id, text }]
  return items.with(at, { ...item, text: item.text + text })
}

/** Puts an item in the place of the one of the same call, else at the end. */
export function put(items: readonly TurnItem[], item: ToolItem | DelegationItem): readonly TurnItem[] {
  const at = items.findIndex((known) => known.kind !== 'text' && known.callId === item.callId)
  return at < 0 ? [...items, item] : items.with(at, item)
}

/** Changes the item of a call, where there is one. */
export function change(
  items: readonly TurnItem[],
  callId: string,
  to: (item: ToolItem | DelegationItem) => ToolItem | DelegationItem,
): readonly TurnItem[] {
  const at = items.findIndex((item) => item.kind !== 'text' && item.callId === callId)
  const item = items[at]
  return item === undefined || item.kind === 'text' ? items : items.with(at, to(item))
}

/** Nothing runs on in a run that has ended, whether or not it said how it ended. */
export function endedAll(items: readonly TurnItem[], now: number): readonly TurnItem[] {
  return items.map((item) => (item.kind === 'text' ? item : ended(item, now)))
}

export function ended<T extends ToolItem | DelegationItem>(item: T, now: number): T {
  // What goes on in the background does not end with the turn.
  if (item.task !== undefined && item.state === 'running') return { ...item, state: 'background' }
  const end = item.state === 'running' ? { ...CANCELLED, endedAt: now } : {}
  return item.kind === 'delegation' ? { ...item, ...end, items: endedAll(item.items, now) } : { ...item, ...end }
}

/** Changes the item of a call, wherever in the tree it is. */
export function changeBelow(
  items: readonly TurnItem[],
  callId: string,
  to: (item: ToolItem | DelegationItem) => ToolItem | DelegationItem,
): readonly TurnItem[] {
  const changed = change(items, callId, to)
  if (changed !== items) return changed
  for (const [at, item] of items.entries()) {
    if (item.kind !== 'delegation') continue
    const below = changeBelow(item.items, callId, to)
    if (below !== item.items) return items.with(at, { ...item, items: below })
  }
  return items
}

/** What of a run that waited goes on with it: what waits, and of that the call that was decided runs again. */
export function wentOn(items: readonly TurnItem[], decided: string, now: number): readonly TurnItem[] {
  return items.flatMap((item): TurnItem[] => {
    if (item.kind === 'text' || item.state !== 'waiting') return []
    if (item.kind === 'tool') return [item.callId === decided ? { ...item, state: 'running', startedAt: now } : item]
    const { callId, key, prompt, runId } = item
    const begun = { runId, state: 'running', startedAt: now, ownTokens: 0 } as const
    return [{ kind: 'delegation', callId, key, prompt, ...begun, items: wentOn(item.items, decided, now) }]
  })
}
