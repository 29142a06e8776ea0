import { toJson } from '../shared/json.ts'
import { RequestContext, type RequestContextLike } from './request-context.ts'

/** The values of a request context that a store may keep, and the keys of the others. */
export interface SavedContext {
  readonly entries: Readonly<Record<string, unknown>>
  readonly missing: readonly string[]
}

/** What is saved of a context: plain JSON, but nothing that was set with `persist: false`. */
export function savedContext(context: RequestContextLike): SavedContext {
  const entries: [string, unknown][] = []
  const missing: string[] = []
  for (const [key, value] of context.entries()) {
    if ((context.persists?.(key) ?? true) && isPlainJson(value)) entries.push([key, value])
    else missing.push(key)
  }
  return { entries: Object.fromEntries(entries), missing }
}

function isPlainJson(value: unknown): boolean {
  const json = toJson(value)
  return json.ok && (json.value === value || value === undefined)
}

/** A saved context with what is given now, which wins; and the keys that it still lacks. */
export function restoredContext(
  { entries, missing }: SavedContext,
  given: RequestContextLike | undefined,
): { readonly context: RequestContext; readonly lacking: readonly string[] } {
  const context = new RequestContext(Object.entries(entries))
  for (const [key, value] of given?.entries() ?? [])
    context.set(key, value, { persist: given?.persists?.(key) ?? true })
  const lacking = missing.filter((key) => !context.has(key))
  // What was not to be saved the first time is not to be saved the next time either.
  for (const key of missing) if (context.has(key)) context.set(key, context.get(key), { persist: false })
  return { context, lacking }
}

/** The saved context of a child: its own values, and those of its parent for what could not be saved. */
export function restoredFork({ entries, missing }: SavedContext, parent: RequestContextLike): RequestContext {
  const context = new RequestContext(Object.entries(entries))
  for (const key of missing) context.set(key, parent.get(key), { persist: false })
  return context
}
