import type { ErrorInfo } from '../errors/retinue-error.ts'

/** A call that a model made. */
export interface ToolCallRecord {
  toolCallId: string
  toolName: string
  args: unknown
  /** The provider ran it. */
  providerExecuted?: boolean
}

/** How a call ended. */
export interface ToolResultRecord extends ToolCallRecord {
  /** What the tool gave; absent when it failed. */
  result?: unknown
  error?: ErrorInfo
  isError?: boolean
}
