import type { Criterion } from './criteria.ts'
import type { CriterionVerdict, RubricVerdict } from './verdict.ts'

/** Whether every required criterion is met. */
export function isSatisfied({ criteria }: RubricVerdict): boolean {
  return criteria.every(({ satisfied, required }) => satisfied || !required)
}

/** Why a rubric is satisfied or not: first what has to be mended, then what could be, then what is met. */
export function reasonOf(verdict: RubricVerdict, criteria: readonly Criterion[]): string {
  const { overallAssessment } = verdict
  const unmet = verdict.criteria.filter(({ satisfied, required }) => !satisfied && required)
  const optional = verdict.criteria.filter(({ satisfied, required }) => !satisfied && !required)
  const met = verdict.criteria.filter(({ satisfied }) => satisfied)
  const required = verdict.criteria.filter((each) => each.required).length
  const line = (each: CriterionVerdict): string => lineOf(each, criteria)
  const head =
    unmet.length === 0
      ? 'The rubric is satisfied.'
      : `The rubric is not satisfied: ${unmet.length} of ${required} required criteria are not met.`
  return [
    head,
    ...section('To mend', unmet.map(line)),
    ...section('Optional, not met', optional.map(line)),
    ...section('Met', met.map(line)),
    ...(overallAssessment.trim() ? [`Overall: ${overallAssessment.trim()}`] : []),
  ].join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines]
}

function lineOf({ criterion, satisfied, reasoning }: CriterionVerdict, criteria: readonly Criterion[]): string {
  const description = criteria.find(({ id }) => id === criterion)?.description ?? criterion
  // What is met needs no words.
  return satisfied || reasoning === '' ? `- ${description}` : `- ${description}: ${reasoning}`
}
