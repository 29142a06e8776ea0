import type { LoadFailure, LoadRequest, LoadResult } from './module-loader.ts'

/**
 * What the two processes say to each other, as JSON. Each message carries the token that the parent chose, because a module may
 * send messages of its own to the process that started it.
 */
export type ToChild =
  | { readonly token: string; readonly type: 'load'; readonly requests: readonly LoadRequest[] }
  /** Nothing more will be asked. */
  | { readonly token: string; readonly type: 'end' }

export type FromChild =
  /** It has heard that it shall end, and does. */
  | { readonly token: string; readonly type: 'ending' }
  /** The child runs and will load what it is asked for. */
  | { readonly token: string; readonly type: 'ready' }
  /** The next request is done: results come in the order of the requests. */
  | { readonly token: string; readonly type: 'result'; readonly result: LoadResult }
  /** Files that the modules load, wherever they stand, by their absolute paths. */
  | { readonly token: string; readonly type: 'loaded'; readonly files: readonly string[] }
  /** A module threw when nobody waited for it any more. */
  | { readonly token: string; readonly type: 'stray'; readonly failure: LoadFailure }
  /** A module ends the process. */
  | { readonly token: string; readonly type: 'exit'; readonly failure: LoadFailure }

export function isFromChild(message: unknown, token: string): message is FromChild {
  return typeof message === 'object' && message !== null && 'token' in message && message.token === token
}

export function isToChild(message: unknown): message is ToChild {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false
  return message.type === 'end' || (message.type === 'load' && 'requests' in message && Array.isArray(message.requests))
}

/** What stands before the folder in which Node keeps what it compiles, in an argument of the process that loads. */
export const COMPILED = 'compiled:'

/** The argument by which the process that loads notes what it loads. */
export const FOLLOWS = 'follows'
