import type { Chunk } from '@retinue/core/agent'
import { elapsed } from './elapsed.ts'

type TaskType = Extract<Chunk['type'], `background-task-${string}`>

/** A chunk that tells of a background task. */
export type TaskChunk = Extract<Chunk, { type: TaskType }>

export function isTaskChunk(chunk: Chunk): chunk is TaskChunk {
  return chunk.type.startsWith('background-task-')
}

/** How a task stands for a person: a mark and words, so that nobody needs to tell colours apart. */
export interface TaskText {
  readonly mark: string
  readonly words: string
  readonly tone: 'active' | 'good' | 'bad' | 'quiet'
  /** Why it is so. */
  readonly why?: string
}

/** What a chunk says of its task. `isBegun`: an attempt of it has worked before, so that it goes on. */
export function taskText(chunk: TaskChunk, isBegun: boolean): TaskText {
  switch (chunk.type) {
    case 'background-task-started':
      return { mark: '◌', words: 'in the background', tone: 'active' }
    case 'background-task-running': {
      const { attempt } = chunk.payload
      const words = attempt > 1 ? `attempt ${attempt}` : isBegun ? 'goes on' : 'works'
      return { mark: '◌', words, tone: 'active' }
    }
    case 'background-task-suspended':
      return { mark: '◇', words: 'waits for a person', tone: 'active' }
    case 'background-task-retrying': {
      const { attempt, delayMs, error } = chunk.payload
      return { mark: '↻', words: `attempt ${attempt} in ${elapsed(delayMs)}`, tone: 'bad', why: error.message }
    }
    case 'background-task-completed':
      return { mark: '✔', words: 'completed', tone: 'good' }
    case 'background-task-failed':
      return { mark: '✖', words: 'failed', tone: 'bad', why: chunk.payload.error.message }
    case 'background-task-timed-out':
      return { mark: '✖', words: 'timed out', tone: 'bad', why: chunk.payload.error.message }
    case 'background-task-cancelled':
      return { mark: '■', words: 'cancelled', tone: 'quiet', ...whyOf(chunk.payload.reason) }
  }
}

function whyOf(reason: string | undefined): { readonly why?: string } {
  return reason === undefined ? {} : { why: reason }
}

/** Whether nothing changes any more in a task after such a chunk. */
export function isTaskEnd({ type }: TaskChunk): boolean {
  return ENDS.has(type)
}

const ENDS: ReadonlySet<TaskType> = new Set<TaskType>([
  'background-task-completed',
  'background-task-failed',
  'background-task-cancelled',
  'background-task-timed-out',
])

/** So much of an id names a task: what `retinue tasks` takes as its beginning. */
export function shortTask(taskId: string): string {
  return taskId.slice(0, 8)
}
