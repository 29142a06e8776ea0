export type { PendingToolCall } from '../approvals/question.ts'
export type { DelegatedRequest, DelegatedResult, DelegateTarget } from '../delegation/delegate-target.ts'
export { lastMessages, maxTokens } from '../delegation/message-filters.ts'
export type {
  Chunk,
  ChunkEnvelope,
  ChunkPayloads,
  ChunkType,
  DataChunk,
  GeneratedFile,
  ModelUse,
  Source,
  StepEnd,
  TaskReference,
} from '../events/chunk.ts'
export type { CompletionCheck, ScorerVerdict } from '../events/completion-check.ts'
export type { DelegationEnvelope, DelegationStatus } from '../events/envelope.ts'
export type { FinishReason } from '../events/finish-reason.ts'
export type { ReplayStream } from '../events/replay-stream.ts'
export type { ToolCallRecord, ToolResultRecord } from '../events/tool-record.ts'
export { toUiChunks, type UiChunk, type UiResponseOptions } from '../events/ui-message-response.ts'
export type { Usage } from '../events/usage.ts'
export type { BudgetLimit, BudgetOptions } from '../loop/budget.ts'
export type {
  DelegateName,
  DelegateNames,
  DelegationCompleteContext,
  DelegationHookContext,
  DelegationOptions,
  DelegationReview,
  DelegationStartContext,
  DelegationStartDecision,
  MessageFilter,
  MessageFilterContext,
} from '../loop/delegation-settings.ts'
export type { IterationContext, IterationHook, IterationVerdict } from '../loop/iteration-hook.ts'
export type { PrepareStep, StepContext, StepSettings } from '../loop/prepare-step.ts'
export type { ApprovalGate, ChooseModel, ChosenModel } from '../loop/run.ts'
export type { StopCondition } from '../loop/run-hooks.ts'
export type { Step } from '../loop/run-state.ts'
export type { TaskTerms, UntilIdle } from '../loop/run-tasks.ts'
export type { TaskCompletion } from '../loop/task-completion.ts'
export type { Timeouts } from '../loop/time-limits.ts'
export type { BackgroundTaskOptions } from '../memory/application.ts'
export { type AgentInput, assertInput, type InputMessage } from '../messages/from-input.ts'
export type { Instruction, Instructions } from '../messages/instructions.ts'
export type { Message } from '../messages/message.ts'
export type { LanguageModel, ModelChoice } from '../model/language-model.ts'
export type { Providers, RegisteredProvider } from '../model/registered-providers.ts'
export type { LiveScore, OnScore, Sampling, ScorerEntry, Scorers } from '../scorers/live-score.ts'
export type { Page } from '../storage/page.ts'
export type { TaskFacts, TaskQuery, TaskStatus } from '../storage/tasks.ts'
export { Agent, isAgent } from './agent.ts'
export { type AgentConfig, type AgentOptions, agentConfig, type Dynamic, type ModelSetting } from './agent-config.ts'
export type { AgentTask, AgentTasks } from './agent-tasks.ts'
export type { BackgroundTask, BackgroundTasks, TaskQuestion } from './background-tasks.ts'
export type { Callbacks } from './callbacks.ts'
export { taskAgentOf } from './keepable.ts'
export type { ApproveOptions, DecisionOptions, DeclineOptions, ResumeOptions } from './resume-options.ts'
export type { RunOptions } from './run-options.ts'
export type { RunResponse, RunResult } from './run-result.ts'
export type { RunStream } from './run-stream.ts'
export type { SuspendedRun, SuspendedRuns, SuspendedRunsQuery } from './suspended-runs.ts'
