import type { PendingToolCall } from '../approvals/question.ts'
import type { Chunk } from '../events/chunk.ts'
import type { Application } from '../memory/application.ts'
import type { Page } from '../storage/page.ts'
import type { TaskFacts, TaskQuery } from '../storage/tasks.ts'
import type { Value } from '../storage/values.ts'
import type { RunStream } from './run-stream.ts'

/** A background task with what it was given and, once it has ended, what came of it. */
export interface BackgroundTask extends TaskFacts {
  readonly args: Value
  /** Of a delegation the whole envelope, of a tool its result; undefined where it gave none. */
  readonly result?: unknown
}

/** What a task waits for a person with. */
export interface TaskQuestion extends PendingToolCall {
  readonly taskId: string
}

/** Answers a call of a task as the task's root agent does. */
export type AnswerTask = (task: TaskFacts, data: unknown, toolCallId: string) => Promise<RunStream>

/**
 * The background tasks of an application, whichever process works on them. What it does is loaded when something of it is first asked for.
 */
export class BackgroundTasks {
  readonly #application: Application
  readonly #answer: AnswerTask

  constructor(application: Application, answer: AnswerTask) {
    this.#application = application
    this.#answer = answer
  }

  /** Tasks in the order in which they were begun, by pages. */
  async list(query: TaskQuery = {}): Promise<Page<TaskFacts>> {
    return (await records()).listTasks(this.#application, query)
  }

  /** One task, whole. Rejects with `task-not-found`. */
  async get(taskId: string): Promise<BackgroundTask> {
    return (await records()).getTask(this.#application, taskId)
  }

  /**
   * What happens in a task from now on, to its end: first a chunk that says how it stands. Of a task that another process works on only
   * its states are told. It fails with `task-not-found`. `signal`: ends it.
   */
  async *watch(taskId: string, options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<Chunk> {
    const { watchTask } = await import('./watch-task.ts')
    yield* watchTask(this.#application, taskId, options.signal)
  }

  /** Ends a task; whoever waits for it is told. False if it has ended before. Rejects with `task-not-found`. */
  async cancel(taskId: string, reason = 'somebody cancelled it'): Promise<boolean> {
    return (await records()).cancelTask(this.#application, taskId, reason)
  }

  /**
   * Says something to a task while it runs: its agent reads it before its next model call. Rejects with `task-not-found`, or with
   * `task-ended`.
   */
  async send(taskId: string, text: string): Promise<void> {
    return (await records()).sendToTask(this.#application, taskId, text)
  }

  /** What tasks ask of people: calls that want an approval, and questions that want an answer. `query`: of which tasks. */
  async questions(query: Omit<TaskQuery, 'status' | 'undelivered'> = {}): Promise<readonly TaskQuestion[]> {
    return (await records()).questionsOfTasks(this.#application, query)
  }

  /**
   * Answers what a task asks, and lets it go on; see `resumeStream` of its agent, which rejects alike. `toolCallId` can be left out where
   * it asks one thing.
   */
  async answer(taskId: string, data: unknown, options: { readonly toolCallId?: string } = {}): Promise<RunStream> {
    const { task, toolCallId } = await (await records()).askedOf(this.#application, taskId, options.toolCallId)
    return this.#answer(task, data, toolCallId)
  }

  /** Waits until this process works on no task any more: before it ends, say. */
  async settled(): Promise<void> {
    return (await records()).settledTasks(this.#application)
  }
}

function records() {
  return import('./task-records.ts')
}
