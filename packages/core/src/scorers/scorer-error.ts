import type { ErrorCode } from '../errors/codes.ts'
import { isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { StepName } from './step.ts'

/** The error of a scorer that can't be made or run as it was written. */
export function scorerInvalid(scorer: string, problem: string, hint: string): RetinueError {
  return new RetinueError({
    code: 'scorer-invalid',
    message: `The scorer "${scorer}" ${problem}.`,
    hint,
    data: { scorer },
  })
}

/** The error of a scorer whose caller called it off. */
export function scorerAborted(scorer: string, cause: unknown): RetinueError {
  return new RetinueError({
    code: 'scorer-aborted',
    message: `The scorer "${scorer}" was called off before it had a score.`,
    data: { scorer },
    cause,
  })
}

/** What a scorer needs of a run is not there: no verdict can be given. */
export function scorerInputMissing(scorer: string, field: string): RetinueError {
  return new RetinueError({
    code: 'scorer-input-missing',
    message: `The scorer "${scorer}" needs the ${field} of the run, and was given none.`,
    hint: `Call it with { ${field}: … }, as the completion check of an agent does.`,
    data: { scorer, field },
  })
}

const OWN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'scorer-aborted',
  'scorer-failed',
  'scorer-input-missing',
  'scorer-invalid',
  'scorer-judge-failed',
  'scorer-score-invalid',
])

/** Whatever a step threw, as an error of its scorer: people throw null too. */
export function stepFailed(scorer: string, step: StepName, thrown: unknown): RetinueError {
  if (isRetinueError(thrown) && OWN.has(thrown.code)) return thrown
  return new RetinueError({
    code: 'scorer-failed',
    message: `The scorer "${scorer}" failed in ${step}: ${withoutSecrets(thrownMessage(thrown))}`,
    hint: 'The cause of this error has its stack.',
    data: { scorer, step },
    cause: thrown,
  })
}
