import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { PendingToolCall } from '../approvals/question.ts'
import type { RequestContextLike } from '../context/request-context.ts'
import type { ErrorInfo, RetinueError } from '../errors/retinue-error.ts'
import type { Chunk, ChunkPayloads, ChunkType, ModelUse } from '../events/chunk.ts'
import type { RunLog } from '../events/run-log.ts'
import type { Application } from '../memory/application.ts'
import type { KeptConversation, ThreadIds } from '../memory/kept-conversation.ts'
import type { Message } from '../messages/message.ts'
import type { SharedView } from '../messages/shared-view.ts'
import type { LanguageModel, ModelChoice } from '../model/language-model.ts'
import { namesUrl, type PromptTraits } from '../model/prompt-traits.ts'
import type { Providers } from '../model/registered-providers.ts'
import type { LiveScore, OnScore, Scorers } from '../scorers/live-score.ts'
import type { AbortScope } from '../shared/abort.ts'
import type { CompiledTool } from '../tools/compile-tool.ts'
import type { Outcome } from '../tools/outcome.ts'
import type { Checked, CompiledSchema } from '../tools/schema.ts'
import type { SuspendedCall } from '../tools/suspended-call.ts'
import type { Bail } from './bail.ts'
import type { Budget } from './budget.ts'
import type { DelegationOptions } from './delegation-settings.ts'
import type { Effects } from './effects.ts'
import type { OpenDelegation } from './open-delegation.ts'
import type { PendingCall } from './pending-call.ts'
import type { StepOverride } from './prepare-step.ts'
import type { Prompt } from './prompt.ts'
import type { RunHooks } from './run-hooks.ts'
import type { RunKeeper } from './run-keeper.ts'
import type { RunProcessors } from './run-processors.ts'
import type { Reference, RunState } from './run-state.ts'
import type { RunTasks, TaskSide, TaskTerms, UntilIdle } from './run-tasks.ts'
import type { SavedCall } from './saved-run.ts'
import type { Timeouts } from './time-limits.ts'

/** What all runs of one tree share: the application started the root, delegations the others. */
export interface RootRun {
  readonly runId: string
  /** The root agent's id. */
  readonly agentId: string
  /** The id that people decide on its calls with: its own, or of a background task that of the run that began it. */
  readonly decisionId: string
  readonly abort: AbortScope
  /** Where events go; undefined when nobody asked for a stream. */
  readonly log: RunLog | undefined
  readonly effects: Effects
  /** The call ids that occurred, each with how often it was asked for: no two calls of the tree have the same. */
  callIds: Map<string, number>
  /** The runs that came into the loop. Each of them ends soon after an abort, with what it has, and so is waited for. */
  readonly begun: Set<string>
  /** What grades answers when the root's is given; undefined where nothing does. */
  scoring: (() => Promise<LiveScore>)[] | undefined
  /** Is told of every grade of the tree. */
  readonly onScore: OnScore | undefined
  /** Runs of children begun, which numbers them. */
  children: number
  readonly maxDepth: number
  readonly allowCycles: boolean
  readonly chooseModel: ChooseModel | undefined
  /** Whose the run is, and the conversation that it belongs to, where the call says so. */
  readonly owner: { readonly threadId?: string; readonly resourceId: string } | undefined
  /** Whether a run of the tree has named a file by a URL: its children may be shown it. */
  urls: boolean
  /** What the runs of an application share. */
  readonly application: Application
  /** Providers that the application registered, before the ones that are known. */
  readonly providers: Providers | undefined
  /** The request contexts of runs that stopped in this process, by run id: they have what no store can keep. */
  contexts: ReadonlyMap<string, RequestContextLike> | undefined
  /** Where calls are run in the background; undefined where they are not. */
  readonly tasks: RunTasks | undefined
  /** How long it stays open for its tasks. */
  readonly untilIdle: UntilIdle
  /** What the run has that works on it, where it is a background task. */
  readonly task: TaskSide | undefined
  /** Whether it goes on where it stopped: then it may have begun more than was written down. */
  isResumed: boolean
  /** Background tasks that are called off with it, also when it has ended. */
  linked: number
  /** Whether the run has ended and let go of what it held. */
  isClosed: boolean
  /** Where the tree is kept, from when something of it has to be. */
  keeper: RunKeeper | undefined
  /** Opens the keeper, when a call of the tree has to wait for a person. */
  keep(this: RootRun): Promise<RunKeeper>
  /** What `keep` needs; only who opens runs knows what it is. */
  keeping: object | undefined
  /** Lets go of the clock and, once nothing is linked to it, of the caller's signal, when the run has ended. */
  close(): void
}

