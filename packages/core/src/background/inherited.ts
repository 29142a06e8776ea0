import type { OpenDelegation } from '../loop/open-delegation.ts'
import type { Run } from '../loop/run.ts'
import type { SavedRun } from '../loop/saved-run.ts'
import type { Message } from '../messages/message.ts'
import type { MarkedKind } from '../shared/packed-json.ts'
import type { Storage } from '../storage/storage.ts'
import type { Value } from '../storage/values.ts'
import { OPEN } from './open-states.ts'

/**
 * What a subagent was handed of its parent's conversation is stored once for all tasks of the parent: as a list that grows with the
 * conversation, of which each task has a part. Else a run with many tasks would store its conversation as often as it has tasks.
 */
export interface InheritedPart {
  readonly listId: string
  readonly from: number
  readonly count: number
}

/** Stands in a stored tree for what is in a list. */
const ELSEWHERE: object = Object.freeze({})

/** The stand-in in packed JSON. */
export const PACKED_INHERITED: MarkedKind = {
  name: 'inherited',
  is: (value) => value === ELSEWHERE,
  mark: () => ELSEWHERE,
}

/** A task's tree without what is in the list: `messages` is that. */
export function withoutInherited(saved: SavedRun, messages: readonly Message[] | undefined): SavedRun {
  return messages ? exchanged(saved, messages, ELSEWHERE as readonly Message[]) : saved
}

/** A task's tree with what is in the list. */
export function withInherited(saved: SavedRun, messages: readonly Message[]): SavedRun {
  return exchanged(saved, ELSEWHERE as readonly Message[], messages)
}

/** Puts one list in another one's place, in the call that a task is and in the run of its child. */
function exchanged(saved: SavedRun, one: readonly Message[], other: readonly Message[]): SavedRun {
  const [call] = saved.calls ?? []
  if (call?.delegation?.messages !== one) return saved
  const { child } = call.delegation
  const delegation = {
    ...call.delegation,
    messages: other,
    ...(child ? { child: child.inherited === one ? { ...child, inherited: other } : child } : {}),
  }
  return { ...saved, calls: [{ ...call, delegation }] }
}

/** The list that the tasks of a run share. */
interface SharedList {
  readonly listId: string
  /** What the run itself was handed when the list was begun: processors can put something else in its place. */
  readonly inherited: readonly Message[]
  /** How many of its messages are written. */
  written: number
  /** Settles when what was to be written is. */
  ready: Promise<void>
  /** Tasks that have not ended. */
  open: number
}

/** The lists of the runs of this process that have begun tasks. */
export class InheritedLists {
  readonly #storage: Storage
  /** By the conversation of the run. */
  readonly #lists = new WeakMap<readonly Message[], SharedList>()

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** Stores what a delegation was handed, as far as it is not; undefined where that is something else than a part of the conversation. */
  async share(run: Run, { messages }: OpenDelegation): Promise<InheritedPart | undefined> {
    const whole = [...run.inherited, ...run.view.of(run.state.messages)]
    const [first] = messages
    const from = first ? whole.indexOf(first) : -1
    if (from < 0 || !messages.every((message, index) => message === whole[from + index])) return undefined
    const list = this.#listOf(run)
    const { listId, written } = list
    const count = from + messages.length
    list.open += 1
    if (count > written) {
      list.written = count
      const items = whole.slice(written, count) as unknown as Value[]
      list.ready = list.ready.then(() => this.#storage.tasks.share({ listId, from: written, items }))
    }
    await list.ready
    return { listId, from, count: messages.length }
  }

  /** A task of a run has ended. */
  async left(run: Run): Promise<void> {
    const list = this.#lists.get(run.state.messages)
    if (!list) return
    list.open -= 1
    if (run.state.finishReason !== undefined && run.state.finishReason !== 'suspended') await this.closed(run)
  }

  /** A run has ended: what only its tasks needed is deleted, once they have. */
  async closed({ state }: Run): Promise<void> {
    const list = this.#lists.get(state.messages)
    if (!list || list.open > 0) return
    this.#lists.delete(state.messages)
    await this.#storage.tasks.unshare(list.listId)
  }

  /** Of a task that was gone on with after its run had died: its list is of no use any more when no other one needs it. */
  async leftAfter({ state }: Run, { inherits }: { readonly inherits?: InheritedPart }): Promise<void> {
    if (!inherits) return
    const { tasks } = this.#storage
    const { items } = await tasks.list({ parentRunId: state.runId, status: OPEN, limit: 1 })
    if (items.length === 0) await tasks.unshare(inherits.listId)
  }

  #listOf({ state, inherited, root }: Run): SharedList {
    const known = this.#lists.get(state.messages)
    if (known?.inherited === inherited) return known
    const made = { listId: root.effects.newId(), inherited, written: 0, ready: Promise.resolve(), open: 0 }
    this.#lists.set(state.messages, made)
    return made
  }
}

/** What a task's subagent was handed, from its list. */
export async function inheritedPart(
  storage: Storage,
  { listId, from, count }: InheritedPart,
): Promise<readonly Message[]> {
  const items = await storage.tasks.shared({ listId, count: from + count })
  return items.slice(from) as unknown as Message[]
}
