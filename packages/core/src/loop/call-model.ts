import { errorInfo, isRetinueError, RetinueError } from '../errors/retinue-error.ts'
import { addUsage, type Usage } from '../events/usage.ts'
import { estimatedTokens, tokensOfText } from '../messages/estimated-tokens.ts'
import type { LanguageModel } from '../model/language-model.ts'
import { brokenOff, isRetryable, modelError, retryDelay } from '../model/model-error.ts'
import { type StreamPart, soundPart } from '../model/stream-part.ts'
import { ABORTED } from '../shared/abort.ts'
import { MODEL_CALL } from './budget.ts'
import type { ModelStream } from './effects.ts'
import { modelRequest, promptOf } from './model-request.ts'
import { ModelTurn } from './model-turn.ts'
import type { ModelCandidate, Run } from './run.ts'
import type { RunProcessors } from './run-processors.ts'
import type { Step } from './run-state.ts'
import { type Limited, limitedAttempt } from './time-limits.ts'

/** How an attempt ended: with a `finish`, by an abort, by a processor, or by an error. */
type Ending =
  | { type: 'finished' }
  | { type: 'aborted' }
  | { type: 'stopped'; error: RetinueError }
  | { type: 'failed'; thrown: unknown }

/**
 * Calls the model, and makes of what it says a turn. Attempts and fallbacks happen only before the first content; after it a
 * failure is a part of the turn. It never throws.
 */
export async function callModel(run: Run): Promise<ModelTurn> {
  const { settings } = run
  const models = run.override?.models ?? run.models
  const failed: RetinueError[] = []
  for (const candidate of models) {
    for (let attempt = 1; ; attempt++) {
      const turn = new ModelTurn(run, candidate)
      tellFallback(models, turn, failed)
      const ending = await attemptCall(run, candidate, turn)
      if (ending.type !== 'failed' || turn.begun) return close(run, turn, ending, failed)
      const again = isRetryable(ending.thrown) && attempt <= settings.maxRetries && mayCallAgain(run)
      if (!again && candidate === models.at(-1)) return close(run, turn, ending, failed)
      countUsage(run, turn)
      if (!again) {
        failed.push(modelError(ending.thrown, candidate.use.used, turn.secrets))
        break
      }
      if (!(await waited(run, ending.thrown, attempt)))
        return close(run, new ModelTurn(run, candidate), { type: 'aborted' }, failed)
    }
  }
  throw new RetinueError({
    code: 'model-missing',
    message: `The agent "${run.agentId}" has no model.`,
    hint: 'Set `model` in its config.',
  })
}

/** Whether the budget has room for another attempt: each is a call of its own. */
function mayCallAgain({ budget, state }: Run): boolean {
  return budget.shortage(state.runId, MODEL_CALL) === undefined
}

/** Says, in the step of a model that stands in, for which and why: a dead key must not go unnoticed for ever. */
function tellFallback(models: readonly ModelCandidate[], { step }: ModelTurn, failed: readonly RetinueError[]): void {
  const [first] = models
  if (!first || failed.length === 0) return
  const why = failed.map((error, index) => `${models[index]?.use.used} failed (${reasonOf(error)})`).join(', ')
  step.model = { requested: first.use.requested, used: step.model.used, why }
  step.warnings.push(`${step.model.used} answers, since ${why}.`)
}

function reasonOf({ code, data }: RetinueError): string {
  return typeof data['status'] === 'number' ? `${code}, status ${data['status']}` : code
}

/** Waits for the next attempt; false if the run was aborted meanwhile, which stops the clock too. */
function waited(run: Run, thrown: unknown, attempt: number): Promise<boolean> {
  const { effects } = run.root
  return new Promise((resolve) => {
    const stop = effects.startTimer(retryDelay(thrown, attempt, effects.now()), () => {
      release()
      resolve(true)
    })
    const release = run.abort.onAbort(() => {
      stop()
      resolve(false)
    })
  })
}

async function attemptCall(run: Run, candidate: ModelCandidate, turn: ModelTurn): Promise<Ending> {
  if (run.abort.aborted) return { type: 'aborted' }
  const limited = limitedAttempt(run, candidate.use.used)
  try {
    return await attemptWithin(limited, run, candidate, turn)
  } catch (thrown) {
    return ended(run, limited) ?? { type: 'failed', thrown }
  } finally {
    limited.end()
  }
}

async function attemptWithin(limited: Limited, run: Run, candidate: ModelCandidate, turn: ModelTurn): Promise<Ending> {
  const { scope } = limited
  const model = candidate.model ?? (await scope.race(candidate.make()))
  if (model === ABORTED) return ended(run, limited) ?? { type: 'aborted' }
  if (run.traits.urls) await checkUrls(run, model)
  turn.called(model)
  const opening = Promise.resolve(run.root.effects.callModel(model, modelRequest(run, model, scope.signal)))
  const opened = await scope.race(opening)
  if (opened === ABORTED) {
    discard(opening)
    return ended(run, limited) ?? { type: 'aborted' }
  }
  return readStream(run, limited, opened.stream, turn)
}

