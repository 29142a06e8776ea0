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
import { isPlainObject } from '../shared/records.ts'

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
    return startDecision(await hook({ ...context, requestContext }))
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
    return review(await hook(context))
  } catch (thrown) {
    const error = hookError('onDelegationComplete', context.key, thrown)
    errors.push(error)
    if (failsClosed(run)) emit(run, 'error', { error: errorInfo(error) })
    return {}
  }
}

type Fields = Readonly<Record<string, (value: unknown) => boolean>>

const isText = (value: unknown): boolean => typeof value === 'string'
const isFullText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

const START_FIELDS: Fields = {
  proceed: (value) => typeof value === 'boolean',
  rejectionReason: isText,
  modifiedPrompt: isFullText,
  modifiedInstructions: isText,
  modifiedMaxSteps: (value) => Number.isInteger(value) && (value as number) >= 1,
}

const REVIEW_FIELDS: Fields = { feedback: isText, resultText: isText }

function startDecision(returned: unknown): DelegationStartDecision {
  return checked(returned, START_FIELDS)
}

function review(returned: unknown): DelegationReview {
  return checked(returned, REVIEW_FIELDS)
}

/** What a hook returned, if it is nothing or an object of the known fields. A typo must not pass for consent. */
function checked(returned: unknown, fields: Fields): Record<string, never> {
  if (returned === undefined || returned === null) return {}
  if (!isPlainObject(returned)) throw new TypeError(`it returned a ${typeof returned} that is no plain object`)
  for (const [name, value] of Object.entries(returned)) {
    const fits = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!fits) throw new TypeError(`it returned the unknown field "${name}"`)
    if (value !== undefined && !fits(value)) throw new TypeError(`it returned ${name}: ${String(value)}`)
  }
  return returned as Record<string, never>
}

function hookError(name: string, key: string, thrown: unknown): RetinueError {
  if (isRetinueError(thrown, 'delegation-hook-failed')) return thrown
  return new RetinueError({
    code: 'delegation-hook-failed',
    message: `The hook ${name} failed for "${key}": ${withoutSecrets(thrownMessage(thrown))}`,
    hint: 'The cause of this error has its stack.',
    cause: thrown,
  })
}
