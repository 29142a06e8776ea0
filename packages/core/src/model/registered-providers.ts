import { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'
import { isLanguageModel, type LanguageModel } from './language-model.ts'

/** A provider of an application's own: a function from a model's name to a model, or an AI SDK provider object. */
export type RegisteredProvider =
  | ((modelId: string) => LanguageModel)
  | { languageModel(modelId: string): LanguageModel }

/** Providers by the name that stands before the slash of `'provider/model'`. */
export type Providers = Readonly<Record<string, RegisteredProvider>>

/** The model of a registered provider; undefined if none is registered under that name. Throws `model-invalid`. */
export function registeredModel(
  providers: Providers | undefined,
  name: string,
  modelId: string,
): LanguageModel | undefined {
  if (!providers || !Object.hasOwn(providers, name)) return undefined
  const provider: unknown = providers[name]
  const model: unknown =
    isObject(provider) && typeof provider['languageModel'] === 'function'
      ? provider['languageModel'](modelId)
      : typeof provider === 'function'
        ? provider(modelId)
        : undefined
  if (isLanguageModel(model)) return model
  throw new RetinueError({
    code: 'model-invalid',
    message: `The registered provider "${name}" gave no language model for "${modelId}".`,
    hint: 'Register a function (modelId) => model, or an AI SDK provider, of specification v2, v3 or v4.',
    data: { provider: name, model: modelId },
  })
}
