import type { RequestContextLike } from '../context/request-context.ts'
import { errorInfo, isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type {
  DelegationCompleteContext,
  DelegationHookContext,
  DelegationReview,
  DelegationStartDecision,
} from '../loop/delegation-settings.ts'
import { emit, type Run } from '../loop/run.ts'
import { checkedFields, type FieldChecks } from '../shared/checked-fields.ts'

/** Errors of the hooks of one delegation, in the order in which they happened. */
export type HookErrors = RetinueError[]

/** Whether a hook's error keeps what it guards from happening. */
export function failsClosed(run: Run): boolean {
  return run.delegation.hookErrorStrategy !== 'warn'
}

/** What the start hook decides; an empty decision if it failed and the run goes on all the same. Throws if it fails closed. */
export async function askStartHook(
  run: Run,
  context: DelegationHookContext,
  requestContext: RequestContextLike,
  errors: HookErrors,
): Promise<DelegationStartDecision> {
  const hook = run.delegation.onDelegationStart
  if (!hook) return {}
  try {
    return checkedFields<DelegationStartDecision>(await hook({ ...context, requestContext }), START_FIELDS)
  } catch (thrown) {
    const error = hookError('onDelegationStart', context.key, thrown)
    errors.push(error)
    if (failsClosed(run)) throw error
    return {}
  }
}

/** What the complete hook says of a result; nothing if it failed. It never throws: the child's result is there already. */
export async function askCompleteHook(
  run: Run,
  context: DelegationCompleteContext,
  errors: HookErrors,
): Promise<DelegationReview> {
  const hook = run.delegation.onDelegationComplete
  if (!hook) return {}
  try {
    return checkedFields<DelegationReview>(await hook(context), REVIEW_FIELDS)
  } catch (thrown) {
    const error = hookError('onDelegationComplete', context.key, thrown)
    errors.push(error)
    if (failsClosed(run)) emit(run, 'error', { error: errorInfo(error) })
    return {}
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isFullText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

const START_FIELDS: FieldChecks<DelegationStartDecision> = {
  proceed: (value) => typeof value === 'boolean',
  rejectionReason: isText,
  modifiedPrompt: isFullText,
  modifiedInstructions: isText,
  modifiedMaxSteps: (value) => Number.isInteger(value) && (value as number) >= 1,
}

const REVIEW_FIELDS: FieldChecks<DelegationReview> = { feedback: isText, resultText: isText }

function hookError(name: string, key: string, thrown: unknown): RetinueError {
  if (isRetinueError(thrown, 'delegation-hook-failed')) return thrown
  return new RetinueError({
    code: 'delegation-hook-failed',
    message: `The hook ${name} failed for "${key}": ${withoutSecrets(thrownMessage(thrown))}`,
    hint: 'The cause of this error has its stack.',
    cause: thrown,
  })
}