/** Few conversations name files by URL: what checks them is loaded with the first that does. */
async function checkUrls(run: Run, model: LanguageModel): Promise<void> {
  const { assertUrlsSupported } = await import('../model/supported-urls.ts')
  await assertUrlsSupported(model, promptOf(run))
}

/** How an attempt that was stopped ended: by the run's abort, or because its own time was up. */
function ended(run: Run, limited: Limited): Ending | undefined {
  if (run.abort.aborted) return { type: 'aborted' }
  const thrown = limited.expired()
  return thrown && { type: 'failed', thrown }
}

async function readStream(run: Run, limited: Limited, stream: ModelStream['stream'], turn: ModelTurn): Promise<Ending> {
  const { scope } = limited
  const reader = stream.getReader()
  // Cancelling settles the read that is under way, whether or not the model heeds the signal.
  const release = scope.onAbort(() => void reader.cancel().catch(() => {}))
  try {
    while (turn.end === undefined && turn.failure === undefined) {
      const { done, value } = await reader.read()
      if (scope.aborted) return ended(run, limited) ?? { type: 'aborted' }
      if (done) return { type: 'failed', thrown: brokenOff(turn.step.model.used) }
      limited.alive()
      const sound = soundPart(value)
      const part = sound && run.processors?.output.length ? await processed(run, run.processors, sound) : sound
      if (isRetinueError(part)) return { type: 'stopped', error: part }
      if (part) turn.accept(part)
    }
  } finally {
    release()
    // What comes after the end is not part of the answer, and a stream that is never closed must hold nobody up.
    reader.cancel().catch(() => {})
  }
  return turn.failure ? { type: 'failed', thrown: turn.failure.error } : { type: 'finished' }
}

/** A part as the output processors leave it; the error of one that stopped the run, or failed. */
async function processed(
  run: Run,
  processors: RunProcessors,
  part: StreamPart,
): Promise<StreamPart | RetinueError | undefined> {
  // Loaded with the first run that has processors.
  const { processPart } = await import('./run-processors.ts')
  try {
    return await processPart(run, processors, part)
  } catch (thrown) {
    // No other model would be any better for it.
    if (isRetinueError(thrown)) return thrown
    throw thrown
  }
}

/** A stream that came after its run was aborted is let go. */
function discard(opening: PromiseLike<ModelStream>): void {
  opening.then(
    ({ stream }) => stream.cancel().catch(() => {}),
    () => {},
  )
}

/** Takes down how the turn ended, in its step, and what it cost, in the run's sums. */
function close(run: Run, turn: ModelTurn, ending: Ending, failed: readonly RetinueError[]): ModelTurn {
  const { step } = turn
  turn.begin()
  turn.closeAll()
  if (ending.type === 'aborted') step.finishReason = 'aborted'
  else if (ending.type === 'finished') step.finishReason = turn.end ?? 'other'
  else if (ending.type === 'stopped') {
    step.finishReason = 'other'
    run.stopped = ending.error
  } else step.finishReason = 'error'
  if (step.finishReason === 'error') {
    const thrown = ending.type === 'failed' ? ending.thrown : new Error('the provider ended the answer with an error')
    run.error = withOthers(modelError(thrown, step.model.used, turn.secrets), failed)
  }
  countUsage(run, turn)
  return turn
}

/** The error of the last model, which also tells of those before it. */
function withOthers(error: RetinueError, failed: readonly RetinueError[]): RetinueError {
  if (failed.length === 0) return error
  const { code, message, hint, data, cause } = error
  return new RetinueError({
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    data: { ...data, before: failed.map(errorInfo) },
    cause,
  })
}

function countUsage(run: Run, { step, begun }: ModelTurn): void {
  const { state, budget } = run
  addUsage(state.usage, step.usage)
  addUsage(state.totalUsage, step.usage)
  // An attempt that failed before it said anything cost nothing that its provider did not report.
  if (budget.metered) budget.spend(step.model.used, begun ? usageOf(run, step) : step.usage)
}

/** What a call used; estimated where its provider does not say. A budget must not last for ever because of that. */
function usageOf(run: Run, step: Step): Usage {
  const { usage } = step
  if (usage.unreportedCalls === 0) return usage
  const inputTokens = estimatedTokens(promptOf(run))
  const outputTokens =
    tokensOfText(step.text) + tokensOfText(step.reasoningText) + tokensOfText(JSON.stringify(step.toolCalls))
  return { ...usage, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}
