import type { ErrorInfo } from '../errors/retinue-error.ts'
import type { GeneratedFile, ModelUse, Source } from '../events/chunk.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import type { ToolCallRecord, ToolResultRecord } from '../events/tool-record.ts'
import { noUsage, type Usage } from '../events/usage.ts'
import type { Message } from '../messages/message.ts'
import type { ModelFinish, ResponseFacts } from '../model/stream-part.ts'

/** Where a run stands, as plain JSON: what is saved when it stops, and all that a resumed one needs beside its agent. */
export interface RunState {
  readonly runId: string
  readonly agentId: string
  readonly path: readonly string[]
  /** Bound on iterations. */
  readonly maxSteps: number
  /** Iterations begun. */
  iteration: number
  /** The run's own conversation: its input, then what it added. Only ever appended to. */
  readonly messages: Message[]
  /** How many of `messages` are the input. */
  readonly inputLength: number
  readonly steps: Step[]
  /** This agent's own model calls. */
  readonly usage: Usage
  /** The model calls of this agent and of everything that it delegated to. */
  readonly totalUsage: Usage
  /** In how many steps running each failure happened, by tool and error. */
  failures: Record<string, number>
  /** Whether the one repair of an answer that does not fit its schema was used. */
  repaired: boolean
  /** Whether the next answer is the last: no more calls are made. */
  last: boolean
  text: string
  object?: unknown
  finishReason?: FinishReason
  error?: ErrorInfo
}

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
    last: false,
    text: '',
  }
}
