import type { ErrorInfo } from '../errors/retinue-error.ts'
import type { GeneratedFile, ModelUse, Source } from '../events/chunk.ts'
import type { CompletionCheck } from '../events/completion-check.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import type { ToolCallRecord, ToolResultRecord } from '../events/tool-record.ts'
import { noUsage, type Usage } from '../events/usage.ts'
import type { Message } from '../messages/message.ts'
import type { ModelFinish, ResponseFacts } from '../model/stream-part.ts'
import type { OpenTask } from '../tools/outcome.ts'
import type { Shortage } from './budget.ts'

/** Where a run stands, as plain JSON: what is saved when it stops, and all that a resumed one needs beside its agent. */
export interface RunState {
  readonly runId: string
  readonly agentId: string
  readonly path: readonly string[]
  /** Bound on iterations. */
  readonly maxSteps: number
  /** Iterations begun. */
  iteration: number
  /**
   * The run's own conversation: its input, then what it added. The loop appends to it; before the first model call input processors can
   * put another input in its place, and at the end output processors another answer.
   */
  readonly messages: Message[]
  /** How many of `messages` are the input. */
  inputLength: number
  readonly steps: Step[]
  /** This agent's own model calls. */
  readonly usage: Usage
  /** The model calls of this agent and of everything that it delegated to. */
  readonly totalUsage: Usage
  /** In how many steps running each failure happened, by tool and error. */
  failures: Record<string, number>
  /** Whether the one repair of an answer that does not fit its schema was used. */
  repaired: boolean
  /** Why the next answer is the last, if it is: no more calls are made. */
  last: LastCall | undefined
  /** Results of delegations that later ones can be handed. */
  references?: Reference[]
  /** A hook or a condition ended it: that its last step said nothing is no fault of its model. */
  stoppedOnRequest?: boolean
  /** The limit that kept something of this run from starting. */
  shortage?: Shortage
  /** Whether its model knows that the budget comes to its end. */
  toldOfBudget?: boolean
  /** Tasks that it began, or that its thread has, and that it has not been told the end of. */
  tasks?: OpenTask[]
  /** What it answered before it was told how tasks ended. */
  answers?: string[]
  /** Iterations that led to the answers before: each answer has `maxSteps` of its own. */
  answeredAt?: number
  /** It has answered, would end so, and waits for tasks. */
  idle?: Exclude<FinishReason, 'aborted' | 'suspended'> | undefined
  /** Questions of its tasks that its model was told. */
  questions?: string[]
  /** How far it has read what was said to it as a task. */
  inboxRead?: number
  text: string
  object?: unknown
  /** What the last check of completion found. */
  completion?: CompletionCheck
  finishReason?: FinishReason
  error?: ErrorInfo
}

/** A result that later delegations of the same run can be handed, word for word. */
export interface Reference {
  /** The child's key and a number: `researcher-1`. */
  readonly id: string
  readonly key: string
  /** What the run's model read of it. */
  text: string
}

/** Why no call follows an answer: a hook asked for one answer more, or the budget is spent. */
export type LastCall = 'feedback' | 'budget'

/** One iteration: a model call and the tool calls that it asked for. */
export interface Step {
  iteration: number
  model: ModelUse
  text: string
  reasoningText: string
  toolCalls: ToolCallRecord[]
  /** In the order of the calls. */
  toolResults: ToolResultRecord[]
  sources: Source[]
  files: GeneratedFile[]
  finishReason: ModelFinish | 'aborted'
  usage: Usage
  warnings: string[]
  response?: ResponseFacts
  providerMetadata?: Record<string, unknown>
}

export function newRunState(init: {
  runId: string
  agentId: string
  path: readonly string[]
  maxSteps: number
  messages: Message[]
}): RunState {
  return {
    ...init,
    iteration: 0,
    inputLength: init.messages.length,
    steps: [],
    usage: noUsage(),
    totalUsage: noUsage(),
    failures: {},
    repaired: false,
    last: undefined,
    text: '',
  }
}
