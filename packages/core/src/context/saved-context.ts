import { toJson } from '../shared/json.ts'
import { RequestContext, type RequestContextLike } from './request-context.ts'

/** The values of a request context that a store may keep, and the keys of the others. */
export interface SavedContext {
  readonly entries: Readonly<Record<string, unknown>>
  /** Keys whose values are not saved. */
  readonly missing: readonly string[]
  /** Those among them whose values are a child's own: nobody but who set them can give them again. */
  readonly own: readonly string[]
}

/** What is saved of a context: plain JSON, but nothing that was set with `persist: false`. `parent`: the context that it is a copy of. */
export function savedContext(context: RequestContextLike, parent?: RequestContextLike): SavedContext {
  const entries: [string, unknown][] = []
  const missing: string[] = []
  const own: string[] = []
  for (const [key, value] of context.entries()) {
    if (isSaved(context, key, value)) entries.push([key, value])
    else missing.push(key)
    if (parent && !isSaved(context, key, value) && parent.get(key) !== value) own.push(key)
  }
  return { entries: Object.fromEntries(entries), missing, own }
}

function isSaved(context: RequestContextLike, key: string, value: unknown): boolean {
  if (!(context.persists?.(key) ?? true)) return false
  const json = toJson(value)
  return json.ok && (json.value === value || value === undefined)
}

/** A saved context with what is given now, which wins; and the keys that it still lacks. */
export function restoredContext(
  { entries, missing }: SavedContext,
  given: RequestContextLike | undefined,
): { readonly context: RequestContext; readonly lacking: readonly string[] } {
  const context = overlaid(new RequestContext(Object.entries(entries)), given)
  const lacking = missing.filter((key) => !context.has(key))
  // What was not to be saved the first time is not to be saved the next time either.
  for (const key of missing) if (context.has(key)) context.set(key, context.get(key), { persist: false })
  return { context, lacking }
}

/** A restored context with what the run itself began with in place of what was given since: it led to the thread that the run spoke in. */
export function begunWith(context: RequestContextLike, { entries }: SavedContext): RequestContext {
  return overlaid(context, new RequestContext(Object.entries(entries)))
}

/** The saved context of a child: its own values, and its parent's for what they shared and could not be saved. */
export function restoredFork({ entries, missing }: SavedContext, parent: RequestContextLike): RequestContext {
  const context = new RequestContext(Object.entries(entries))
  for (const key of missing) context.set(key, parent.get(key), { persist: false })
  return context
}

/** A copy of a context with what is given now in place of what it has. */
export function overlaid(known: RequestContextLike, given: RequestContextLike | undefined): RequestContext {
  const context = new RequestContext()
  for (const each of [known, given])
    for (const [key, value] of each?.entries() ?? [])
      context.set(key, value, { persist: each?.persists?.(key) ?? true })
  return context
}
