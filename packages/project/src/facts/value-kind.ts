import { isAgent } from '@retinue/core/agent'
import { isTool } from '@retinue/core/tools'
import type { ValueKind } from './facts.ts'

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
