import { fingerprint } from '../approvals/fingerprint.ts'
import type { Question } from '../approvals/question.ts'
import { RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { Chunk } from '../events/chunk.ts'
import { ABORTED } from '../shared/abort.ts'
import { assertNever } from '../shared/assert-never.ts'
import type { Approval } from '../storage/approvals.ts'
import { failed, failedWith, notRun, type Outcome } from '../tools/outcome.ts'
import type { SuspendedCall } from '../tools/suspended-call.ts'
import type { PendingCall } from './pending-call.ts'
import { type Run, WAITING } from './run.ts'
import { placed, type RunKeeper } from './run-keeper.ts'

/** What becomes of a call that a person may have to decide: it starts, or ends, or waits. */
export type Ruling =
  | { readonly type: 'start'; readonly args: unknown }
  | { readonly type: 'end'; readonly end: Outcome | typeof WAITING }

/** Decides whether a call starts, by its tool, the gates of its run, and what the ledger says. `args`: as they were checked. */
export async function gatedCall(run: Run, call: PendingCall, args: unknown): Promise<Ruling> {
  if (call.question) {
    const keeper = await run.root.keep()
    return decided(run, call, call.question, args, keeper)
  }
  const needed = await run.scope.race(needsDecision(run, call, args))
  if (needed === ABORTED || run.scope.aborted) return end(notRun('aborted'))
  if (needed instanceof RetinueError) return end(failedWith(needed))
  return needed ? ask(run, call, 'approval') : { type: 'start', args }
}

/** Asks for the answer that a suspended call wants. */
export async function askSuspended(run: Run, call: PendingCall, { payload }: SuspendedCall): Promise<typeof WAITING> {
  const { question } = call
  // What was decided before has been carried out; this is another question.
  if (question) (await run.root.keep()).move(placed(run, call), question, 'done')
  await ask(run, call, 'suspension', payload)
  return WAITING
}

/** The run ends without the call, or the delegation: nobody needs to decide any more. */
export function withdrawn(run: Run, call: PendingCall): void {
  const { keeper } = run.root
  if (call.question) keeper?.move(placed(run, call), call.question, 'cancelled')
  const child = call.delegation?.child
  for (const below of child?.calls ?? []) if (child && !below.outcome) withdrawn(child, below)
}

/** A gate that fails lets nothing through. */
async function needsDecision(
  { gates, state }: Run,
  { tool, toolName, toolCallId }: PendingCall,
  args: unknown,
): Promise<boolean | RetinueError> {
  try {
    if (tool?.needsApproval && (await tool.needsApproval(args, { toolCallId, messages: state.messages.slice() })))
      return true
    for (const gate of gates) if (gate === true || (await gate({ toolName, args, path: state.path }))) return true
    return false
  } catch (cause) {
    return new RetinueError({
      code: 'tool-approval-failed',
      message: `Whether "${toolName}" needs an approval could not be decided: ${withoutSecrets(thrownMessage(cause))}. It was not run.`,
      hint: 'Go on without it.',
      cause,
    })
  }
}

async function ask(run: Run, call: PendingCall, kind: Question['kind'], payload?: unknown): Promise<Ruling> {
  const keeper = await run.root.keep()
  const expiresAt = keeper.expiry(run.settings.approvalTimeoutMs)
  call.question = {
    round: keeper.nextRound(call.toolCallId, call.question),
    kind,
    fingerprint: await fingerprintOf(call),
    ...(payload === undefined ? {} : { payload }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
  await keeper.announce(call)
  return announced(run, call, call.question)
}

function fingerprintOf({ tool, toolName, args }: PendingCall): Promise<string> {
  return fingerprint({ name: toolName, schema: tool?.definition.inputSchema, version: tool?.version }, args)
}

/** Says that a call waits: at the top level of the root's stream, wherever in the tree it was made. */
function announced(
  { root, state }: Run,
  { toolCallId, toolName, args, edited }: PendingCall,
  question: Question,
): Ruling {
  const { kind, payload, expiresAt } = question
  const asked = { toolCallId, toolName, args: edited ?? args, ...(expiresAt === undefined ? {} : { expiresAt }) }
  const place = { runId: root.decisionId, from: 'AGENT', path: state.path } as const
  const chunk: Chunk =
    kind === 'approval'
      ? { ...place, type: 'tool-call-approval', payload: asked }
      : {
          ...place,
          type: 'tool-call-suspended',
          payload: { ...asked, ...(payload === undefined ? {} : { suspendPayload: payload }) },
        }
  root.log?.push(chunk)
  return { type: 'end', end: WAITING }
}

/** What the ledger says of a call that was asked about before its run stopped. */
async function decided(
  run: Run,
  call: PendingCall,
  question: Question,
  args: unknown,
  keeper: RunKeeper,
): Promise<Ruling> {
  const approval = keeper.standing(call.toolCallId)
  if (!approval || approval.round !== question.round) return announced(run, call, question)
  const { status } = approval
  switch (status) {
    case 'pending':
      if (question.expiresAt === undefined || run.root.effects.now() < question.expiresAt)
        return announced(run, call, question)
      keeper.move(placed(run, call), question, 'declined', TOO_LATE)
      return end(declined(call, question, TOO_LATE))
    case 'approved':
      return approved(run, call, question, approval, args, keeper)
    case 'declined':
      return end(declined(call, question, approval.decision?.reason))
    case 'started':
      // Whoever started it died before it could say how it ended.
      if (call.tool?.idempotent) return startWith(call, approval, args)
      keeper.move(placed(run, call), question, 'unknown')
      return end(unknownOutcome(call))
    case 'done':
    case 'unknown':
      return end(unknownOutcome(call))
    case 'cancelled':
      return end(notRun('aborted'))
    case 'void':
      return ask(run, call, question.kind, question.payload)
    default:
      return assertNever(status, 'approval status')
  }
}

const TOO_LATE = 'nobody decided in time'

/** A decision is good for the call that a person was shown, and for nothing else. */
async function approved(
  run: Run,
  call: PendingCall,
  question: Question,
  approval: Approval,
  args: unknown,
  keeper: RunKeeper,
): Promise<Ruling> {
  if ((await fingerprintOf(call)) !== approval.fingerprint) {
    keeper.move(placed(run, call), question, 'void')
    return ask(run, call, question.kind, question.payload)
  }
  const gated = await startWith(call, approval, args)
  if (gated.type === 'start') await keeper.start(placed(run, call), question)
  else keeper.move(placed(run, call), question, 'void')
  return gated
}

/** A call starts with what a person put in place of its arguments, in this round or, where it was suspended since, in one before. */
async function startWith(call: PendingCall, { kind, decision }: Approval, args: unknown): Promise<Ruling> {
  const edited = decision && Object.hasOwn(decision, 'args') ? decision.args : call.edited
  const checked = edited === undefined ? undefined : await call.tool?.check(edited)
  if (checked && !checked.ok)
    return end(
      failed(
        'tool-arguments-invalid',
        `The arguments that a person gave don't fit: ${checked.issues}. Nothing was run.`,
      ),
    )
  if (kind === 'suspension') {
    const answer = call.tool?.checkAnswer ? await call.tool.checkAnswer(decision?.resumeData) : undefined
    if (answer && !answer.ok)
      return end(
        failed(
          'tool-arguments-invalid',
          `The answer that a person gave does not fit: ${answer.issues}. Nothing was run.`,
        ),
      )
    call.answer = { data: answer ? answer.value : decision?.resumeData }
  }
  if (edited !== undefined) call.edited = edited
  return { type: 'start', args: checked ? checked.value : args }
}

function end(outcome: Outcome): Ruling {
  return { type: 'end', end: outcome }
}

function declined({ toolName }: PendingCall, { kind }: Question, reason: string | undefined): Outcome {
  const why = reason?.trim() ? `: ${reason}` : ''
  const what = kind === 'approval' ? 'It was not run.' : 'What it asked was not answered, and it did not go on.'
  return failed('tool-declined', `The call of "${toolName}" was declined${why}. ${what}`)
}

/** A call that was decided, and whose process died. */
export function unknownOutcome({ toolName }: PendingCall): Outcome {
  return failed(
    'tool-outcome-unknown',
    `"${toolName}" was started, and whether it did its work is unknown: the process that ran it died. It is not started again.`,
    'Find out what it did, or say that it is not known.',
  )
}
