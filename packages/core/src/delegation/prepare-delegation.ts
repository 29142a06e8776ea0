import { isRetinueError } from '../errors/retinue-error.ts'
import type { DelegationHookContext, DelegationStartDecision } from '../loop/delegation-settings.ts'
import type { Run } from '../loop/run.ts'
import { disarm } from '../messages/framework-note.ts'
import type { Message } from '../messages/message.ts'
import type { DelegatedRequest, DelegateTarget } from './delegate-target.ts'
import { askStartHook, failsClosed, type HookErrors } from './hooks.ts'
import { selectMessages } from './select-messages.ts'

/** What hooks and filter say of a delegation before its child begins. */
export interface Prepared {
  readonly decision: DelegationStartDecision
  readonly messages: readonly Message[]
}

/** Asks the start hook, then the filter. At once where there is neither. */
export function prepare(
  run: Run,
  target: DelegateTarget,
  facts: DelegationHookContext,
  requestContext: DelegatedRequest['requestContext'],
  errors: HookErrors,
): Prepared | Promise<Prepared> {
  if (!run.delegation.onDelegationStart) return selected(run, target, facts, {}, requestContext, errors)
  return askStartHook(run, facts, requestContext, errors).then((decision) =>
    decision.proceed === false
      ? { decision, messages: [] }
      : selected(run, target, { ...facts, prompt: promptOf(facts, decision) }, decision, requestContext, errors),
  )
}

function selected(
  run: Run,
  target: DelegateTarget,
  facts: DelegationHookContext,
  decision: DelegationStartDecision,
  requestContext: DelegatedRequest['requestContext'],
  errors: HookErrors,
): Prepared | Promise<Prepared> {
  const selecting = selectMessages(run, { ...facts, requestContext }, target)
  if (!(selecting instanceof Promise)) return { decision, messages: selecting }
  return selecting.then(
    (messages) => ({ decision, messages }),
    (error: unknown) => {
      if (isRetinueError(error)) errors.push(error)
      if (failsClosed(run)) throw error
      // A filter that failed hands over nothing, whatever the strategy.
      return { decision, messages: [] }
    },
  )
}

/** What the child is asked, as the start hook left it. */
export function promptOf({ prompt }: DelegationHookContext, { modifiedPrompt }: DelegationStartDecision): string {
  return modifiedPrompt === undefined ? prompt : disarm(modifiedPrompt)
}
