import type { Instructions, ModelSetting } from '@retinue/core/agent'
import type { Storage, VectorStore } from '@retinue/core/storage'
import type { Schema } from '@retinue/core/tools'
import type { Embedder } from './embedder.ts'

/** What `new Memory` takes. */
export interface MemoryOptions {
  /** Where conversations are kept. Default: the application's storage; without either, the process's memory. */
  storage?: Storage
  /** Where the vectors of messages are kept, for recall by meaning; it needs an `embedder`. */
  vector?: VectorStore
  /** Makes vectors of texts; it needs a `vector` store. */
  embedder?: Embedder
  options?: MemorySettings
}

/** How a memory works. A call can set each of them anew, in `memory: { options }`. */
export interface MemorySettings {
  /**
   * How many of the last messages of the thread the model is told again: tool calls and their results count as messages. `false` or 0:
   * none. Default: 10.
   */
  lastMessages?: number | false
  /**
   * Tells the model earlier messages that have to do with what is asked. By meaning where there are a `vector` store and an
   * `embedder`; else by the words that they share, which the memory says once. What fails or takes longer than 10 s is told as a warning,
   * and the run goes on without it. `true`: with the defaults. Default: false.
   */
  semanticRecall?: boolean | SemanticRecallOptions
  /** Notes that the model keeps itself, with a tool of its own. Default: none. */
  workingMemory?: WorkingMemoryOptions
  /**
   * Gives a thread that has none a title when a run in it has ended. `true`: the first words of what the person asked; an object: what
   * a model makes of it. Default: false.
   */
  generateTitle?: boolean | TitleOptions
  /** Nothing is written anywhere: no threads, messages, notes, vectors or titles. Default: false. */
  readOnly?: boolean
}

export interface SemanticRecallOptions {
  /** How many messages are looked for. Default: 4. */
  topK?: number
  /** How many messages around each of them are told too: on each side, or before and after. Default: 1. */
  messageRange?: number | { before: number; after: number }
  /** In the thread alone, or in all threads of the resource. Default: 'resource'. */
  scope?: Scope
}

export interface WorkingMemoryOptions {
  enabled: boolean
  /** Whose notes: the conversation's, or those of everything that the resource has. Default: 'resource'. */
  scope?: Scope
  /** The form that the notes begin with, in Markdown. Default: a short form for what matters of a person and a task. */
  template?: string
  /**
   * Keeps an object in place of a text. Its schema is one of an object. A field may be missing until it is known; one that is there
   * fits the schema, and once no required one is missing the whole is checked by it. What is kept is what the model wrote.
   */
  schema?: Schema
}

export interface TitleOptions {
  model: ModelSetting
  /** What the model is told to do. Default: to name the conversation in at most eight words, in its language. */
  instructions?: Instructions
}

export type Scope = 'thread' | 'resource'