/**
 * Which calls wait for a person before they start, whatever their tools say: all (true), or those that a function says. It is asked
 * with the arguments as they were checked. If it throws, the call does not run and its model reads that.
 */
export type ApprovalGate =
  | boolean
  | ((call: {
      readonly toolName: string
      readonly args: unknown
      /** The path of the run that makes the call. */
      readonly path: readonly string[]
    }) => boolean | Promise<boolean>)

/** Decides which model an agent of the tree runs on; see `RunOptions.resolveModel`. */
export type ChooseModel = (request: {
  /** What the agent's config declares: its model, then the fallbacks. Empty where it declares none. */
  declared: readonly ModelChoice[]
  agentId: string
  path: readonly string[]
}) => ChosenModel | Promise<ChosenModel>

/** A model or its name, with `why` where it is not a declared one. Undefined: the declared ones. */
export type ChosenModel = ModelChoice | { readonly use: ModelChoice; readonly why: string } | undefined

/** One run of one agent. Everything that changes is in `state`. */
export interface Run {
  readonly root: RootRun
  readonly state: RunState
  readonly agentId: string
  /** What ends this run: the root's abort, or a sibling that made this run needless. */
  readonly abort: AbortScope
  /** What ends the work of the step under way: also a delegation of it that bailed. */
  scope: AbortScope
  /** The agents that lead here, the run's own included, to see cycles by. */
  readonly lineage: readonly object[]
  /** The model, then its fallbacks. */
  readonly models: readonly ModelCandidate[]
  /** What its model is asked: the system messages, what was inherited, the conversation. */
  prompt: Prompt
  /** What the run was handed of its parent's conversation: by reference, never copied into its state. */
  inherited: readonly Message[]
  readonly tools: ToolSet
  readonly requestContext: RequestContextLike
  readonly settings: RunSettings
  readonly delegation: DelegationOptions
  /** What it may use: its own budget inside those above, or that of the run above it. */
  readonly budget: Budget
  readonly hooks: RunHooks
  /** The thread that it belongs to; undefined where the call names none. */
  readonly thread: ThreadIds | undefined
  /** Where its conversation is kept; undefined where nothing is. */
  readonly kept: KeptConversation | undefined
  /** What it was told beside its agent's instructions. */
  readonly given: readonly Message[]
  /** Whether a processor put other system messages in place of the agent's and the call's. */
  systemReplaced: boolean
  /** What of its calls has to wait for a person: its own gate, and those of the runs above it. */
  readonly gates: readonly Exclude<ApprovalGate, false>[]
  /** Which of its tools can run in the background, and how; undefined where none can. */
  readonly background: ReadonlyMap<string, TaskTerms> | undefined
  /** Tasks whose end stands in its conversation, and is not written down yet. */
  told: readonly string[] | undefined
  /** The text that the run ends with, where a hook of one of its tasks said that it is to end. */
  bailed: string | undefined
  /** What people are asked by its tasks, where it waits for nothing else. */
  askedByTasks: readonly PendingToolCall[] | undefined
  /** Results that have an id and are not the run's yet. */
  readonly references: Set<Reference>
  /** When it began to work, later by the time that it waited. Milliseconds since 1970. */
  begunAt: number
  /** The calls of the step that is under way; undefined between two steps. */
  calls: readonly PendingCall[] | undefined
  /** The calls that a run goes on with that stopped in the middle of a step. */
  resumed: readonly SavedCall[] | undefined
  /** Where it stood when something of it last ended, where the tree survives crashes. */
  point: RunState | undefined
  /** What looks at what goes into its model and comes out of it; undefined where nothing does. */
  readonly processors: RunProcessors | undefined
  /** Why a processor stopped the run, if one did. */
  stopped: RetinueError | undefined
  /** What grades its answer after it was given. */
  readonly scoring: { readonly scorers: Scorers; readonly onScore: OnScore | undefined } | undefined
  /** How a call of the step under way can end the others; undefined where no hook can ask for it. */
  bail: Bail | undefined
  /** What of `tools` the model call under way may use. */
  active: ToolSet
  /** What the model call under way has in place of the run's own; undefined where no hook can say so. */
  override: StepOverride | undefined
  /** The tool choice of the model call under way. */
  toolChoice: unknown
  /** Lets go of what is the run's own: its signal, its clock. */
  close(): void
  /** What the final answer must fit. */
  readonly answer: CompiledSchema | undefined
  /** The conversation as children see it, kept up as it grows. */
  readonly view: SharedView
  /** What the run's conversation holds that not every model takes. */
  readonly traits: PromptTraits
  /** The error that ended the run, or that its answer is: with its cause, which `state` leaves out. */
  error: RetinueError | undefined
}

