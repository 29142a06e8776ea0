import type { LanguageModel } from '../model/language-model.ts'
import type { StreamPart } from '../model/stream-part.ts'

/**
 * The port through which every side effect of a run goes. In one process it calls straight through; an engine that makes runs
 * durable wraps each in a step of its own. Nothing in the loop or in delegation reads a clock, waits or draws a number otherwise.
 */
export interface Effects {
  /** Starts a model call. `options` are in the form of the model's own specification. */
  callModel(model: LanguageModel, options: object): PromiseLike<ModelStream>
  /** Runs the body of a tool. */
  runTool<T>(body: () => T | PromiseLike<T>): PromiseLike<T>
  /** Milliseconds since 1970. */
  now(): number
  /** Calls back after a time; the returned function stops the clock. `background`: it keeps no process from ending. */
  startTimer(milliseconds: number, callback: () => void, background?: boolean): () => void
  /** An unguessable id. */
  newId(): string
}

export interface ModelStream {
  stream: ReadableStream<StreamPart>
}
