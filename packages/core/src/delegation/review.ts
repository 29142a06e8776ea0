import { RetinueError } from '../errors/retinue-error.ts'
import { brandEnvelope, type DelegationEnvelope } from '../events/envelope.ts'
import type { DelegationHookContext, DelegationReview } from '../loop/delegation-settings.ts'
import type { Run } from '../loop/run.ts'
import { freezeMessage } from '../messages/freeze-message.ts'
import { ABORTED } from '../shared/abort.ts'
import type { DelegatedResult } from './delegate-target.ts'
import { askCompleteHook, type HookErrors } from './hooks.ts'
import { errorOf } from './settle.ts'

/** How a delegation ended, and what a hook said of it. */
export interface Delegated extends DelegationReview {
  readonly envelope: DelegationEnvelope
  /** The parent's run ends with this delegation. */
  readonly bail: boolean
}

/** What the complete hook makes of an outcome. */
export async function askForReview(
  run: Run,
  facts: DelegationHookContext,
  envelope: DelegationEnvelope,
  result: DelegatedResult,
  begun: number,
  errors: HookErrors,
): Promise<Delegated> {
  if (!run.delegation.onDelegationComplete) return ended(envelope, errors)
  const shown = ended(envelope, errors).envelope
  const before = errors.length
  let bail = false
  let over = false
  // What the hook is shown is what the application and the model get: it can look, and not rewrite.
  Object.freeze(shown.subAgentToolResults)
  Object.freeze(shown)
  for (const message of result.messages ?? []) freezeMessage(message)
  const asking = askCompleteHook(
    run,
    {
      ...facts,
      result: shown,
      success: shown.status === 'completed',
      error: failureFor(shown, result),
      messages: result.messages ?? [],
      durationMs: run.root.effects.now() - begun,
      bail: () => {
        // Once the hook has returned there is nothing of this delegation left to end.
        if (over) return
        bail = true
        run.bail?.out(facts.toolCallId)
      },
    },
    errors,
  )
  // Its own bail has ended the step's scope; only the end of the run ends the wait for it.
  const reviewed = await run.abort.race(asking)
  over = true
  // An aborted run waits for no hook; what it said so far still counts.
  const told = errors.length === before ? { envelope: shown, bail: false } : ended(envelope, errors)
  return { ...told, ...(reviewed === ABORTED ? {} : reviewed), bail }
}

function failureFor({ status, error }: DelegationEnvelope, result: DelegatedResult): RetinueError | undefined {
  if (result.error) return result.error
  if (status !== 'failed' && status !== 'cancelled') return undefined
  return new RetinueError({ code: 'delegation-failed', message: error?.message ?? `The delegation was ${status}.` })
}

/** An outcome that no hook has anything to say of, with the errors of those that were asked. */
export function ended(envelope: DelegationEnvelope, errors: HookErrors): Delegated {
  if (errors.length === 0) return { envelope, bail: false }
  return { envelope: brandEnvelope({ ...envelope, hookErrors: errors.map(errorOf) }), bail: false }
}
