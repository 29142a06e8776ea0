import type { Chunk } from '../events/chunk.ts'
import { EventLog, type RunScope } from '../events/event-log.ts'
import type { RunLog } from '../events/run-log.ts'

/**
 * Where a task's runs write. What they write goes to whoever has to do with the task now: the run that began it, as long as it is there,
 * or the one that took it over; and whoever watches. Nothing is kept here.
 */
export class TaskLog implements RunLog {
  readonly #call: { readonly runId: string; readonly toolCallId: string }
  /** Scopes are few, one a run below, and whoever comes later needs them to place what comes. */
  readonly #scopes = new Map<string, RunScope>()
  readonly #watchers = new Set<EventLog>()
  #target: RunLog | undefined

  /** `call`: the call that the task is, of which the outcome is told in other chunks. */
  constructor(target: RunLog | undefined, call: { readonly runId: string; readonly toolCallId: string }) {
    this.#target = target
    this.#call = call
  }

  push(chunk: Chunk): void {
    if (this.#isOutcome(chunk)) return
    this.#target?.push(chunk)
    for (const watcher of this.#watchers) watcher.push(chunk)
  }

  addScope(runId: string, scope: RunScope): void {
    this.#scopes.set(runId, scope)
    this.#target?.addScope(runId, scope)
    for (const watcher of this.#watchers) watcher.addScope(runId, scope)
  }

  /** From now on what happens is told there; nothing of it ends that log. */
  moveTo(target: RunLog | undefined): void {
    this.#target = target
    for (const [runId, scope] of this.#scopes) target?.addScope(runId, scope)
  }

  /** A log of what happens from now on, to its end. */
  watch(): EventLog {
    const log = new EventLog()
    for (const [runId, scope] of this.#scopes) log.addScope(runId, scope)
    this.#watchers.add(log)
    return log
  }

  /** Nobody watches there any more. */
  leave(log: EventLog): void {
    this.#watchers.delete(log)
  }

  /** The task has ended, or waits: who watches has seen it all. */
  close(): void {
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers.clear()
  }

  #isOutcome(chunk: Chunk): boolean {
    if (chunk.runId !== this.#call.runId) return false
    const { type } = chunk
    if (type !== 'tool-result' && type !== 'tool-error' && type !== 'tool-output-denied') return false
    return (chunk.payload as { toolCallId?: string }).toolCallId === this.#call.toolCallId
  }
}
