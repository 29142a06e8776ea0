import { UsageError } from '../usage-error.ts'

/** The name of a model that a person gave, by a flag or a variable; undefined where none was. Throws `UsageError`. */
export function modelNameOf(given: string | undefined, from: string): string | undefined {
  if (given === undefined || given === '') return undefined
  if (/^[^/\s]+\/\S/.test(given)) return given
  throw new UsageError(`${from} is "${given}", and a model is called provider/model, such as openai/gpt-5.5`)
}
