import type { FinishReason, GeneratedFile, ModelUse, Source, Usage } from '@retinue/core/agent'
import type { ErrorInfo } from '@retinue/core/errors'
import type { TaskStatus } from '@retinue/core/storage'

/** How a run stands, as far as its events tell. */
export type RunStatus = 'running' | 'suspended' | 'finished' | 'failed' | 'aborted'

/** A run as a user interface shows it: what it said and did, in order. Views are never changed: each event makes a new one. */
export interface RunView {
  /** Empty before the first event. */
  readonly runId: string
  readonly agentId: string
  /** The root agent's id, then the keys of the delegations that lead to the run. */
  readonly path: readonly string[]
  readonly status: RunStatus
  readonly finishReason?: FinishReason
  /** Which model it uses. */
  readonly model?: ModelUse
  /** The step that it is in, from 1; 0 before the first. */
  readonly step: number
  /** The step was told before, and may be told anew. */
  readonly isAgain: boolean
  readonly items: readonly ViewItem[]
  /** What it said in its last step that said something: the answer, when it has finished. */
  readonly text: string
  readonly object?: unknown
  /** Its own model calls; while it goes on, those of the steps that are done. */
  readonly usage: Usage
  /** By step. */
  readonly stepUsage: Readonly<Record<number, Usage>>
  /** And those of everything below it. */
  readonly totalUsage: Usage
  readonly error?: ErrorInfo
}

/** The view of a root run. */
export interface RootView extends RunView {
  /** What waits for a person, at whatever depth. */
  readonly pending: readonly PendingView[]
  /** What goes on in the background, in the order in which it began. */
  readonly tasks: readonly TaskView[]
  /** By the id of a run: the calls that lead to it, from the root's. */
  readonly places: Readonly<Record<string, readonly string[]>>
}

/** A background task, as far as the run was told of it. */
export interface TaskView {
  readonly taskId: string
  readonly toolCallId: string
  readonly toolName: string
  /** Of the agent that made the call. */
  readonly path: readonly string[]
  /** `retrying`: an attempt failed, and another one is made. */
  readonly status: TaskStatus | 'retrying'
  /** From 1; 0 before the first. */
  readonly attempt: number
  readonly result?: unknown
  readonly error?: ErrorInfo
  /** Why it was cancelled. */
  readonly reason?: string
}

/** A call that waits. It is decided with the id of the root run and its own. */
export interface PendingView {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: unknown
  readonly path: readonly string[]
  /** `suspension`: it wants an answer, and no approval. */
  readonly kind: 'approval' | 'suspension'
  readonly payload?: unknown
  readonly expiresAt?: number
}

/** Something that a run said or did, and in which of its steps, from 1. */
export type ViewItem = { readonly step: number } & (
  | { readonly type: 'text' | 'reasoning'; readonly id: string; readonly text: string; readonly isDone: boolean }
  | ToolView
  | { readonly type: 'source'; readonly source: Source }
  | { readonly type: 'file'; readonly file: GeneratedFile }
  /** What a tool wrote for the user interface; one with an `id` takes the place of an earlier one. */
  | { readonly type: 'data'; readonly name: string; readonly id?: string; readonly data: unknown }
)

export interface ToolView {
  readonly type: 'tool'
  readonly toolCallId: string
  readonly toolName: string
  /** The arguments as they come in. */
  readonly argsText: string
  /** The arguments, once they are there. */
  readonly args?: unknown
  /** `asked`: its arguments come in. `denied`: a person declined it. */
  readonly state: 'asked' | 'running' | 'waiting' | 'done' | 'failed' | 'denied'
  readonly result?: unknown
  readonly error?: ErrorInfo
  /** Why it was declined. */
  readonly reason?: string
  /** What it wrote while it worked. */
  readonly output: readonly unknown[]
  /** The background task that it is, or was: one of the root's `tasks`. */
  readonly taskId?: string
  /** The run of the agent that it delegates to. */
  readonly delegation?: DelegationView
}

export interface DelegationView {
  readonly key: string
  readonly prompt: string
  /** How it ended: `completed`, or what else came of it. */
  readonly status?: string
  readonly run: RunView
}
