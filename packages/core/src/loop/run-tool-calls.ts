import { isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { ToolResultRecord } from '../events/tool-record.ts'
import { frameworkNote } from '../messages/framework-note.ts'
import type { ToolMessage, ToolResultPart } from '../messages/message.ts'
import { ABORTED } from '../shared/abort.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import { failed, failedWith, notRun, type Outcome, type Relayed } from '../tools/outcome.ts'
import type { SuspendedCall } from '../tools/suspended-call.ts'
import type { Bail } from './bail.ts'
import { TOOL_CALL } from './budget.ts'
import type { PendingCall } from './pending-call.ts'
import type { Failure } from './repeated-failures.ts'
import { addMessage, emit, type Run, WAITING } from './run.ts'
import { placed, type RunKeeper } from './run-keeper.ts'
import type { Step } from './run-state.ts'
import type { TaskTerms } from './run-tasks.ts'
import { takePoint } from './take-point.ts'
import { countCall } from './within-budget.ts'

/** Why the tool calls of a model call must not run: it was cut off, or should not have been. */
const NEVER_RUN: ReadonlySet<string> = new Set([
  'length',
  'content-filter',
  'error',
  'aborted',
  'stopped',
  'last',
  'bailed',
])

/** What of a model's turn the calls of its step need: it may be one that a run stopped in, and goes on with. */
export interface CallingTurn {
  readonly step: Step
  readonly calls: readonly PendingCall[]
  /** Results that tell of a failure, such as a delegation's. */
  readonly failures: Failure[]
}

/** What came of the calls of a step beside their results. */
export interface CallsEnd {
  /** How many wait for a person: then the step has not ended, and nothing of its calls is in the conversation yet. */
  readonly waiting: number
  /** How many wait for the client to run them. */
  readonly clientCalls: number
  /** Set where a delegation ended the run: the text that it ends with. */
  readonly bailText: string | undefined
  /** Set where a delegation gave the run's answer. */
  readonly relayed: Relayed | undefined
}

export const NO_CALLS: CallsEnd = { waiting: 0, clientCalls: 0, bailText: undefined, relayed: undefined }

/**
 * Runs the calls of a turn at the same time and takes their results down in the order of the calls. A call that fails fails alone;
 * one that bails cancels the others. Where they may not run, each gets a result that says so. Calls that ended before are not run
 * again.
 */
export async function runToolCalls(run: Run, turn: CallingTurn): Promise<CallsEnd> {
  const { calls, step } = turn
  const why = whyNot(run) ?? step.finishReason
  if (NEVER_RUN.has(why)) {
    for (const call of calls) settle(run, call, notRun(why))
    record(run, turn)
    return NO_CALLS
  }
  const waiting: PendingCall[] = []
  const bail = run.delegation.onDelegationComplete && (await openBail(run, calls.length))
  await forEachLimited(calls.length, run.settings.toolCallConcurrency, async (index) => {
    const call = calls[index] as PendingCall
    if (call.outcome) return
    const end = await endOf(run, call)
    if (end === WAITING) waiting.push(call)
    else if (end) {
      settle(run, call, end)
      if (run.root.keeper) await keepOutcome(run, run.root.keeper, call)
    }
  })
  bail?.close(run)
  if (waiting.length > 0) {
    if (!run.abort.aborted && bail?.toolCallId === undefined) return { ...NO_CALLS, waiting: waiting.length }
    await callOff(run, waiting)
  }
  record(run, turn)
  return {
    waiting: 0,
    clientCalls: calls.filter(({ outcome }) => outcome === undefined).length,
    bailText: bail && bailTextOf(calls, bail.toolCallId),
    relayed: relayedOf(calls),
  }
}

/** Why no call of a run starts any more, if so. */
function whyNot({ stopped, bailed, state }: Run): string | undefined {
  if (stopped) return 'stopped'
  if (bailed !== undefined) return 'bailed'
  return state.last && 'last'
}

/** Writes down that a call ended, where it must not be run a second time. */
async function keepOutcome(run: Run, keeper: RunKeeper, call: PendingCall): Promise<void> {
  if (call.question) keeper.move(placed(run, call), call.question, wasWaitedFor(call) ? 'done' : 'unknown')
  if (!keeper.isDurable || run.abort.aborted) return
  takePoint(run)
  await run.abort.race(keeper.save())
}

/** Whether what a call did is known: one that was stopped may have done its work all the same. */
function wasWaitedFor({ outcome }: PendingCall): boolean {
  return !(outcome?.kind === 'error' && UNWAITED.has(outcome.error.code))
}

const UNWAITED: ReadonlySet<string> = new Set(['tool-not-run', 'tool-timed-out'])

/** The run ends without the calls that wait: nobody needs to decide on them any more. A delegation ends with what it has. */
async function callOff(run: Run, waiting: readonly PendingCall[]): Promise<void> {
  const { withdrawn } = await import('./gated-call.ts')
  for (const call of waiting) {
    withdrawn(run, call)
    call.calledOff = true
    const end = call.delegation && (await call.tool?.execute?.(call.args, call, run))
    settle(run, call, end && end !== WAITING && end.kind !== 'suspended' ? end : notRun('aborted'))
  }
}

/** Ends the step of a run that was to wait, and was called off before anybody knew. */
export async function callOffStep(run: Run, turn: CallingTurn): Promise<void> {
  await callOff(
    run,
    turn.calls.filter(({ outcome }) => !outcome),
  )
  record(run, turn)
}

/** Only a run with a hook that can bail pays for it. */
async function openBail(run: Run, calls: number): Promise<Bail> {
  const { Bail } = await import('./bail.ts')
  run.bail = new Bail(run, calls)
  return run.bail
}

/** The text that the run ends with: that of the delegation that bailed first. */
function bailTextOf(calls: readonly PendingCall[], bailed: string | undefined): string | undefined {
  const outcome = calls.find(({ toolCallId }) => toolCallId === bailed)?.outcome
  return outcome?.kind === 'result' ? outcome.bail : undefined
}

/** The answer that the step's only call relays. */
function relayedOf([call, ...others]: readonly PendingCall[]): Relayed | undefined {
  return call?.outcome?.kind === 'result' && others.length === 0 ? call.outcome.relay : undefined
}

/** How a call ended, or that it waits for a person; undefined if it is the client's to run. */
async function endOf(run: Run, call: PendingCall): Promise<Outcome | typeof WAITING | undefined> {
  const { scope } = run
  const { tool } = call
  if (scope.aborted) return notRun('aborted')
  if (call.problem || !tool) return call.problem
  try {
    let args: unknown = call.args
    // A delegation that was begun goes on: whether it may was decided then.
    if (!call.delegation) {
      const checking = tool.check(call.allowed ? argsOf(call) : call.args)
      const checked = checking instanceof Promise ? await scope.race(checking) : checking
      if (checked === ABORTED || scope.aborted) return notRun('aborted')
      if (!checked.ok) return unfit(call, checked.issues)
      args = checked.value
      if (call.question || (!call.allowed && (tool.needsApproval || run.gates.length > 0))) {
        // Loaded with the first call that a person has to decide.
        const { gatedCall } = await import('./gated-call.ts')
        const gated = await gatedCall(run, call, args)
        if (gated.type === 'end') return gated.end
        args = gated.args
      }
    }
    if (!tool.execute) {
      // It is the client's from here on.
      if (call.question) run.root.keeper?.move(placed(run, call), call.question, 'done')
      return undefined
    }
    // What goes on was counted when it began.
    const over = call.counted ? undefined : countCall(run, 'toolCalls', TOOL_CALL, call.toolName)
    if (over) return failedWith(over)
    call.counted = true
    if (call.allowed && !call.delegation && !call.question) {
      const lost = await startOnce(run, call)
      if (lost) return lost
    }
    const terms = run.background?.get(call.toolName)
    const started = terms && !call.delegation && (await inBackground(run, call, args, terms))
    if (started) return started
    const end = await tool.execute(args, call, run)
    return end === WAITING || end.kind !== 'suspended' ? end : await suspended(run, call, end)
  } catch (thrown) {
    return failedWith(isRetinueError(thrown) ? thrown : toolFailed(call, thrown))
  }
}

/** A decided call that goes on apart is started once: what came of it if its process died over it nobody knows. */
async function startOnce(run: Run, call: PendingCall): Promise<Outcome | undefined> {
  if (call.allowed === 'free' || call.tool?.idempotent) return undefined
  if (call.allowed === 'started') return (await import('./gated-call.ts')).unknownOutcome(call)
  call.allowed = 'started'
  const { keeper } = run.root
  if (keeper?.isDurable) await keeper.save()
  return undefined
}

/** Lets a call go on in the background; undefined where it is run in the foreground, by its model's choice or for want of room. */
async function inBackground(
  run: Run,
  call: PendingCall,
  args: unknown,
  terms: TaskTerms,
): Promise<Outcome | undefined> {
  const { tasks } = run.root
  if (!tasks || (terms.modelMayChoose && argsOf(call)['background'] === false)) return undefined
  const admission = await tasks.admit(run, call)
  if (admission.type === 'end') return admission.outcome
  if (admission.type === 'foreground') return undefined
  const early = call.tool?.begin && (await call.tool.begin(args, call, run))
  if (!early) return tasks.start(run, call, terms, admission.release)
  admission.release?.()
  return early
}

async function suspended(run: Run, call: PendingCall, end: SuspendedCall): Promise<typeof WAITING> {
  const { askSuspended } = await import('./gated-call.ts')
  return askSuspended(run, call, end)
}

function toolFailed({ toolName }: PendingCall, cause: unknown): RetinueError {
  return new RetinueError({
    code: 'tool-failed',
    message: `The tool "${toolName}" failed: ${withoutSecrets(thrownMessage(cause))}`,
    cause,
  })
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
function settle(run: Run, call: PendingCall, outcome: Outcome): void {
  call.outcome = outcome
  // What comes of the call comes with its outcome: whatever is saved has both, or none.
  call.tool?.takeDown?.(call, run)
  // A child's run is not kept for as long as its parent's step takes.
  call.delegation = undefined
  if (outcome.kind === 'result' && outcome.task) {
    run.state.tasks ??= []
    run.state.tasks.push(outcome.task)
  }
  const { toolCallId, toolName } = call
  const args = argsOf(call)
  if (outcome.kind === 'result') emit(run, 'tool-result', { toolCallId, toolName, args, result: outcome.result })
  else if (outcome.error.code === 'tool-declined')
    emit(run, 'tool-output-denied', { toolCallId, toolName, args, reason: outcome.error.message })
  else emit(run, 'tool-error', { toolCallId, toolName, args, error: outcome.error })
}

/** What a call ran with: what a person put in place of its arguments, if somebody did. */
function argsOf({ args, edited }: PendingCall): Record<string, unknown> {
  return (edited as Record<string, unknown> | undefined) ?? args
}

function record(run: Run, { calls, step, failures }: CallingTurn): void {
  const content: ToolResultPart[] = []
  for (const call of calls) {
    const { toolCallId, toolName, outcome } = call
    const result = resultRecord(call)
    if (!outcome || !result) continue
    content.push({ type: 'tool-result', toolCallId, toolName, output: outcome.output })
    if (outcome.kind === 'result' && outcome.failure !== undefined) failures.push({ toolName, error: outcome.failure })
    step.toolResults.push(result)
  }
  if (content.length > 0) addMessage(run, { role: 'tool', content } satisfies ToolMessage)
  for (const call of calls) addNotes(run, call)
}

/** How a call ended, as applications are told; undefined if it has not. */
export function resultRecord(call: PendingCall): ToolResultRecord | undefined {
  const { toolCallId, toolName, outcome } = call
  if (!outcome) return undefined
  const args = argsOf(call)
  return outcome.kind === 'result'
    ? { toolCallId, toolName, args, result: outcome.result }
    : { toolCallId, toolName, args, error: outcome.error, isError: true }
}

/** What the model is told of a call beside its result. */
function addNotes(run: Run, { toolName, outcome, edited }: PendingCall): void {
  if (edited !== undefined)
    addMessage(
      run,
      frameworkNote(`A person changed the arguments of "${toolName}" to ${JSON.stringify(edited)}.`, 'approval'),
    )
  if (outcome?.kind === 'result' && outcome.feedback !== undefined)
    addMessage(run, frameworkNote(outcome.feedback, 'delegation-feedback'))
}
