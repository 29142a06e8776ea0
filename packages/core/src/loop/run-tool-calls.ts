import { isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import { disarm, frameworkNote } from '../messages/framework-note.ts'
import type { ToolMessage, ToolResultPart } from '../messages/message.ts'
import { ABORTED } from '../shared/abort.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import { failed, failedWith, notRun, type Outcome, type Relayed } from '../tools/outcome.ts'
import type { Bail } from './bail.ts'
import { TOOL_CALL } from './budget.ts'
import type { ModelTurn } from './model-turn.ts'
import type { PendingCall } from './pending-call.ts'
import { addMessage, emit, type Run } from './run.ts'
import { countCall } from './within-budget.ts'

/** Why the tool calls of a model call must not run: it was cut off, or should not have been. */
const NEVER_RUN: ReadonlySet<string> = new Set(['length', 'content-filter', 'error', 'aborted', 'stopped', 'last'])

/** What came of the calls of a step beside their results. */
export interface CallsEnd {
  /** How many wait for the client to run them. */
  readonly clientCalls: number
  /** Set where a delegation ended the run: the text that it ends with. */
  readonly bailText: string | undefined
  /** Set where a delegation gave the run's answer. */
  readonly relayed: Relayed | undefined
}

export const NO_CALLS: CallsEnd = { clientCalls: 0, bailText: undefined, relayed: undefined }

/**
 * Runs the calls of a turn at the same time and takes their results down in the order of the calls. A call that fails fails alone;
 * one that bails cancels the others. Where they may not run, each gets a result that says so.
 */
export async function runToolCalls(run: Run, turn: ModelTurn): Promise<CallsEnd> {
  const { calls, step } = turn
  const outcomes: (Outcome | undefined)[] = []
  const why = run.stopped ? 'stopped' : run.state.last ? 'last' : step.finishReason
  if (NEVER_RUN.has(why)) {
    for (const call of calls) outcomes.push(settle(run, call, notRun(why)))
    record(run, turn, outcomes)
    return NO_CALLS
  }
  const bail = run.delegation.onDelegationComplete && (await openBail(run, calls.length))
  await forEachLimited(calls.length, run.settings.toolCallConcurrency, async (index) => {
    const call = calls[index] as PendingCall
    const outcome = await outcomeOf(run, call)
    outcomes[index] = outcome && settle(run, call, outcome)
  })
  bail?.close(run)
  record(run, turn, outcomes)
  return {
    clientCalls: calls.filter((_call, index) => outcomes[index] === undefined).length,
    bailText: bail && bailTextOf(calls, outcomes, bail.toolCallId),
    relayed: relayedOf(outcomes),
  }
}

/** Only a run with a hook that can bail pays for it. */
async function openBail(run: Run, calls: number): Promise<Bail> {
  const { Bail } = await import('./bail.ts')
  run.bail = new Bail(run, calls)
  return run.bail
}

/** The text that the run ends with: that of the delegation that bailed first. */
function bailTextOf(
  calls: readonly PendingCall[],
  outcomes: readonly (Outcome | undefined)[],
  bailed: string | undefined,
): string | undefined {
  const outcome =
    bailed === undefined ? undefined : outcomes[calls.findIndex(({ toolCallId }) => toolCallId === bailed)]
  return outcome?.kind === 'result' ? outcome.bail : undefined
}

/** The answer that the step's only call relays. */
function relayedOf([outcome, ...others]: readonly (Outcome | undefined)[]): Relayed | undefined {
  return outcome?.kind === 'result' && others.length === 0 ? outcome.relay : undefined
}

/** How a call ended; undefined if it is the client's to run. */
async function outcomeOf(run: Run, call: PendingCall): Promise<Outcome | undefined> {
  const { scope } = run
  if (call.problem || !call.tool) return call.problem
  if (scope.aborted) return notRun('aborted')
  try {
    const checking = call.tool.check(call.args)
    const checked = checking instanceof Promise ? await scope.race(checking) : checking
    if (checked === ABORTED || scope.aborted) return notRun('aborted')
    if (!checked.ok) return unfit(call, checked.issues)
    if (!call.tool.execute) return undefined
    const over = countCall(run, 'toolCalls', TOOL_CALL, call.toolName)
    return over ? failedWith(over) : await call.tool.execute(checked.value, call, run)
  } catch (thrown) {
    return failedWith(
      isRetinueError(thrown)
        ? thrown
        : new RetinueError({
            code: 'tool-failed',
            message: `The tool "${call.toolName}" failed: ${withoutSecrets(thrownMessage(thrown))}`,
            cause: thrown,
          }),
    )
  }
}

function unfit(call: PendingCall, issues: string): Outcome {
  const expected = JSON.stringify(call.tool?.definition.inputSchema)
  return failed(
    'tool-arguments-invalid',
    `The arguments of "${call.toolName}" don't fit: ${issues}. Nothing was run.`,
    `Expected: ${expected}`,
  )
}

/** Shows the end of a call at once, whatever its siblings do. */
function settle(run: Run, call: PendingCall, outcome: Outcome): Outcome {
  const { toolCallId, toolName, args } = call
  if (outcome.kind === 'result') emit(run, 'tool-result', { toolCallId, toolName, args, result: outcome.result })
  else emit(run, 'tool-error', { toolCallId, toolName, args, error: outcome.error })
  return outcome
}

function record(run: Run, turn: ModelTurn, outcomes: readonly (Outcome | undefined)[]): void {
  const { calls, step } = turn
  const content: ToolResultPart[] = []
  for (let index = 0; index < calls.length; index++) {
    const outcome = outcomes[index]
    if (!outcome) continue
    const { toolCallId, toolName, args } = calls[index] as PendingCall
    content.push({ type: 'tool-result', toolCallId, toolName, output: outcome.output })
    if (outcome.kind === 'result' && outcome.failure !== undefined)
      turn.failures.push({ toolName, error: outcome.failure })
    step.toolResults.push(
      outcome.kind === 'result'
        ? { toolCallId, toolName, args, result: outcome.result }
        : { toolCallId, toolName, args, error: outcome.error, isError: true },
    )
  }
  if (content.length > 0) addMessage(run, { role: 'tool', content } satisfies ToolMessage)
  addFeedback(run, outcomes)
}

function addFeedback(run: Run, outcomes: readonly (Outcome | undefined)[]): void {
  for (const outcome of outcomes) {
    if (outcome?.kind === 'result' && outcome.feedback !== undefined)
      addMessage(run, frameworkNote(disarm(outcome.feedback), 'delegation-feedback'))
  }
}
