import { isRecord } from './is-record.ts'
import type {
  MemoryOptions,
  MemorySettings,
  SemanticRecallOptions,
  TitleOptions,
  WorkingMemoryOptions,
} from './memory-options.ts'
import { assertKnown, optionInvalid } from './option-errors.ts'

const OPTIONS: Readonly<Record<keyof MemoryOptions, true>> = {
  storage: true,
  vector: true,
  embedder: true,
  options: true,
}
const SETTINGS: Readonly<Record<keyof MemorySettings, true>> = {
  lastMessages: true,
  semanticRecall: true,
  workingMemory: true,
  generateTitle: true,
  readOnly: true,
}
const RECALL: Readonly<Record<keyof SemanticRecallOptions, true>> = { topK: true, messageRange: true, scope: true }
const NOTES: Readonly<Record<keyof WorkingMemoryOptions, true>> = {
  enabled: true,
  scope: true,
  template: true,
  schema: true,
}
const TITLE: Readonly<Record<keyof TitleOptions, true>> = { model: true, instructions: true }

/** Throws `option-invalid` or `option-unknown` for options that make no memory. */
export function assertOptions(given: unknown): asserts given is MemoryOptions {
  if (!isRecord(given)) throw optionInvalid('options', 'is no object', 'new Memory({ options: { lastMessages: 20 } })')
  assertKnown(given, Object.keys(OPTIONS), '')
  const { storage, vector, embedder, options } = given
  if (
    storage !== undefined &&
    !(isRecord(storage) && isRecord(storage['threads']) && isRecord(storage['workingMemory']))
  )
    throw optionInvalid('storage', 'is no storage', "new LibSQLStore({ id: 'store', url: 'file:app.db' })")
  if (vector !== undefined && !(isRecord(vector) && typeof vector['upsert'] === 'function'))
    throw optionInvalid('vector', 'is no vector store', "new LibSQLVector({ id: 'vectors', url: 'file:app.db' })")
  if (embedder !== undefined && !(isRecord(embedder) && typeof embedder['doEmbed'] === 'function'))
    throw optionInvalid('embedder', 'is no embedding model', "openai.embedding('text-embedding-3-small')")
  if (options !== undefined) assertSettings(options, 'options.')
  assertPair(vector, embedder)
}

/** Vectors need both: somebody who gave one of them and got search by words would never know. */
function assertPair(vector: unknown, embedder: unknown): void {
  if ((vector === undefined) === (embedder === undefined)) return
  const [given, missing] = vector === undefined ? ['embedder', 'vector'] : ['vector', 'embedder']
  throw optionInvalid(
    given,
    `has no \`${missing}\` beside it, so that nothing can be recalled by meaning`,
    `Give the memory both, or neither.`,
  )
}

/** Throws `option-invalid` or `option-unknown` for settings of a memory, or of a call. */
export function assertSettings(given: unknown, prefix: string): asserts given is MemorySettings {
  if (!isRecord(given)) throw optionInvalid('options', 'is no object', 'options: { lastMessages: 20 }')
  assertKnown(given, Object.keys(SETTINGS), prefix)
  const { lastMessages, semanticRecall, workingMemory, generateTitle, readOnly } = given
  if (lastMessages !== false)
    assertWhole(`${prefix}lastMessages`, lastMessages, 0, 'lastMessages: 20, or false for none')
  if (!isFlag(semanticRecall)) assertRecall(semanticRecall, `${prefix}semanticRecall`)
  if (workingMemory !== undefined) assertNotes(workingMemory, `${prefix}workingMemory`)
  if (!isFlag(generateTitle)) assertTitle(generateTitle, `${prefix}generateTitle`)
  if (!isFlag(readOnly)) throw optionInvalid(`${prefix}readOnly`, `is ${String(readOnly)}`, 'It is true or false.')
}

function assertRecall(given: unknown, option: string): void {
  if (!isRecord(given))
    throw optionInvalid(option, 'is neither true, false nor an object', 'semanticRecall: { topK: 4 }')
  assertKnown(given, Object.keys(RECALL), `${option}.`)
  const { topK, messageRange, scope } = given
  assertWhole(`${option}.topK`, topK, 1, 'topK: 4')
  if (isRecord(messageRange)) {
    assertKnown(messageRange, ['before', 'after'], `${option}.messageRange.`)
    for (const side of ['before', 'after']) {
      const hint = 'messageRange: { before: 1, after: 1 }'
      if (messageRange[side] === undefined) throw optionInvalid(`${option}.messageRange`, `has no \`${side}\``, hint)
      assertWhole(`${option}.messageRange.${side}`, messageRange[side], 0, hint)
    }
  } else assertWhole(`${option}.messageRange`, messageRange, 0, 'messageRange: 1')
  assertScope(`${option}.scope`, scope)
}

function assertNotes(given: unknown, option: string): void {
  if (!isRecord(given)) throw optionInvalid(option, 'is no object', 'workingMemory: { enabled: true }')
  assertKnown(given, Object.keys(NOTES), `${option}.`)
  const { enabled, scope, template, schema } = given
  if (typeof enabled !== 'boolean')
    throw optionInvalid(`${option}.enabled`, `is ${String(enabled)}`, 'workingMemory: { enabled: true }')
  assertScope(`${option}.scope`, scope)
  if (template !== undefined && typeof template !== 'string')
    throw optionInvalid(`${option}.template`, 'is no text', "template: '# The person\\n- Name:'")
  if (template !== undefined && schema !== undefined)
    throw optionInvalid(
      option,
      'has a template and a schema',
      'Notes are a text with a template, or an object with a schema.',
    )
}

function assertTitle(given: unknown, option: string): void {
  const hint = "generateTitle: true, or { model: 'openai/gpt-5.5-mini' }"
  if (!isRecord(given)) throw optionInvalid(option, 'is neither true, false nor an object', hint)
  assertKnown(given, Object.keys(TITLE), `${option}.`)
  if (given['model'] === undefined) throw optionInvalid(option, 'has no model', hint)
}

function assertScope(option: string, scope: unknown): void {
  if (scope === undefined || scope === 'thread' || scope === 'resource') return
  throw optionInvalid(option, `is ${JSON.stringify(scope)}`, "It can be 'thread' or 'resource'.")
}

function assertWhole(option: string, value: unknown, least: number, hint: string): void {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= least)) return
  throw optionInvalid(option, `is ${String(value)}, and no whole number of ${least} or more`, hint)
}

function isFlag(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean'
}
