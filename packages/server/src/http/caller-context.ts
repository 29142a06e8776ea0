import { RequestContext, type RequestContextLike } from '@retinue/core/request-context'
import type { Caller } from '../settings/caller.ts'

/** What the runs of a caller know of them. */
export function contextOf({ context }: Caller): RequestContextLike {
  if (context === undefined) return new RequestContext()
  return isContext(context) ? context : new RequestContext(Object.entries(context))
}

function isContext(context: NonNullable<Caller['context']>): context is RequestContextLike {
  return ['get', 'set', 'entries'].every((name) => typeof (context as Record<string, unknown>)[name] === 'function')
}
