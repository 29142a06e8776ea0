import type { ErrorInfo } from '../errors/retinue-error.ts'
import type { CompletionCheck } from './completion-check.ts'
import type { FinishReason } from './finish-reason.ts'
import type { Usage } from './usage.ts'

/** What every chunk carries beside its type and payload. */
export interface ChunkEnvelope {
  /** The run that the chunk belongs to: the root's, or that of a delegation. */
  readonly runId: string
  readonly from: 'AGENT' | 'USER'
  /** The root agent's id, then the keys of the delegations that lead to the run. */
  readonly path: readonly string[]
}

/** The payload of each type of chunk. `data-*` chunks, which tools write, are not listed: their payload is the tool's own. */
export interface ChunkPayloads {
  start: { id: string; messageId: string }
  'step-start': { messageId: string; iteration: number; model: ModelUse }
  'text-start': { id: string }
  'text-delta': { id: string; text: string }
  'text-end': { id: string }
  'reasoning-start': { id: string }
  'reasoning-delta': { id: string; text: string }
  'reasoning-end': { id: string }
  source: Source
  file: GeneratedFile
  'tool-call-input-streaming-start': { toolCallId: string; toolName: string }
  'tool-call-delta': { toolCallId: string; argsTextDelta: string }
  'tool-call-input-streaming-end': { toolCallId: string }
  'tool-call': { toolCallId: string; toolName: string; args: unknown; providerExecuted?: boolean }
  'tool-result': { toolCallId: string; toolName: string; args: unknown; result: unknown; providerExecuted?: boolean }
  'tool-error': { toolCallId: string; toolName: string; args: unknown; error: ErrorInfo }
  /** A person declined the call: it was not run. */
  'tool-output-denied': { toolCallId: string; toolName: string; args: unknown; reason?: string }
  /** A call waits for a person. It is the root's chunk, wherever in the tree the call was made: `path` says where. */
  'tool-call-approval': { toolCallId: string; toolName: string; args: unknown; expiresAt?: number }
  /** A tool was suspended, and waits for an answer; else as `tool-call-approval`. */
  'tool-call-suspended': {
    toolCallId: string
    toolName: string
    args: unknown
    suspendPayload?: unknown
    expiresAt?: number
  }
  /** In `events`: what a tool wrote. In `fullStream` also a child's chunk, as `output`, once for each level. */
  'tool-output': { output: unknown; toolCallId: string; toolName: string }
  'delegation-start': { toolCallId: string; key: string; agentId: string; runId: string; prompt: string }
  'delegation-end': { toolCallId: string; key: string; agentId: string; runId: string; status: string; usage: Usage }
  /** The answer was checked; see `isTaskComplete`. */
  'is-task-complete': CompletionCheck
  object: { object: unknown }
  /** A call goes on in the background: its model has a placeholder, and is told how it ended when it has. */
  'background-task-started': TaskReference
  /** An attempt of a task has begun to work, or goes on. */
  'background-task-running': TaskReference & { attempt: number }
  /** A task waits for a person, or for an answer. */
  'background-task-suspended': TaskReference
  /** An attempt failed, and another one is made after `delayMs`. */
  'background-task-retrying': TaskReference & { attempt: number; error: ErrorInfo; delayMs: number }
  'background-task-completed': TaskReference & { result: unknown }
  'background-task-failed': TaskReference & { error: ErrorInfo; result?: unknown }
  'background-task-cancelled': TaskReference & { reason?: string }
  'background-task-timed-out': TaskReference & { error: ErrorInfo }
  'step-finish': StepEnd
  error: { error: ErrorInfo }
  abort: { reason?: string }
  finish: StepEnd & { totalUsage: Usage }
}

/** Which background task a chunk tells of, and the call that began it. */
export interface TaskReference {
  taskId: string
  toolCallId: string
  toolName: string
}

/** How a step, or a run, ended. It repeats nothing that earlier chunks carried. */
export interface StepEnd {
  stepResult: { reason: FinishReason; isContinued: boolean; warnings?: readonly string[] }
  output: { usage: Usage }
}

/** Which model a run uses: what its config asked for, what answers, and why if that is another. */
export interface ModelUse {
  requested: string
  used: string
  why?: string
}

export type Source =
  | { sourceType: 'url'; id: string; url: string; title?: string }
  | { sourceType: 'document'; id: string; mediaType: string; title: string; filename?: string }

/** A file that a model made: base64 `data`, or a `url`. */
export type GeneratedFile = { mediaType: string } & ({ data: string } | { url: string })

export type ChunkType = keyof ChunkPayloads

/** A flat event: what `events` gives, and what a log keeps. */
export type Chunk =
  | { [T in ChunkType]: ChunkEnvelope & { readonly type: T; readonly payload: ChunkPayloads[T] } }[ChunkType]
  | DataChunk

/** A chunk that a tool wrote with `writer.custom`. */
export interface DataChunk extends ChunkEnvelope {
  readonly type: `data-${string}`
  /** All that the tool wrote beside the type; `id` names a part of the user interface that a later chunk replaces. */
  readonly payload: { readonly data?: unknown; readonly id?: string; readonly [key: string]: unknown }
}
