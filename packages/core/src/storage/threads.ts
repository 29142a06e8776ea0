import type { MessageStorage, NewMessage, StoredMessage } from './messages.ts'
import type { Page, PageRequest, UnreadableRow } from './page.ts'
import type { Fields } from './values.ts'
import type { WorkingMemory } from './working-memory.ts'

/** A conversation. Its owner is written when it is made, and every call is checked against that. */
export interface Thread {
  readonly id: string
  /** Who owns it: a person, an account; of a delegation's thread, what its owner is called. */
  readonly resourceId: string
  readonly title?: string
  readonly metadata?: Fields
  readonly createdAt: number
  /** When it was last renamed or said something in; it never goes back. */
  readonly updatedAt: number
}

/**
 * Names a thread, and says for whom: by who owns it, or by what its owner is called (`calledAs`), where it was made with that. A
 * thread of somebody else is answered as one that does not exist: with `thread-not-found`, and the same words.
 */
export interface ThreadKey {
  readonly threadId: string
  readonly resourceId: string
}

export interface NewThread extends ThreadKey {
  readonly title?: string
  readonly metadata?: Fields
  readonly at: number
}

/** What is left out stays; `title: null` takes the title away, `metadata: null` all metadata. */
export interface ThreadChange extends ThreadKey {
  readonly title?: string | null
  /** Gives the title only to a thread that has none. */
  readonly onlyUntitled?: boolean
  /** Replaces what was there. */
  readonly metadata?: Fields | null
  readonly at: number
}

export interface ThreadCopy extends ThreadKey {
  /** The id of the copy, which has the same owner. */
  readonly newThreadId: string
  /** Default: that of the original; `null` leaves it without one. */
  readonly title?: string | null
  /** Default: that of the original; `null` leaves it without any. */
  readonly metadata?: Fields | null
  readonly at: number
}

export interface ThreadQuery extends PageRequest {
  readonly resourceId: string
  /**
   * `created` (the default): the newest first. No page repeats or leaves out a thread, whatever is added meanwhile.
   * `updated`: the last used first. A thread that is used meanwhile moves to the front, so a later page may leave it out.
   */
  readonly order?: 'created' | 'updated'
}

/** The start of a turn: what is needed of the past, and what is now said. */
export interface NewTurn extends ThreadKey {
  /** Title and metadata of the thread if it is new; one that exists keeps its own. */
  readonly title?: string
  readonly metadata?: Fields
  /** What the owner of the thread is called where people read it, if it is new. Default: as it is. */
  readonly calledAs?: string
  /** The thread that the thread is for, by its owner, if it is new: `listTree` finds it by that. Default: none. */
  readonly parent?: ThreadKey
  /** What to append, in order; often the person's one message. */
  readonly messages: readonly NewMessage[]
  /** What of the thread the turn takes the place of. Default: nothing, it comes after all of it. */
  readonly replace?: ReplacedTurns
  /** How many messages before the new ones to read. 0 reads none. */
  readonly lastMessages: number
  /** Which working memory to read along. Default: none. */
  readonly workingMemory?: 'thread' | 'resource'
  readonly at: number
}

/** What of a thread is deleted when a turn begins. */
export interface ReplacedTurns {
  /** The first message that goes, and with it all that came after it. */
  readonly from: string
  /** Messages after it that stay. Default: none. */
  readonly keep?: readonly string[]
}

export interface BegunTurn {
  /** Undefined where its title or its metadata can't be read any more. */
  readonly thread?: Thread
  /** The sequence of each message of the turn, in its order; one that was there already keeps its own. */
  readonly sequences: readonly number[]
  /** The last messages before those of the turn, oldest first. */
  readonly recalled: readonly StoredMessage[]
  /** What of all this can't be read any more: messages, and without a sequence the thread or the working memory. It stays as it is. */
  readonly unreadable: readonly UnreadableRow[]
  /** Undefined where none was asked for, none is there, or it can't be read. */
  readonly workingMemory?: WorkingMemory
}

/** Threads: made, read, changed, copied and listed, and the messages in them. */
export interface ThreadStorage extends MessageStorage {
  /**
   * Makes a thread. `thread-exists` if the resource has it already, `thread-not-found` if the id is taken by another: ids are unique in
   * a store, so choose them at random.
   */
  create(thread: NewThread): Promise<Thread>
  get(key: ThreadKey): Promise<Thread>
  update(change: ThreadChange): Promise<Thread>
  /** Deletes a thread with its messages, its working memory and its background tasks, whatever they stand at. Those under it stay. */
  delete(key: ThreadKey): Promise<void>
  /** Copies a thread with its messages, which get new ids and sequences in the old order, and its working memory. Fails as `create`. */
  clone(copy: ThreadCopy): Promise<Thread>
  /** The threads of a resource; empty if there are none. */
  list(query: ThreadQuery): Promise<Page<Thread>>
  /**
   * A thread, those that turns made with it as their `parent`, and those under them, each by its owner: the newest first, and itself last.
   * A copy is under none.
   */
  listTree(key: ThreadKey): Promise<readonly ThreadKey[]>
  /**
   * All that the start of a turn needs, in one round trip and one transaction: makes the thread if it is missing, appends messages,
   * and reads the last ones before them. Called again with the same message ids it changes nothing and gives the same.
   * `thread-not-found` if the thread is somebody else's, whatever its owner is called; then nothing was written. With `replace` it deletes
   * first, all in the same transaction; `thread-not-found` if there is no such thread, `message-not-found` if it has no such message: then
   * nothing was written. A message of the turn may have the id of one that goes. It is not to be called again like that: the message is
   * gone.
   */
  beginTurn(turn: NewTurn): Promise<BegunTurn>
}
