import type { ModuleFact, SkillsFact } from './facts.ts'
import { PROCESSOR_METHODS } from './processor-methods.ts'
import { addedRefusal } from './refusal.ts'
import { fieldRefusals } from './skill-fields.ts'
import { isPlainRecord, isRecord, kindOfValue } from './value-kind.ts'

/** What rules need to know of a module of a skill. `key`: the file's name, which is the skill's where it says no other. */
export function describeSkill(key: string, value: unknown): ModuleFact | undefined {
  if (!isPlainRecord(value) || kindOfValue(value) !== 'object') return undefined
  const skill = { name: key, ...value }
  return { kind: 'skill', name: textOf(skill.name) ?? key, refusals: fieldRefusals(skill) }
}

/** The skills of a config, by name. What is wrong with them, core says. */
export function skillsFact(value: unknown): SkillsFact {
  if (typeof value === 'function') return { form: 'function', names: [] }
  const list = isRecord(value) || Array.isArray(value) ? Object.values(value) : []
  const names = list.flatMap((skill) => (isRecord(skill) ? (textOf(skill['name']) ?? []) : []))
  return { form: list.length > 0 ? 'given' : 'absent', names }
}

const METHODS = Object.values(PROCESSOR_METHODS).flatMap(({ own }) => own)

/** What rules need to know of a processor: an object with methods, of a class or not. */
export function describeProcessor(value: unknown): ModuleFact | undefined {
  const kind = kindOfValue(value)
  if (!isRecord(value) || kind === 'promise' || kind === 'agent' || kind === 'tool') return undefined
  const methods = METHODS.filter((method) => typeof value[method] === 'function')
  const strays = functionsOf(value).filter((name) => name.startsWith('process') && !METHODS.includes(name))
  return { kind: 'processor', id: textOf(value['id']), isPlain: isPlainRecord(value), methods, strays }
}

/** The names of an object's functions, those of its class among them. No getter is called. */
function functionsOf(value: object): readonly string[] {
  const names = new Set<string>()
  for (let at: object | null = value; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value: member }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof member === 'function') names.add(name)
    }
  }
  return [...names]
}

/** What rules need to know of a scorer, or of one with its sampling. */
export function describeScorer(agentName: string, key: string, value: unknown): ModuleFact | undefined {
  const isEntry = isRecord(value) && (typeof value['run'] === 'function' || 'scorer' in value)
  if (!isEntry) return undefined
  return { kind: 'scorer', refused: addedRefusal(agentName, { scorers: { [key]: value } }) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
