import { createScorer, type FinishedScorer, type NewScorer, type Scorer, type ScorerResult } from '@retinue/core/evals'
import { type Criterion, criteriaOf, rubricOf } from './criteria.ts'
import { optionsOf, type RubricScorerOptions } from './options.ts'
import { graderInstructions, gradingPrompt } from './prompt.ts'
import { isSatisfied, reasonOf } from './reason.ts'
import type { RubricVerdict } from './verdict.ts'
import { verdictSchema } from './verdict-schema.ts'

/** What a rubric scorer gives: the verdicts too, where there was a rubric. */
export type RubricResult = ScorerResult<{ reason: string; analyzeStepResult?: RubricVerdict }>

/** A scorer by a rubric. */
export interface RubricScorer extends Scorer {
  run(run: Parameters<Scorer['run']>[0]): Promise<RubricResult>
}

/**
 * Makes a scorer that lets a judge grade the answer by criteria: 1 if all required ones are satisfied, else 0; optional ones are
 * reported. The reason says what is missing, in the judge's words.
 *
 * A judge must give exactly one verdict for each criterion; one repair is asked for. If it does not, or can't be asked, `run` rejects with
 * `scorer-judge-failed`: that is no verdict on the answer. Throws `scorer-invalid` or `option-unknown` for options that make no
 * rubric, such as an empty list; a run that brings such a rubric is rejected with `scorer-invalid`.
 */
export function createRubricScorer(options: RubricScorerOptions): RubricScorer {
  const { id, name, judge, scale, criteria } = optionsOf(options)
  const description = 'Lets a judge grade the answer by a list of criteria.'
  const base = createScorer({
    id,
    name,
    description,
    judge: { ...judge, instructions: graderInstructions(judge.instructions) },
  })
  const fixed = criteria === undefined ? undefined : gradedBy(base, criteriaOf(criteria, id), scale)
  return {
    id,
    name,
    description,
    async run(run) {
      if (fixed) return fixed.run(run)
      const rubric = rubricOf(run)
      if (rubric === undefined) return nothingToJudge(run.runId, scale)
      return gradedBy(base, criteriaOf(rubric, id), scale).run(run)
    },
  }
}

/** The scorer for these criteria: the schema of its judge's answer names them. */
function gradedBy(
  base: NewScorer,
  criteria: readonly Criterion[],
  scale: number,
): FinishedScorer<{ reason: string; analyzeStepResult: RubricVerdict }> {
  return base
    .analyze({
      description: 'Grades the answer by each criterion.',
      outputSchema: verdictSchema(criteria),
      createPrompt: ({ run }) => gradingPrompt(run, criteria),
    })
    .generateScore(({ results }) => (isSatisfied(results.analyzeStepResult) ? scale : 0))
    .generateReason(({ results }) => reasonOf(results.analyzeStepResult, criteria))
}

function nothingToJudge(runId: string | undefined, scale: number): RubricResult {
  const reason = 'There is no rubric for this run, so nothing was judged.'
  return { runId: runId ?? globalThis.crypto.randomUUID(), score: scale, reason }
}
