import type { Retinue } from '@retinue/core'
import type { TaskFacts, TaskStatus } from '@retinue/core/storage'
import { LOCAL_RESOURCE } from '../run/default-storage.ts'
import { isTaskChunk, isTaskEnd, type TaskChunk } from '../run/task-text.ts'

/** The states of a task that somebody works on, or will. */
const WORKING: readonly TaskStatus[] = ['pending', 'running']

/** The background tasks of a conversation, between its turns: what changes in them is told, and wakes who waits for it. */
export class TaskBoard {
  readonly #app: Retinue
  readonly #show: (chunk: TaskChunk) => void
  readonly #stopped = new AbortController()
  readonly #watched = new Set<string>()
  /** What was told last of each task: a turn's own stream tells of tasks, too. */
  readonly #told = new Map<string, string>()
  #change: PromiseWithResolvers<void> = Promise.withResolvers()

  /** `show`: tells a person how a task stands now. */
  constructor(app: Retinue, show: (chunk: TaskChunk) => void) {
    this.#app = app
    this.#show = show
  }

  /** Begins to watch the open tasks of a conversation. */
  async follow(threadId: string): Promise<void> {
    for (const { taskId } of await this.#list(threadId, [...WORKING, 'suspended'])) {
      if (this.#watched.has(taskId)) continue
      this.#watched.add(taskId)
      void this.#watch(taskId)
    }
  }

  /** What the stream of a turn has told is not told again. */
  note(chunk: TaskChunk): void {
    this.#told.set(chunk.payload.taskId, stateOf(chunk))
  }

  /** Resolves when a task has ended, or waits for a person. */
  changed(): Promise<void> {
    return this.#change.promise
  }

  /** Whether tasks have ended of which the conversation has not been told. */
  async hasNews(threadId: string): Promise<boolean> {
    const query = { threadId, resourceId: LOCAL_RESOURCE, undelivered: true, limit: 1 } as const
    return (await this.#app.tasks.list(query)).items.length > 0
  }

  /** The tasks that have not come to their end, and do not wait for a person. */
  working(threadId: string): Promise<readonly TaskFacts[]> {
    return this.#list(threadId, WORKING)
  }

  close(): void {
    this.#stopped.abort()
  }

  async #list(threadId: string, status: readonly TaskStatus[]): Promise<readonly TaskFacts[]> {
    return (await this.#app.tasks.list({ threadId, resourceId: LOCAL_RESOURCE, status, limit: 500 })).items
  }

  async #watch(taskId: string): Promise<void> {
    try {
      for await (const chunk of this.#app.tasks.watch(taskId, { signal: this.#stopped.signal }))
        if (isTaskChunk(chunk)) this.#heard(chunk, taskId)
    } catch {
      // A task that is gone, or a store that does not answer: the next turn on the conversation finds out, and says so.
    } finally {
      this.#watched.delete(taskId)
    }
  }

  #heard(chunk: TaskChunk, watched: string): void {
    const { taskId } = chunk.payload
    const state = stateOf(chunk)
    if (this.#told.get(taskId) !== state) {
      this.#told.set(taskId, state)
      this.#show(chunk)
    }
    if (taskId !== watched || !(isTaskEnd(chunk) || chunk.type === 'background-task-suspended')) return
    const { resolve } = this.#change
    this.#change = Promise.withResolvers()
    resolve()
  }
}

function stateOf(chunk: TaskChunk): string {
  return chunk.type === 'background-task-running' ? `${chunk.type} ${chunk.payload.attempt}` : chunk.type
}

/** What becomes of tasks that somebody works on when the process ends; undefined where there are none. */
export function leftText(tasks: readonly TaskFacts[], agent: string): string | undefined {
  const [first] = tasks
  if (!first) return undefined
  const [what, they, them] =
    tasks.length === 1
      ? ['A background task stops', 'It goes', 'it']
      : [`${tasks.length} background tasks stop`, 'They go', 'them']
  return `${what} here. ${they} on with the next message of this conversation (retinue chat ${agent} --thread=${first.threadId ?? ''}); "retinue tasks cancel" ends ${them}.`
}
