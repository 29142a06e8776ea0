import type { Schema } from '@retinue/core/tools'
import type { Criterion } from './criteria.ts'
import { type RubricVerdict, readVerdict } from './verdict.ts'

/** A Standard Schema, which gives what it checked a type. */
type VerdictSchema = Extract<Schema<RubricVerdict>, { '~standard': unknown }>

/**
 * What a judge must answer to a rubric: JSON Schema tells it the form and the ids; the check is strict about the verdicts, so that a
 * judge that left one out is asked to mend that.
 */
export function verdictSchema(criteria: readonly Criterion[]): VerdictSchema {
  const standard = {
    version: 1,
    vendor: 'retinue',
    jsonSchema: { input: () => jsonSchemaOf(criteria) },
    validate: (value: unknown) => {
      const read = readVerdict(value, criteria)
      return 'verdict' in read ? { value: read.verdict } : { issues: read.problems.map((message) => ({ message })) }
    },
  } as const
  return { '~standard': standard }
}

function jsonSchemaOf(criteria: readonly Criterion[]): object {
  const criterion = {
    type: 'object',
    properties: {
      criterion: { type: 'string', enum: criteria.map(({ id }) => id) },
      reasoning: { type: 'string' },
      satisfied: { type: 'boolean' },
      required: { type: 'boolean' },
    },
    required: ['criterion', 'reasoning', 'satisfied', 'required'],
    additionalProperties: false,
  }
  return {
    type: 'object',
    properties: { criteria: { type: 'array', items: criterion }, overallAssessment: { type: 'string' } },
    required: ['criteria', 'overallAssessment'],
    additionalProperties: false,
  }
}
