import type {
  FinishReason,
  GeneratedFile,
  PendingToolCall,
  Source,
  ToolCallRecord,
  ToolResultRecord,
  Usage,
} from '@retinue/core/agent'
import type { ErrorInfo } from '@retinue/core/errors'
import type { RememberedMessage } from '@retinue/core/memory'
import type { Approval, TaskStatus, Thread, UnreadableRow } from '@retinue/core/storage'

/** What a run came to. */
export interface ClientResult {
  readonly runId: string
  readonly threadId?: string
  readonly text: string
  readonly object?: unknown
  readonly finishReason: FinishReason
  readonly usage: Usage
  readonly totalUsage: Usage
  readonly toolCalls: readonly ToolCallRecord[]
  readonly toolResults: readonly ToolResultRecord[]
  readonly sources: readonly Source[]
  readonly files: readonly GeneratedFile[]
  readonly warnings: readonly string[]
  /** What it waits for, where its finish reason is `suspended`. */
  readonly pendingCalls?: readonly PendingToolCall[]
  readonly error?: ErrorInfo
}

export interface AgentInfo {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly description?: string
  readonly models?: readonly string[]
  readonly tools?: readonly { readonly name: string; readonly description?: string; readonly isClients?: true }[]
  readonly agents?: readonly AgentInfo[]
  /** There if the same agent has another place in this answer: what it delegates to is told there, and `agents` is empty here. */
  readonly repeated?: true
  readonly hasMemory: boolean
}

export interface RunInfo {
  readonly runId: string
  readonly agentId: string
  readonly status: 'running' | 'suspended' | 'ended'
  readonly threadId?: string
  readonly resourceId?: string
  readonly createdAt: number
  readonly updatedAt: number
}

export interface RunDetails extends RunInfo {
  readonly pendingCalls: readonly PendingToolCall[]
  readonly result?: ClientResult
}

export interface RunList {
  readonly runs: readonly RunInfo[]
  readonly unreadable: readonly UnreadableRow[]
  readonly next?: string
}

export interface TaskInfo {
  readonly taskId: string
  /** The run that somebody began, and that it belongs to. */
  readonly runId: string
  /** The run that made the call: `runId`, or one below it. */
  readonly parentRunId: string
  readonly agentId: string
  /** The agents that lead to the one that made the call. */
  readonly path: readonly string[]
  readonly toolName: string
  readonly toolCallId: string
  readonly threadId?: string
  readonly resourceId?: string
  readonly status: TaskStatus
  readonly attempts: number
  readonly createdAt: number
  readonly startedAt?: number
  readonly endedAt?: number
  readonly deliveredAt?: number
  /** Why it did not complete. */
  readonly error?: { readonly code: string; readonly message: string }
}

export interface TaskDetails extends TaskInfo {
  readonly args: unknown
  /** What came of it: of a delegation the whole envelope. */
  readonly result?: unknown
  readonly pendingCalls: readonly PendingToolCall[]
}

export interface TaskList {
  readonly tasks: readonly TaskInfo[]
  readonly unreadable: readonly UnreadableRow[]
  readonly next?: string
}

/** What a background task waits for a person with. */
export interface TaskQuestionInfo extends PendingToolCall {
  readonly taskId: string
}

export interface TaskQuestionList {
  readonly questions: readonly TaskQuestionInfo[]
  readonly unreadable: readonly UnreadableRow[]
  readonly next?: string
}

export interface ApprovalList {
  /** Each is decided with its `runId`. `taskId`: it is asked by a background task of the run. */
  readonly approvals: readonly (Omit<Approval, 'fingerprint'> & { readonly taskId?: string })[]
  readonly unreadable: readonly UnreadableRow[]
  readonly next?: string
}

export interface ThreadList {
  readonly threads: readonly Thread[]
  readonly unreadable: readonly UnreadableRow[]
  readonly next?: string
}

export interface MessageList {
  readonly messages: readonly RememberedMessage[]
  readonly hasMore: boolean
  readonly unreadable: readonly UnreadableRow[]
}

/** Messages as those of a user interface: whole turns, the oldest first. */
export interface UiMessageList {
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly hasMore: boolean
  /** Asks for the page before this one, where there is one. */
  readonly before?: number
  readonly unreadable: readonly UnreadableRow[]
}
