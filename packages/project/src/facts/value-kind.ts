import { isAgent } from '@retinue/core/agent'
import { isTool } from '@retinue/core/tools'
import type { ModelFact, ValueKind } from './facts.ts'

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is a plain object, of this realm or another. */
export function isPlainRecord(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

export function kindOfValue(value: unknown): ValueKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'function')
    return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function'
  if (!isRecord(value)) return typeof value
  if (isAgent(value)) return 'agent'
  if (typeof value['then'] === 'function') return 'promise'
  if (isTool(value)) return 'tool'
  return isPlainRecord(value) ? 'object' : `object of class ${className(value)}`
}

function className(value: object): string {
  const made: unknown = value.constructor
  return typeof made === 'function' && made.name !== '' ? made.name : 'unknown'
}

/** What is known of a model before it is used. */
export function modelFact(value: unknown): ModelFact {
  const kind = kindOfValue(value)
  if (value === undefined || value === null) return { form: 'absent', label: '', kind }
  if (typeof value === 'string') return { form: value.trim() === '' ? 'absent' : 'given', label: value, kind }
  if (typeof value === 'function') return { form: 'given', label: '(a function chooses it)', kind }
  if (Array.isArray(value)) {
    const models = value.map((entry: unknown) =>
      modelFact(isRecord(entry) && 'model' in entry ? entry['model'] : entry),
    )
    if (models.length === 0) return { form: 'absent', label: '', kind: 'empty list' }
    const wrong = models.find(({ form }) => form !== 'given')
    if (wrong !== undefined) return { form: 'wrong', label: '', kind: `list that holds ${wrong.kind}` }
    return { form: 'given', label: models.map(({ label }) => label).join(', '), kind }
  }
  if (!isRecord(value) || typeof value['specificationVersion'] !== 'string') return { form: 'wrong', label: '', kind }
  const { provider, modelId } = value
  return {
    form: 'given',
    label: [provider, modelId].filter((part) => typeof part === 'string').join('/'),
    kind: 'model',
  }
}