/** A model that can answer: made when it is first needed, since its package or key may be missing and never be missed. */
export interface ModelCandidate {
  readonly use: ModelUse
  /** The model, if it is there already. */
  readonly model: LanguageModel | undefined
  /** Makes it; rejects with a typed error that says what is missing. */
  make(): Promise<LanguageModel>
}

/** An agent's tools, compiled once: in the same order and with the same bytes for every call. */
export interface ToolSet {
  readonly byName: ReadonlyMap<string, LoopTool>
  readonly definitions: readonly LanguageModelV4FunctionTool[]
}

/** A tool as the loop runs it: an ordinary one, or a delegation. */
export interface LoopTool {
  readonly definition: LanguageModelV4FunctionTool
  readonly check: (args: unknown) => Checked | Promise<Checked>
  /** The tool with a field for earlier results, for runs that have them; only a delegation has one. */
  readonly withReferences?: () => LoopTool
  /** Whether a person has to decide before it starts; absent where never. */
  readonly needsApproval?: CompiledTool['needsApproval']
  /** Checks an answer to a suspended call; absent where any will do. */
  readonly checkAnswer?: (data: unknown) => Checked | Promise<Checked>
  /** After a crash the same call can be started again. */
  readonly idempotent?: true
  readonly version?: string
  /**
   * Does what comes before the work of a call, where there is something: an outcome if that is the end of it. `execute` goes on from
   * there. It never throws.
   */
  readonly begin?: (args: unknown, call: CallRef, run: Run) => Promise<Outcome | undefined>
  /** The id of the agent that it delegates to. */
  readonly delegatesTo?: string
  /** How it can run in the background, where the agent does not say. */
  readonly ownTerms?: () => TaskTerms | undefined
  /** Takes down what came of a call, together with its outcome. */
  readonly takeDown?: (call: CallRef, run: Run) => void
  /**
   * Absent: the client's to run. It never throws, and settles as soon as the run is aborted. `suspended`: it waits for a person, and
   * is called again to go on.
   */
  readonly execute?: (args: unknown, call: CallRef, run: Run) => Promise<Outcome | SuspendedCall | typeof WAITING>
}

/** A delegation whose child waits for a person. */
export const WAITING: unique symbol = Symbol('retinue.waiting')

/** A call as the tool that it is of sees it. */
export interface CallRef {
  readonly toolCallId: string
  readonly toolName: string
  /** The answer with which a suspended call goes on. */
  answer?: { readonly data: unknown }
  /** Where its delegation stands, once it was begun. */
  delegation?: OpenDelegation | undefined
  /** The run ends without it: a delegation that waits is to end as it stands. */
  calledOff?: boolean
  /** Whether a failed attempt of it is made again, once it is time to; absent where never. */
  again?: ((error: ErrorInfo) => Promise<boolean>) | undefined
}

export interface RunSettings {
  /** After how long its calls count as declined, where that is not the root's to say. */
  readonly approvalTimeoutMs: number | undefined
  readonly timeouts: Timeouts
  readonly toolCallConcurrency: number
  /** Retries of a model beside its first attempt. */
  readonly maxRetries: number
  /** Settings of the model call as the AI SDK names them: temperature, maxOutputTokens … */
  readonly modelSettings: Readonly<Record<string, unknown>>
  readonly toolChoice: unknown
  readonly activeTools: readonly string[] | undefined
  readonly providerOptions: Readonly<Record<string, unknown>> | undefined
  readonly headers: Readonly<Record<string, string | undefined>> | undefined
}

export function emit<T extends ChunkType>(run: Run, type: T, payload: ChunkPayloads[T]): void {
  const { log } = run.root
  if (log) log.push({ type, runId: run.state.runId, from: 'AGENT', path: run.state.path, payload } as Chunk)
}

/** Adds to the run's conversation, which only ever grows. */
export function addMessage(run: Run, message: Message): void {
  run.state.messages.push(message)
  if (!run.traits.urls && namesUrl(message)) urlsSeen(run)
}

/** Takes note of files that are named by a URL: not every model takes them. */
export function noteUrls(run: Run, messages: readonly Message[]): void {
  if (!run.traits.urls && messages.some(namesUrl)) urlsSeen(run)
}

function urlsSeen(run: Run): void {
  run.traits.urls = true
  run.root.urls = true
}

/** What a processor's state is saved under: two processors may have one id. */
export function processorName(list: string, index: number, id: string): string {
  return `${list} ${index} ${id}`
}
