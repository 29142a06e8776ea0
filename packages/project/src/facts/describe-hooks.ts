import { DELEGATION_OPTIONS } from './delegation-options.ts'
import type { ModuleFact } from './facts.ts'
import { isPlainRecord, isRecord, kindOfValue } from './value-kind.ts'

/** What rules need to know of a module of delegation hooks; `undefined` if its default export can't hold any. */
export function describeHooks(value: unknown, exported: readonly string[]): ModuleFact | undefined {
  if (!isPlainRecord(value) || kindOfValue(value) !== 'object') return undefined
  const members = Object.entries(value).map(([name, member]) => {
    return { name, kind: kindOfValue(member), text: typeof member === 'string' ? member : undefined }
  })
  const named = exported.filter((name) => DELEGATION_OPTIONS.has(name) && !Object.hasOwn(value, name))
  return { kind: 'hooks', members, named }
}

/** The names of the delegation options that default options set: as for a call, `undefined` sets none. */
export function delegationSet(defaultOptions: unknown): string[] {
  const delegation = isRecord(defaultOptions) ? defaultOptions['delegation'] : undefined
  if (!isRecord(delegation)) return []
  return Object.keys(delegation).filter((name) => delegation[name] !== undefined)
}
