import type { Criterion } from './criteria.ts'

/** What a judge says of one criterion. */
export interface CriterionVerdict {
  /** The criterion's id. */
  readonly criterion: string
  readonly satisfied: boolean
  readonly required: boolean
  /** In the judge's words. */
  readonly reasoning: string
}

/** What a judge says of an answer: a verdict for each criterion that is required, and for others that it names, as the rubric has them. */
export interface RubricVerdict {
  readonly criteria: readonly CriterionVerdict[]
  readonly overallAssessment: string
}

/**
 * Reads a judge's answer strictly: each required criterion has exactly one verdict, each other at most one, and there is no other.
 * Anything else is a fault of the judge, since a criterion that nobody judged must not count as met, nor as missed.
 */
export function readVerdict(
  answer: unknown,
  criteria: readonly Criterion[],
): { verdict: RubricVerdict } | { problems: readonly string[] } {
  const { criteria: list, overallAssessment = '' } = asObject(answer)
  if (!Array.isArray(list)) return { problems: ['`criteria` is no list'] }
  if (typeof overallAssessment !== 'string') return { problems: ['`overallAssessment` is no text'] }
  const problems: string[] = []
  const byId = new Map<string, CriterionVerdict>()
  for (const item of list) {
    const read = readOne(item, criteria)
    if (typeof read === 'string') problems.push(read)
    else if (byId.has(read.criterion)) problems.push(`there are two verdicts for "${read.criterion}"`)
    else byId.set(read.criterion, read)
  }
  const verdicts = criteria.flatMap(({ id }) => byId.get(id) ?? [])
  // A verdict that can't be read may have been meant for one of these: that is said once. Nothing hangs on one that is not required,
  // but a judge that names none at all has judged nothing.
  if (problems.length === 0)
    for (const { id, required } of criteria)
      if (!byId.has(id) && (required || verdicts.length === 0)) problems.push(`there is no verdict for "${id}"`)
  return problems.length > 0 ? { problems } : { verdict: { criteria: verdicts, overallAssessment } }
}

function readOne(item: unknown, criteria: readonly Criterion[]): CriterionVerdict | string {
  const { criterion: name, satisfied, reasoning = '' } = asObject(item)
  const criterion = criteria.find(({ id }) => id === name) ?? byDescription(name, criteria)
  if (!criterion) return 'there is a verdict for a criterion that is not in the rubric'
  const { id, required } = criterion
  if (typeof satisfied !== 'boolean') return `\`satisfied\` of "${id}" is neither true nor false`
  if (typeof reasoning !== 'string') return `\`reasoning\` of "${id}" is no text`
  // What is required is for the rubric to say, whatever the judge makes of it.
  return { criterion: id, satisfied, required, reasoning: reasoning.trim() }
}

/** Judges like to repeat a criterion instead of naming its id: that will do where only one reads so. */
function byDescription(name: unknown, criteria: readonly Criterion[]): Criterion | undefined {
  const same = criteria.filter(({ description }) => typeof name === 'string' && description === name.trim())
  return same.length === 1 ? same[0] : undefined
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
