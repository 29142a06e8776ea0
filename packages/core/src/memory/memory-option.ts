import type { Fields } from '../storage/values.ts'

/**
 * Which conversation a call belongs to; without it nothing is recalled and nothing is kept. On a thread where something was said
 * already, what an input repeats up to its last assistant message is taken for the client's copy of that, and not kept again.
 *
 * Two runs of one process, over the same storage object, wait for each other; what other processes do in the thread is not waited for.
 */
export interface MemoryOption {
  /** The thread: its id, of at most 256 characters, or what it is called if it is new. */
  thread: string | { id: string; title?: string; metadata?: Fields }
  /** Who owns the thread: a person, an account. At most 256 characters; `retinue.delegation:` and `retinue.schedule` begin none. */
  resource: string
  /** Settings of the agent's memory for this call, over its own. `readOnly: true`: nothing is written anywhere. */
  options?: { readonly readOnly?: boolean; readonly [name: string]: unknown }
  /** What happens while another run goes on in the thread: wait for it, or reject with `thread-busy`. Default: 'wait'. */
  onBusy?: 'wait' | 'reject'
  /**
   * How long it waits for that, in milliseconds; then the call rejects with `thread-busy`, and nothing has begun. A run that goes on later
   * waits as long as it takes. Default: no bound.
   */
  busyTimeoutMs?: number
  /**
   * The UI messages of the person in the input are kept under their own ids: with them they can be said anew, and one that is sent again
   * is kept once. An id that no store can have is none: longer than 256 characters, say. Default: false, each gets a new id.
   */
  keepMessageIds?: boolean
  /**
   * The id of a message of the person in the thread: the run takes the place of it and of all that came after it, which is deleted in one
   * transaction with the first write of its input. Then runs of those turns that wait for a person end, and so do their background tasks,
   * but for those that are detached. Working memory stays as it is, and so do the threads of delegations. Nothing is deleted, and nothing
   * ends, if the input is never kept: the call rejects with `message-not-found`, or with `run-busy` while somebody else works on such a
   * run; an input processor refuses it; the process dies before.
   */
  replaceFrom?: string
}
