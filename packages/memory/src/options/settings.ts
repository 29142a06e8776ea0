import { type CompiledSchema, compileSchema } from '@retinue/core/memory'
import type {
  MemorySettings,
  Scope,
  SemanticRecallOptions,
  TitleOptions,
  WorkingMemoryOptions,
} from './memory-options.ts'
import { optionInvalid } from './option-errors.ts'
import { DEFAULT_TEMPLATE } from './template.ts'

/** What `MemorySettings` come to, with their defaults. */
export interface Settings {
  /** 0: none. */
  readonly lastMessages: number
  readonly semanticRecall: SemanticRecall | undefined
  readonly workingMemory: WorkingMemorySettings | undefined
  /** `words`: the first words of the question. */
  readonly title: 'words' | TitleOptions | undefined
  readonly readOnly: boolean
}

export interface SemanticRecall {
  readonly topK: number
  readonly before: number
  readonly after: number
  readonly scope: Scope
}

export interface WorkingMemorySettings {
  readonly scope: Scope
  readonly template: string
  /** Undefined: the notes are a text. */
  readonly schema: CompiledSchema | undefined
}

const DEFAULT_LAST_MESSAGES = 10
const DEFAULT_TOP_K = 4
const DEFAULT_RANGE = 1

/** The settings of checked options. Throws `option-invalid` or `schema-unsupported` for a schema that makes no notes. */
export function settingsOf(options: MemorySettings): Settings {
  const { lastMessages = DEFAULT_LAST_MESSAGES, semanticRecall, workingMemory, generateTitle, readOnly } = options
  return {
    lastMessages: lastMessages === false ? 0 : lastMessages,
    semanticRecall: semanticRecall ? recallOf(semanticRecall === true ? {} : semanticRecall) : undefined,
    workingMemory: workingMemory?.enabled ? notesOf(workingMemory) : undefined,
    title: generateTitle === true ? 'words' : generateTitle || undefined,
    readOnly: readOnly ?? false,
  }
}

/** A call's options over the memory's own. One that only turns a thing on or off leaves its details as they are. */
export function mergedOptions(own: MemorySettings, call: MemorySettings): MemorySettings {
  const given = Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined)) as MemorySettings
  return {
    ...own,
    ...given,
    ...onOrOff('semanticRecall', own.semanticRecall, given.semanticRecall),
    ...onOrOff('generateTitle', own.generateTitle, given.generateTitle),
    ...(given.workingMemory ? { workingMemory: { ...own.workingMemory, ...given.workingMemory } } : {}),
  }
}

/** An option that can be a boolean or details, where both say something of it. */
function onOrOff<N extends string, D extends object>(
  name: N,
  own: boolean | D | undefined,
  given: boolean | D | undefined,
): { [K in N]?: boolean | D } {
  if (given === undefined || given === false || typeof own !== 'object') return {}
  return { [name]: given === true ? own : { ...own, ...given } } as { [K in N]: D }
}

function recallOf({ topK = DEFAULT_TOP_K, messageRange, scope = 'resource' }: SemanticRecallOptions): SemanticRecall {
  const range = messageRange ?? DEFAULT_RANGE
  return { topK, scope, ...(typeof range === 'number' ? { before: range, after: range } : range) }
}

function notesOf({ scope = 'resource', template, schema }: WorkingMemoryOptions): WorkingMemorySettings {
  const compiled = schema === undefined ? undefined : compileSchema(schema, 'workingMemory')
  if (compiled && compiled.jsonSchema.type !== 'object')
    throw optionInvalid('workingMemory.schema', 'is a schema of no object', 'schema: z.object({ name: z.string() })')
  return { scope, template: template ?? DEFAULT_TEMPLATE, schema: compiled }
}
