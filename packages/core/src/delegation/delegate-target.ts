import type { RequestContextLike } from '../context/request-context.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import type { GeneratedFile, Source } from '../events/chunk.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import type { ToolResultRecord } from '../events/tool-record.ts'
import type { Usage } from '../events/usage.ts'
import type { Budget } from '../loop/budget.ts'
import type { RootRun, Run } from '../loop/run.ts'
import type { TaskTerms } from '../loop/run-tasks.ts'
import type { SavedRun } from '../loop/saved-run.ts'
import type { ThreadIds } from '../memory/kept-conversation.ts'
import type { Message } from '../messages/message.ts'
import type { AbortScope } from '../shared/abort.ts'
import { isObject } from '../shared/records.ts'
import type { Schema } from '../tools/schema.ts'

/**
 * What can be delegated to: an agent of this package, or anything else with these members, such as an agent on another machine.
 */
export interface DelegateTarget {
  readonly id: string
  /** Tells the parent's model what it does and when to delegate to it. */
  readonly description?: string | undefined
  /** The arguments of the delegation, in place of `{ prompt }`. */
  readonly inputSchema?: Schema | undefined
  /** Its answer is the parent's own, where its delegation is the step's only call and completes. Default: false. */
  readonly relay?: boolean | undefined
  /** `context: 'none'`: it is handed the prompt alone, whatever its parent's conversation holds. */
  readonly delegation?: { readonly context?: 'none' } | undefined
  /** How it is run in the background by a parent that does not say so itself; undefined: it is not. */
  backgroundTerms?(): TaskTerms | undefined
  /**
   * Does the work. It should not throw: how the work ended is in the result. After `abortSignal` it is not waited for, unless it
   * came into the loop of an agent of this package, which ends by itself.
   */
  runDelegated(request: DelegatedRequest): Promise<DelegatedResult>
}

/** A piece of work, as a parent hands it over. */
export interface DelegatedRequest {
  /** The last user message: the delegation prompt, or the typed input as JSON. */
  readonly prompt: string
  /**
   * The arguments, where the target declares an `inputSchema`; undefined where a hook modified the prompt, which then is all that is asked.
   */
  readonly input: unknown
  /** What the target may see of the parent's conversation. */
  readonly messages: readonly Message[]
  /** Instructions in place of the target's own, for this run. */
  readonly instructions?: string | undefined
  /** Bound on the target's iterations. */
  readonly maxSteps?: number | undefined
  readonly runId: string
  /** The path of the target's run. */
  readonly path: readonly string[]
  readonly requestContext: RequestContextLike
  readonly abortSignal: AbortSignal
  /** What `abortSignal` is the signal of; agents of this package use it. */
  readonly scope: AbortScope
  /** The run of the whole tree; agents of this package write their events there. */
  readonly root: RootRun
  /** The thread that is the delegation's own, and who owns it: whoever keeps conversations keeps this one there. */
  readonly thread: ThreadIds
  /** What the parent may use; agents of this package count there what they use. */
  readonly budget: Budget
  /** What of the target's calls has to wait for a person, beside its own gate; agents of this package keep to it. */
  readonly gates: Run['gates']
  /** The agents that lead here, the target included. */
  readonly lineage: readonly object[]
  /** Where the target stood when the tree was saved, if it is to go on; only agents of this package are asked to. */
  readonly saved?: SavedRun | undefined
  /** Is told of the target's run, by agents of this package: a run that can be saved can wait for a person. */
  readonly opened?: ((run: Run) => void) | undefined
}

/** How a piece of work ended. */
export interface DelegatedResult {
  readonly text: string
  readonly object?: unknown
  readonly finishReason: FinishReason
  readonly usage: Usage
  readonly totalUsage: Usage
  readonly sources?: readonly Source[]
  readonly files?: readonly GeneratedFile[]
  readonly toolResults?: readonly ToolResultRecord[]
  readonly error?: RetinueError | undefined
  /** The target's own conversation, from the prompt on: for the parent's hooks. */
  readonly messages?: readonly Message[]
}

export function isDelegateTarget(value: unknown): value is DelegateTarget {
  if (!isObject(value)) return false
  const { id, description, runDelegated } = value
  const described = description === undefined || typeof description === 'string'
  return typeof id === 'string' && described && typeof runDelegated === 'function'
}
