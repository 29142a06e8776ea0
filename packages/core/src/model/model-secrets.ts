import type { LanguageModel } from './language-model.ts'

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
