import { knownProviders, packageOf } from '@retinue/core'
import type { ModelFact } from './facts.ts'
import { isRecord, kindOfValue } from './value-kind.ts'

/** What is known of a model before it is used. */
export function modelFact(value: unknown): ModelFact {
  const kind = kindOfValue(value)
  const fact = (form: ModelFact['form'], label = '', more: Partial<ModelFact> = {}): ModelFact => {
    return { form, label, kind, malformed: [], providers: [], strangers: [], ...more }
  }
  if (value === undefined || value === null) return fact('absent')
  if (typeof value === 'string') return value.trim() === '' ? fact('absent', value) : fact('given', value, named(value))
  if (typeof value === 'function') return fact('given', '(a function chooses it)')
  if (Array.isArray(value)) return listFact(value)
  if (!isLanguageModel(value)) return fact('wrong')
  const { provider, modelId } = value
  const label = [provider, modelId].filter((part) => typeof part === 'string').join('/')
  return fact('given', label, { kind: 'model' })
}

function listFact(list: readonly unknown[]): ModelFact {
  const models = list.map((entry) => modelFact(isRecord(entry) && 'model' in entry ? entry['model'] : entry))
  const malformed = models.flatMap((model) => model.malformed)
  const providers = models.flatMap((model) => model.providers)
  const strangers = models.flatMap((model) => model.strangers)
  const fact = { label: '', kind: 'list', malformed, providers, strangers }
  if (models.length === 0) return { ...fact, form: 'absent', kind: 'empty list' }
  const wrong = models.find(({ form }) => form !== 'given')
  if (wrong !== undefined) return { ...fact, form: 'wrong', kind: `list that holds ${wrong.kind}` }
  return { ...fact, form: 'given', label: models.map(({ label }) => label).join(', ') }
}

/** What can be said of `provider/model` without asking the provider. */
function named(name: string): Pick<ModelFact, 'malformed' | 'providers' | 'strangers'> {
  const slash = name.indexOf('/')
  if (slash < 1 || slash === name.length - 1 || name !== name.trim()) {
    return { malformed: [name], providers: [], strangers: [] }
  }
  const provider = name.slice(0, slash)
  const known = knownProviders()
  return known.includes(provider)
    ? { malformed: [], providers: [{ name: provider, package: packageOf(provider) }], strangers: [] }
    : { malformed: [], providers: [], strangers: [{ name: provider, known }] }
}

/** An AI SDK model of a specification that core takes. */
function isLanguageModel(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value) || typeof value['doStream'] !== 'function') return false
  return ['v2', 'v3', 'v4'].includes(String(value['specificationVersion']))
}
