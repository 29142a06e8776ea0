import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { CompiledSchema } from '../tools/schema.ts'

/**
 * A schema that remembers what was wrong with the last answer: the error of the run that checks it quotes the answer, and that must
 * not get into what a scorer says of its judge.
 */
export class WatchedSchema implements StandardSchemaV1<unknown, unknown> {
  readonly compiled: CompiledSchema
  /** Undefined where there was nothing to check, since the answer was no JSON. */
  issues: string | undefined

  constructor(compiled: CompiledSchema) {
    this.compiled = compiled
  }

  forget(): void {
    this.issues = undefined
  }

  get '~standard'(): StandardSchemaV1.Props<unknown, unknown> & { jsonSchema: { input: () => object } } {
    return {
      version: 1,
      vendor: 'retinue',
      jsonSchema: { input: () => this.compiled.jsonSchema },
      validate: async (value) => {
        const checked = await this.compiled.check(value)
        this.issues = checked.ok ? undefined : checked.issues
        return checked.ok ? { value: checked.value } : { issues: [{ message: checked.issues }] }
      },
    }
  }
}
