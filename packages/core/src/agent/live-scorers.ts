import type { FinishReason } from '../events/finish-reason.ts'
import { askScorer } from '../loop/ask-scorer.ts'
import type { RootRun, Run } from '../loop/run.ts'
import { callbackFailed } from '../loop/run-hooks.ts'
import { scorerRun } from '../loop/scorer-run.ts'
import { warnIn } from '../memory/application.ts'
import type { LiveScore, OnScore, Sampling } from '../scorers/live-score.ts'
import type { Scorer } from '../scorers/scorer.ts'
import { AbortScope } from '../shared/abort.ts'

/** How long a scorer may take each time that it is asked, in milliseconds: nobody waits for it, but the process does. */
const TIMEOUT_MS = 60_000

const NO_ANSWER: ReadonlySet<FinishReason> = new Set(['error', 'aborted', 'tool-calls', 'suspended'])

/** Has the scorers of a run grade its answer, once the root's is given; see `startScoring`. */
export function scoreLater(run: Run): void {
  const { root, state, scoring } = run
  // Nothing can be graded of a run that gave no answer.
  if (!scoring || (state.finishReason && NO_ANSWER.has(state.finishReason))) return
  const { scorers, onScore } = scoring
  const seen = scorerRun(run)
  for (const [key, entry] of Object.entries(scorers)) {
    const { scorer, sampling } = 'scorer' in entry ? entry : { scorer: entry, sampling: undefined }
    if (!isSampled(sampling, `${state.runId}/${key}`)) continue
    root.scoring ??= []
    root.scoring.push(() => scoreOnce(run, key, scorer, seen, onScore))
  }
}

/**
 * Begins what the runs of a tree left to be graded, when whoever waited for the root's answer has it: no scorer delays an answer, also
 * not one of a subagent. What they say does not reject.
 */
export function startScoring({ scoring, effects }: RootRun): Promise<readonly LiveScore[]> | undefined {
  if (!scoring) return undefined
  return new Promise((resolve) => {
    effects.startTimer(0, () => resolve(Promise.all(scoring.map((score) => score()))))
  })
}

async function scoreOnce(
  { root, state, agentId }: Run,
  key: string,
  scorer: Scorer,
  seen: ReturnType<typeof scorerRun>,
  onScore: OnScore | undefined,
): Promise<LiveScore> {
  const scope = new AbortScope()
  const verdict = await askScorer(scorer, {
    run: seen,
    effects: root.effects,
    timeoutMs: TIMEOUT_MS,
    scope,
  })
  scope.dispose()
  if (!verdict) throw new TypeError('A scorer that nobody stopped gave nothing.')
  const score: LiveScore = { ...verdict, key, runId: state.runId, agentId, path: state.path }
  await tell(root, onScore, score)
  if (root.onScore !== onScore) await tell(root, root.onScore, score)
  return score
}

async function tell({ application }: RootRun, onScore: OnScore | undefined, score: LiveScore): Promise<void> {
  try {
    await onScore?.(score)
  } catch (thrown) {
    warnIn(application, 'callback-failed', callbackFailed('onScore', thrown).message)
  }
}

/** Whether a run is among those that are graded: by its id, so that the same run is judged alike wherever it is asked. */
function isSampled(sampling: Sampling | undefined, id: string): boolean {
  if (sampling === undefined) return true
  return sampling.type === 'ratio' && share(id) < sampling.rate
}

/** A number from 0 to below 1 for a text, spread evenly (FNV-1a, and a last mix of its bits). */
function share(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32
}
