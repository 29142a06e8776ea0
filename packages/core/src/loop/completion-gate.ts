import { errorInfo, RetinueError } from '../errors/retinue-error.ts'
import type { CompletionCheck, ScorerVerdict } from '../events/completion-check.ts'
import { addUsage, type Usage } from '../events/usage.ts'
import { frameworkNote } from '../messages/framework-note.ts'
import type { UserMessage } from '../messages/message.ts'
import { AbortScope } from '../shared/abort.ts'
import { assertNever } from '../shared/assert-never.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import { askScorer, type ScorerCall } from './ask-scorer.ts'
import { type IterationFacts, mayGoOn, type NextStep } from './next-step.ts'
import { emit, type Run } from './run.ts'
import { callbackFailed } from './run-hooks.ts'
import { scorerRun } from './scorer-run.ts'
import { DEFAULT_SCORER_TIMEOUT, type TaskCompletion } from './task-completion.ts'
import { budgetLeft } from './within-budget.ts'

/** The next move after the answer was checked, and what the model is told if it is to go on. */
export interface Gated {
  readonly next: NextStep
  readonly note?: UserMessage
}

/** Checks the answer that a run would end with. Where the run would not end with an answer there is nothing to check. */
export async function completionGate(
  run: Run,
  completion: TaskCompletion,
  facts: IterationFacts,
  planned: NextStep,
): Promise<Gated> {
  if (planned.type !== 'finish' || !['stop', 'other'].includes(planned.reason) || facts.last || facts.stopped)
    return { next: planned }
  const check = await checkCompletion(run, completion)
  if (run.abort.aborted) return { next: { type: 'abort' } }
  run.state.completion = check
  emit(run, 'is-task-complete', check)
  await tellComplete(run, completion, check)
  if (run.abort.aborted) return { next: { type: 'abort' } }
  return check.complete ? { next: planned } : notComplete(run, completion, facts, check)
}

function notComplete(run: Run, completion: TaskCompletion, facts: IterationFacts, check: CompletionCheck): Gated {
  const { onScorerError = 'incomplete' } = completion
  const errored = check.scorers.find((verdict) => verdict.errored)
  if (errored && onScorerError !== 'continue') {
    run.error = unjudged(run, errored, onScorerError)
    return { next: { type: 'finish', reason: onScorerError === 'throw' ? 'error' : 'incomplete' } }
  }
  // Asked anew: judges have used something of it.
  if (budgetLeft(run) !== 'enough') return { next: { type: 'finish', reason: 'over-budget' } }
  if (!mayGoOn(facts)) return { next: { type: 'finish', reason: 'incomplete' } }
  return { next: { type: 'continue' }, note: noteFor(completion, check) }
}

/** Asks the scorers, and decides. */
async function checkCompletion(run: Run, completion: TaskCompletion): Promise<CompletionCheck> {
  const { scorers, strategy = 'all', parallel = true, timeout = DEFAULT_SCORER_TIMEOUT } = completion
  const { effects } = run.root
  const begun = effects.now()
  // Ends what is still asked when the outcome is known.
  const scope = AbortScope.within(run.abort)
  const onUsage = (usage: Usage, model: string): void => countJudge(run, usage, model)
  const request: ScorerCall = { run: { ...scorerRun(run), onUsage }, effects, timeoutMs: timeout, scope }
  const verdicts: (ScorerVerdict | undefined)[] = []
  await forEachLimited(scorers.length, parallel ? scorers.length : 1, async (index) => {
    const scorer = scorers[index]
    const verdict = scorer && (await askScorer(scorer, request))
    verdicts[index] = verdict
    if (verdict && isDecided(strategy, parallel, verdict)) scope.abort('the outcome is known')
  })
  scope.dispose()
  const given = verdicts.filter((verdict) => verdict !== undefined)
  return {
    complete: isComplete(strategy, given, scorers.length),
    iteration: run.state.iteration,
    strategy,
    scorers: given,
    timedOut: given.some((verdict) => verdict.timedOut),
    durationMs: effects.now() - begun,
  }
}

/** What judges use is used for the run, as what its subagents use is. */
function countJudge({ state, budget }: Run, usage: Usage, model: string): void {
  addUsage(state.totalUsage, usage)
  if (budget.metered) budget.spend(model, usage)
}

/** Whether a verdict decides the check. Those that are asked at the same time as a failing one are heard: the model reads them all. */
function isDecided(strategy: 'all' | 'any', parallel: boolean, { passed }: ScorerVerdict): boolean {
  switch (strategy) {
    case 'any':
      return passed
    case 'all':
      return !passed && !parallel
    default:
      return assertNever(strategy, 'strategy')
  }
}

function isComplete(strategy: 'all' | 'any', verdicts: readonly ScorerVerdict[], scorers: number): boolean {
  const passed = verdicts.filter((verdict) => verdict.passed).length
  return strategy === 'any' ? passed > 0 : passed === scorers
}

/** What the model is told of the verdicts. A scorer that failed says nothing of the answer, and is not held against it. */
function noteFor({ suppressFeedback = false }: TaskCompletion, { scorers, strategy }: CompletionCheck): UserMessage {
  const failed = scorers.filter(({ passed, errored }) => !passed && !errored)
  if (suppressFeedback || failed.length === 0) return frameworkNote(GO_ON, 'completion-feedback')
  const all = strategy === 'all' ? 'every check' : 'one of the checks'
  const lines = failed.map(
    ({ scorerName, reason, score }) => `- ${scorerName}: ${reason ?? `not passed (score ${score})`}`,
  )
  const text = `The task is not complete yet: ${all} has to pass, and these did not.\n${lines.join('\n')}\n${GO_ON}`
  return frameworkNote(text, 'completion-feedback')
}

const GO_ON = 'Go on with the task, and then give the whole answer anew.'

async function tellComplete(run: Run, { onComplete }: TaskCompletion, check: CompletionCheck): Promise<void> {
  if (!onComplete) return
  try {
    await run.abort.race((async () => onComplete(check))())
  } catch (thrown) {
    emit(run, 'error', { error: errorInfo(callbackFailed('isTaskComplete.onComplete', thrown)) })
  }
}

function unjudged(
  { agentId }: Run,
  { scorerId, error }: ScorerVerdict,
  strategy: 'incomplete' | 'throw',
): RetinueError {
  const others = strategy === 'throw' ? "'incomplete' or 'continue'" : "'continue'"
  return new RetinueError({
    code: 'completion-unjudged',
    message: `The answer of "${agentId}" could not be judged by "${scorerId}": ${error?.message ?? 'it failed'}`,
    hint: `Mend the scorer, or set isTaskComplete.onScorerError to ${others}.`,
    data: { scorer: scorerId },
  })
}
