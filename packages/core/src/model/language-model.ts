import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'
import { isObject } from '../shared/records.ts'

/** An AI SDK language model object of specification v2, v3 or v4. */
export type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4

/** One model: a model object, or a `'provider/model'` string. Where others may stand in for it, a setting takes a list of these. */
export type ModelChoice = LanguageModel | string

export function isLanguageModel(value: unknown): value is LanguageModel {
  if (!isObject(value)) return false
  const version = value['specificationVersion']
  return (version === 'v2' || version === 'v3' || version === 'v4') && typeof value['doStream'] === 'function'
}

/** The name by which people know a model: `provider/model`. */
export function modelName(model: ModelChoice): string {
  return typeof model === 'string' ? model : `${model.provider}/${model.modelId}`
}

const SECRETS: unique symbol = Symbol.for('retinue.secrets')

/** Keeps with a model what must never be repeated of its making: the key, whole and line by line. */
export function keepSecrets(model: LanguageModel, key: string | undefined): LanguageModel {
  if (key === undefined) return model
  const values = [key, key.trim(), ...key.split(/\s+/)].filter((value) => value.length >= 4)
  return Object.defineProperty(model, SECRETS, { value: [...new Set(values)].sort((a, b) => b.length - a.length) })
}

export function secretsOf(model: LanguageModel | undefined): readonly string[] {
  return (model as { [SECRETS]?: readonly string[] } | undefined)?.[SECRETS] ?? []
}
