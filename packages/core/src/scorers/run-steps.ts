import { ABORTED, AbortScope } from '../shared/abort.ts'
import { isObject } from '../shared/records.ts'
import type { Schema } from '../tools/schema.ts'
import { assertScore } from './assert-score.ts'
import type { AskJudge, Judge } from './judge.ts'
import type { ScorerRequest, ScorerRun } from './scorer.ts'
import { scorerAborted, scorerInputMissing, scorerInvalid, stepFailed } from './scorer-error.ts'
import type { AnyPrompt, AnyStep, ReasonContext, StepName, StepResults } from './step.ts'

/** A scorer as the pipeline sees it. */
export interface Pipeline {
  readonly id: string
  readonly judge: Judge | undefined
  readonly steps: Readonly<Partial<Record<StepName, AnyStep>>>
  readonly ask: AskJudge
}

/** What a scorer gives of whichever steps. */
export interface PipelineResult extends StepResults {
  runId: string
  score: number
  reason?: string
  preprocessPrompt?: string
  analyzePrompt?: string
  generateScorePrompt?: string
  generateReasonPrompt?: string
}

/** Runs the steps that are defined, in their order. Every rejection is a typed error that names the scorer. */
export async function runSteps(pipeline: Pipeline, request: ScorerRequest): Promise<PipelineResult> {
  const { id } = pipeline
  if (!isObject(request) || request.output === undefined || request.output === null)
    throw scorerInputMissing(id, 'output')
  const run = runOf(request)
  const scope = new AbortScope(run.abortSignal)
  try {
    const result = await scope.race(allSteps(pipeline, run, scope))
    if (result === ABORTED) throw scorerAborted(id, scope.signal.reason)
    return result
  } finally {
    scope.dispose()
  }
}

/** The request as steps see it: a task that is text alone has no conversation. */
function runOf({ input, ...rest }: ScorerRequest): ScorerRun {
  if (input === undefined) return rest
  return { ...rest, input: typeof input === 'string' ? { task: input, messages: [] } : input }
}

async function allSteps(pipeline: Pipeline, run: ScorerRun, scope: AbortScope): Promise<PipelineResult> {
  const { id, steps } = pipeline
  if (!steps.generateScore)
    throw scorerInvalid(id, 'has no generateScore step', 'createScorer({ … }).generateScore(({ run }) => …)')
  const results: StepResults = {}
  const prompts: Partial<PipelineResult> = {}
  const take = (step: StepName): Promise<unknown> => takeStep(pipeline, step, contextOf(run, results), prompts, scope)
  if (steps.preprocess) results.preprocessStepResult = await take('preprocess')
  if (steps.analyze) results.analyzeStepResult = await take('analyze')
  const score = assertScore(await take('generateScore'), id)
  results.generateScoreStepResult = score
  const reason = steps.generateReason && reasonOf(id, await take('generateReason'))
  const { generateScoreStepResult: _score, ...given } = results
  return {
    runId: run.runId ?? globalThis.crypto.randomUUID(),
    score,
    ...(reason === undefined ? {} : { reason }),
    ...given,
    ...prompts,
  }
}

function reasonOf(id: string, reason: unknown): string {
  if (typeof reason === 'string') return reason
  throw stepFailed(id, 'generateReason', new TypeError('it gave a reason that is no text'))
}

/** A context of its own for each step: what one of them keeps or changes is seen by no other. */
function contextOf(run: ScorerRun, results: StepResults): ReasonContext<StepResults> {
  const { generateScoreStepResult: score } = results
  const context = { run, results: { ...results } }
  // Only `generateReason` comes after the score, and only its type tells of one.
  return (score === undefined ? context : { ...context, score }) as ReasonContext<StepResults>
}

async function takeStep(
  pipeline: Pipeline,
  name: StepName,
  context: ReasonContext<StepResults>,
  prompts: Partial<PipelineResult>,
  scope: AbortScope,
): Promise<unknown> {
  const { id, steps } = pipeline
  const step = steps[name]
  // Whoever called it off has its answer already: nothing more is begun.
  if (scope.aborted) throw scorerAborted(id, scope.signal.reason)
  try {
    if (typeof step === 'function') return await step(context)
    if (step) return await askStep(pipeline, name, step, context, prompts, scope)
    return undefined
  } catch (thrown) {
    throw stepFailed(id, name, thrown)
  }
}

/** The answer to `generateScore`, where the step sets no schema of its own. */
const SCORE_SCHEMA: Schema = {
  type: 'object',
  properties: { score: { type: 'number' } },
  required: ['score'],
  additionalProperties: false,
}

async function askStep(
  { id, judge: own, ask }: Pipeline,
  name: StepName,
  step: AnyPrompt,
  context: ReasonContext<StepResults>,
  prompts: Partial<PipelineResult>,
  scope: AbortScope,
): Promise<unknown> {
  const judge = step.judge ?? own
  if (!judge) throw scorerInvalid(id, `has no judge for ${name}`, 'createScorer({ judge: { model, instructions }, … })')
  const prompt = await step.createPrompt(context)
  if (typeof prompt !== 'string' || prompt.trim() === '') throw new TypeError('createPrompt gave no text')
  prompts[`${name}Prompt`] = prompt
  if (scope.aborted) throw scorerAborted(id, scope.signal.reason)
  const schema = name === 'generateScore' ? (step.outputSchema ?? SCORE_SCHEMA) : step.outputSchema
  const { providers, onUsage } = context.run
  const answer = await ask({ judge, scorer: id, step: name, prompt, schema, signal: scope.signal, providers, onUsage })
  return name === 'generateScore' ? (isObject(answer) ? answer['score'] : undefined) : answer
}
