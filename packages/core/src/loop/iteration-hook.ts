import { errorInfo, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { ToolCallRecord, ToolResultRecord } from '../events/tool-record.ts'
import { frameworkNote } from '../messages/framework-note.ts'
import { freezeMessage } from '../messages/freeze-message.ts'
import type { Message } from '../messages/message.ts'
import { ABORTED } from '../shared/abort.ts'
import { checkedFields, type FieldChecks } from '../shared/checked-fields.ts'
import type { NextStep } from './next-step.ts'
import { addMessage, emit, type Run } from './run.ts'
import type { Step } from './run-state.ts'

/**
 * Called after each iteration of a run, and waited for. `{ continue: true }` grants another iteration, also after a final answer
 * and within `maxSteps`; `{ continue: false }` stops; `feedback` is seen by the model in its next call. If it throws, it changes
 * nothing and is reported as an `error` chunk.
 */
export type IterationHook = (
  context: IterationContext,
) => IterationVerdict | undefined | void | Promise<IterationVerdict | undefined | void>

/** What `onIterationComplete` is told of the iteration that has just ended. Messages and records are frozen, and the lists are copies. */
export interface IterationContext {
  /** From 1. */
  readonly iteration: number
  /** The run's bound on iterations: `maxSteps`, from where the answer before ended if there was one. */
  readonly maxIterations: number
  /** What the model said in this iteration. */
  readonly text: string
  readonly toolCalls: readonly ToolCallRecord[]
  readonly toolResults: readonly ToolResultRecord[]
  readonly finishReason: Step['finishReason']
  /** Whether the run ends here unless the hook grants another iteration. */
  readonly isFinal: boolean
  /** The run's conversation so far. */
  readonly messages: readonly Message[]
  readonly runId: string
  readonly agentId: string
  readonly path: readonly string[]
}

/** What `onIterationComplete` says of an iteration. With nothing of it, the run goes on, or ends, as it would without the hook. */
export interface IterationVerdict {
  /** True: another iteration, also after a final answer, within `maxSteps` and the budget. False: the run stops here. */
  continue?: boolean
  /**
   * Put into the conversation before the next model call; blank is as good as none. With `continue: false` after tool calls, the model
   * answers it once more, and no call that it makes then runs.
   */
  feedback?: string
}

/** What the hook says of an iteration; nothing if there is none, or it failed. */
export async function askIterationHook(run: Run, step: Step, planned: NextStep): Promise<IterationVerdict> {
  const { state } = run
  const { onIterationComplete } = run.hooks
  if (!onIterationComplete) return {}
  for (const message of state.messages) freezeMessage(message)
  const context: IterationContext = {
    iteration: state.iteration,
    maxIterations: state.maxSteps + (state.answeredAt ?? 0),
    text: step.text,
    toolCalls: step.toolCalls.map((call) => Object.freeze({ ...call })),
    toolResults: step.toolResults.map((result) => Object.freeze({ ...result })),
    finishReason: step.finishReason,
    isFinal: planned.type === 'finish' && !run.root.tasks?.waits(run),
    messages: state.messages.slice(),
    runId: state.runId,
    agentId: state.agentId,
    path: state.path,
  }
  try {
    const returned = await run.abort.race((async () => onIterationComplete(context))())
    return returned === ABORTED ? {} : verdictOf(returned)
  } catch (thrown) {
    emit(run, 'error', { error: errorInfo(hookFailed(thrown)) })
    return {}
  }
}

const VERDICT_FIELDS: FieldChecks<IterationVerdict> = {
  continue: (value) => typeof value === 'boolean',
  feedback: (value) => typeof value === 'string',
}

function verdictOf(returned: unknown): IterationVerdict {
  const { continue: goOn, feedback } = checkedFields<IterationVerdict>(returned, VERDICT_FIELDS)
  return { ...(goOn === undefined ? {} : { continue: goOn }), ...(feedback?.trim() ? { feedback } : {}) }
}

function hookFailed(cause: unknown): RetinueError {
  return new RetinueError({
    code: 'iteration-hook-failed',
    message: `The hook onIterationComplete failed: ${withoutSecrets(thrownMessage(cause))}`,
    hint: 'It changed nothing; the cause of this error has its stack.',
    cause,
  })
}

/** What is said to a model that had finished and is asked to go on without being told why. */
const GO_ON = 'Your answer is not the last word: go on with the task, and then answer in full.'

/** Puts the hook's feedback into the conversation, or a plain word to go on where another answer was granted without any. */
export function addFeedback(run: Run, { feedback }: IterationVerdict, answered: boolean): void {
  if (feedback !== undefined) addMessage(run, frameworkNote(feedback, 'iteration-feedback'))
  else if (answered) addMessage(run, frameworkNote(GO_ON, 'continuation'))
}
