import type { PendingToolCall } from '../approvals/question.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import type { GeneratedFile, Source } from '../events/chunk.ts'
import type { CompletionCheck } from '../events/completion-check.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import type { ToolCallRecord, ToolResultRecord } from '../events/tool-record.ts'
import type { Usage } from '../events/usage.ts'
import type { Run } from '../loop/run.ts'
import type { Step } from '../loop/run-state.ts'
import { resultRecord } from '../loop/run-tool-calls.ts'
import { usageSoFar } from '../loop/usage-so-far.ts'
import type { Message } from '../messages/message.ts'
import type { LiveScore } from '../scorers/live-score.ts'
import { pendingCalls } from './pending-calls.ts'

/** What a run gave. */
export interface RunResult {
  readonly runId: string
  /** The last iteration's text. */
  readonly text: string
  /** The answer as an object, where it has a schema: the agent's `outputSchema`, or the call's `structuredOutput`. */
  readonly object: unknown
  readonly finishReason: FinishReason
  /** What the last check of completion found, where there was one; see `isTaskComplete`. */
  readonly completion: CompletionCheck | undefined
  /** Why the run ended with `error`, or what is wrong with an answer that it ended with. */
  readonly error: RetinueError | undefined
  /** This agent's own model calls. */
  readonly usage: Usage
  /** This agent's model calls, and those of everything that it delegated to. */
  readonly totalUsage: Usage
  readonly steps: readonly Step[]
  /** The tool calls of all steps. */
  readonly toolCalls: readonly ToolCallRecord[]
  /** The results of all steps, in the order of the calls. */
  readonly toolResults: readonly ToolResultRecord[]
  readonly sources: readonly Source[]
  readonly files: readonly GeneratedFile[]
  readonly warnings: readonly string[]
  readonly response: RunResponse
  /** What it waits for, where its finish reason is `suspended`: each can be decided with the run's id and the call's. */
  readonly pendingCalls?: readonly PendingToolCall[]
  /** What the scorers say of the answers of this run and of those below it, where there are any. It does not reject. */
  readonly scores?: Promise<readonly LiveScore[]>
}

/** The messages that a run added to its conversation, to go on from; and what the provider said of its last answer. */
export interface RunResponse {
  readonly messages: readonly Message[]
  readonly id?: string
  readonly modelId?: string
  readonly timestamp?: string
}

export function resultOf(run: Run, scores?: Promise<readonly LiveScore[]>): RunResult {
  const { state } = run
  const isWaiting = state.finishReason === 'suspended'
  const steps = isWaiting ? stepsSoFar(run) : state.steps
  return {
    runId: state.runId,
    text: state.text,
    object: state.object,
    finishReason: state.finishReason ?? 'other',
    completion: state.completion,
    error: run.error,
    usage: state.usage,
    totalUsage: isWaiting ? usageSoFar(run) : state.totalUsage,
    steps,
    ...joined(steps),
    response: { messages: state.messages.slice(state.inputLength), ...steps.at(-1)?.response },
    ...(isWaiting ? { pendingCalls: [...pendingCalls(run)] } : {}),
    ...(scores ? { scores } : {}),
  }
}

/** The steps of a run that waits, the last with what of its calls has ended. */
function stepsSoFar({ state, calls }: Run): Step[] {
  const results = (calls ?? []).flatMap((call) => resultRecord(call) ?? [])
  const last = state.steps.at(-1)
  return last ? [...state.steps.slice(0, -1), { ...last, toolResults: [...last.toolResults, ...results] }] : []
}

type Lists = Pick<Step, 'toolCalls' | 'toolResults' | 'sources' | 'files' | 'warnings'>

/** The lists of all steps, each in one. */
function joined(steps: readonly Step[]): Lists {
  const all: Lists = { toolCalls: [], toolResults: [], sources: [], files: [], warnings: [] }
  for (const { toolCalls, toolResults, sources, files, warnings } of steps) {
    for (const item of toolCalls) all.toolCalls.push(item)
    for (const item of toolResults) all.toolResults.push(item)
    for (const item of sources) all.sources.push(item)
    for (const item of files) all.files.push(item)
    for (const item of warnings) all.warnings.push(item)
  }
  return all
}
