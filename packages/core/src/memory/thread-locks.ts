import { RetinueError } from '../errors/retinue-error.ts'
import type { Storage } from '../storage/storage.ts'
import type { ThreadKey } from '../storage/threads.ts'

/** Who waits for each thread of a storage, in order; the first has it. On the storage itself: every copy of this package finds it. */
const LOCKS: unique symbol = Symbol.for('retinue.thread-locks')

type Waiting = Map<string, (() => void)[]>

/**
 * Waits until no other run of this process goes on in a thread, and takes it. `reject`: throws `thread-busy` instead of waiting. The
 * returned function lets it go; it may be called twice. `onAbort` ends the waiting: then nothing was taken.
 */
export async function lockThread(
  storage: Storage,
  { threadId, resourceId }: ThreadKey,
  onBusy: 'wait' | 'reject',
  onAbort: (callback: () => void) => () => void,
): Promise<() => void> {
  const locks = locksOf(storage)
  const key = JSON.stringify([resourceId, threadId])
  const queue = locks.get(key) ?? []
  if (queue.length > 0 && onBusy === 'reject') throw threadBusy(threadId, "leave out `onBusy: 'reject'`")
  locks.set(key, queue)
  let go: () => void = () => {}
  const turn = new Promise<void>((resolve) => {
    go = resolve
  })
  queue.push(go)
  const release = (): void => letGo(locks, key, queue, go)
  if (queue[0] === go) return release
  const stopListening = onAbort(() => {
    release()
    go()
  })
  await turn
  stopListening()
  return release
}

function letGo(locks: Waiting, key: string, queue: (() => void)[], own: () => void): void {
  const at = queue.indexOf(own)
  if (at < 0) return
  queue.splice(at, 1)
  if (queue.length === 0) locks.delete(key)
  else if (at === 0) queue[0]?.()
}

function locksOf(storage: Storage): Waiting {
  const holder = storage as Storage & { [LOCKS]?: Waiting }
  const known = holder[LOCKS]
  if (known) return known
  const made: Waiting = new Map()
  Object.defineProperty(holder, LOCKS, { value: made })
  return made
}

/** `orElse`: what the caller can do but wait. */
export function threadBusy(threadId: string, orElse: string): RetinueError {
  return new RetinueError({
    code: 'thread-busy',
    message: `Another run goes on in the thread "${threadId}".`,
    hint: `Wait for it, or ${orElse}.`,
    data: { threadId },
  })
}
