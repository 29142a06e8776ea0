import { type ErrorInfo, errorInfo, isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { ScorerVerdict } from '../events/completion-check.ts'
import { assertScore } from '../scorers/assert-score.ts'
import type { Score, Scorer, ScorerRun } from '../scorers/scorer.ts'
import { ABORTED, AbortScope } from '../shared/abort.ts'
import { isObject } from '../shared/records.ts'
import type { Effects } from './effects.ts'

/** How often a scorer is asked for its verdict at most: one that failed once may have been unlucky. */
const ATTEMPTS = 2

/** What is asked of a scorer, and within which bounds. */
export interface ScorerCall {
  readonly run: ScorerRun
  readonly effects: Effects
  readonly timeoutMs: number
  /** What ends the asking. */
  readonly scope: AbortScope
}

/** A scorer's verdict, or the error that stands in its place; undefined if the scope ended meanwhile. It never throws. */
export async function askScorer(scorer: Scorer, request: ScorerCall): Promise<ScorerVerdict | undefined> {
  const { effects, scope } = request
  const begun = effects.now()
  const named = { scorerId: scorer.id, scorerName: scorer.name ?? scorer.id }
  let failed: Failed | undefined
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (scope.aborted) return undefined
    const outcome = await attemptScore(scorer, request)
    if (outcome === undefined) return undefined
    const durationMs = effects.now() - begun
    if ('score' in outcome) {
      const { score, reason } = outcome
      return { ...named, score, passed: score === 1, ...(reason === undefined ? {} : { reason }), durationMs }
    }
    failed = outcome
    // A judge has had its attempts, and the repair of its answer, already.
    if (outcome.error.code === 'scorer-judge-failed') break
  }
  const { error, timedOut } = failed as Failed
  return {
    ...named,
    passed: false,
    errored: true,
    error,
    ...(timedOut ? { timedOut } : {}),
    durationMs: effects.now() - begun,
  }
}

interface Failed {
  readonly error: ErrorInfo
  readonly timedOut: boolean
}

/** One attempt. A verdict that comes after the time, or the end of the scope, is not waited for and counts for nothing. */
async function attemptScore(
  scorer: Scorer,
  { run, effects, timeoutMs, scope }: ScorerCall,
): Promise<Score | Failed | undefined> {
  const own = AbortScope.within(scope)
  const stop = effects.startTimer(timeoutMs, () => own.abort(timedOutError(scorer, timeoutMs)))
  try {
    const score = await own.race((async () => scorer.run({ ...run, abortSignal: own.signal }))())
    if (score === ABORTED) return scope.aborted ? undefined : failedWith(timedOutError(scorer, timeoutMs))
    return checkedScore(score, scorer)
  } catch (thrown) {
    return scope.aborted ? undefined : failedWith(scorerFailed(scorer, thrown))
  } finally {
    stop()
    own.dispose()
  }
}

function checkedScore(given: unknown, { id }: Scorer): Score {
  const { score, reason } = isObject(given) ? given : { score: given }
  return { score: assertScore(score, id), ...(typeof reason === 'string' && reason.trim() !== '' ? { reason } : {}) }
}

function failedWith(error: RetinueError): Failed {
  return { error: errorInfo(error), timedOut: error.code === 'scorer-timed-out' }
}

function scorerFailed(scorer: Scorer, thrown: unknown): RetinueError {
  if (isRetinueError(thrown)) return thrown
  return new RetinueError({
    code: 'scorer-failed',
    message: `The scorer "${scorer.id}" failed: ${withoutSecrets(thrownMessage(thrown))}`,
    hint: 'It gave no verdict, which is not the same as a low score.',
    data: { scorer: scorer.id },
    cause: thrown,
  })
}

function timedOutError({ id }: Scorer, timeoutMs: number): RetinueError {
  return new RetinueError({
    code: 'scorer-timed-out',
    message: `The scorer "${id}" took longer than ${timeoutMs} ms.`,
    hint: 'Allow more time, or make it cheaper.',
    data: { scorer: id },
  })
}
