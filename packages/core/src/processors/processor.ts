import type { RequestContextLike } from '../context/request-context.ts'
import type { InputMessageLike } from '../messages/chosen-messages.ts'
import type { Instructions } from '../messages/instructions.ts'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { OutputPart } from '../model/stream-part.ts'

type Awaitable<T> = T | Promise<T>

/**
 * Looks at what goes into a model and what comes out of it, and can change it or stop the run. In `inputProcessors` its input methods
 * are called, in `outputProcessors` those of the output, one processor after the other, each with what the one before it gave. What
 * one throws ends the run with an error.
 */
export interface Processor {
  /** Names it in errors. */
  readonly id: string
  /** Called once, before the first model call of a run. What it returns is what the run goes on from. */
  processInput?(context: InputContext): Awaitable<ProcessedInput | readonly InputMessageLike[] | undefined | void>
  /** Called before each model call. What it returns holds for that call alone. */
  processInputStep?(
    context: InputStepContext,
  ): Awaitable<ProcessedInput | readonly InputMessageLike[] | undefined | void>
  /**
   * Called for each part of the answer as it comes. It returns the part, or another in its place; `null` leaves it out, and nothing
   * keeps it. What it has seen can't be unsaid: to hold text back, keep it in `state` and let it go with a later part.
   */
  processOutputStream?(context: OutputPartContext): Awaitable<OutputPart | null | undefined | void>
  /** Called when the run ends with an answer. The text that it returns stands in its place, in the result and in the history. */
  processOutputResult?(context: OutputResultContext): Awaitable<string | undefined | void>
}

/** What an input method returns in place of what it was shown. A field that is left out changes nothing. */
export interface ProcessedInput {
  /**
   * In place of the messages of the context. They begin with a user's message and end with one that a model can answer; where a cut
   * took one side of a tool call, the other is mended.
   */
  messages?: readonly InputMessageLike[]
  /** In place of all system messages. */
  instructions?: Instructions
}

/** What every method of a processor is told. */
export interface ProcessorContext {
  readonly runId: string
  readonly agentId: string
  /** The root agent's id, then the keys of the delegations that lead to the run. */
  readonly path: readonly string[]
  readonly requestContext: RequestContextLike
  readonly abortSignal: AbortSignal
  /** The processor's own, for this run: the same object in each call of its methods. */
  readonly state: Record<string, unknown>
  /** Stops the run: it ends with finish reason `other`, and its error says the reason. It never returns. */
  abort(reason?: string): never
}

/** What `processInput` is told. The lists are copies: what holds is what it returns. */
export interface InputContext extends ProcessorContext {
  /** Everything that the model will see after the system messages: what was inherited or recalled, and the input. */
  readonly messages: readonly Message[]
  readonly systemMessages: readonly SystemMessage[]
}

/** What `processInputStep` is told: what the next model call would be sent. */
export interface InputStepContext extends InputContext {
  /** The iteration whose model call it is, from 1. */
  readonly iteration: number
}

/** What `processOutputStream` is told, for each part as it comes. */
export interface OutputPartContext extends ProcessorContext {
  /** The iteration whose model call the part is of, from 1. */
  readonly iteration: number
  /** A part of the answer in the form of the AI SDK's language model: text, reasoning, a tool call, a source, a file. */
  readonly part: OutputPart
}

/** What `processOutputResult` is told, once the run has its answer. */
export interface OutputResultContext extends ProcessorContext {
  /** The answer. */
  readonly text: string
  /** The run's conversation, the answer included. */
  readonly messages: readonly Message[]
}
