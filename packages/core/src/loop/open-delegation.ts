import type { RequestContextLike } from '../context/request-context.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import type { Usage } from '../events/usage.ts'
import type { ThreadIds } from '../memory/kept-conversation.ts'
import type { Message } from '../messages/message.ts'
import type { DelegationHookContext } from './delegation-settings.ts'
import type { Run } from './run.ts'
import type { Reference } from './run-state.ts'
import type { SavedRun } from './saved-run.ts'

/** A delegation that was begun: hooks and filter have had their say, and the child works, or waits. */
export interface OpenDelegation {
  /** What hooks are told of it. */
  readonly facts: DelegationHookContext
  /** The child's run. */
  readonly runId: string
  readonly thread: ThreadIds
  readonly requestContext: RequestContextLike
  readonly input: unknown
  /** In place of the child's own. */
  readonly instructions: string | undefined
  readonly maxSteps: number | undefined
  /** What the child may see of its parent's conversation. */
  readonly messages: readonly Message[]
  /** Errors of its hooks so far, in the order in which they happened. */
  readonly errors: RetinueError[]
  /** When the child began; later by the time that it waited. */
  begun: number
  /** The child's run, where it is one of this package and has come into its loop. */
  child: Run | undefined
  /** Where the child stood when its tree was saved, until it goes on. */
  saved: SavedRun | undefined
  /** What it used and left, once it has ended; the run takes it down with the call's outcome. */
  ended:
    | {
        readonly totalUsage: Usage
        readonly error: RetinueError | undefined
        readonly reference: Reference | undefined
      }
    | undefined
}
