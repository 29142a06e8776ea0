import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { findsAnything } from './finder-scope.ts'
import type { Evidence } from './instructions.ts'
import { isRecord, type JsonRecord } from './json.ts'
import { type ProductClass, productsIn } from './products.ts'
import { addWords, type Bag } from './rank.ts'
import { conceptsOf } from './synonyms.ts'
import { nameWords, stem, words } from './tokens.ts'

/** What the planner knows of a tool: all of it read from the tool list and the agent's own instructions. */
export interface ToolCard {
  name: string
  description: string
  schema: JsonRecord
  /** Takes a task in words: a subagent, or something that behaves like one. */
  delegation: boolean
  bag: Bag
  /** The stems of the words that its name, description and arguments use as ordinary words. */
  known: ReadonlySet<string>
  consumes: ReadonlySet<ProductClass>
  produces: ReadonlySet<ProductClass>
  /** Works on what others found: it runs after them and is handed their results. */
  transformer: boolean
  /** Says what is wrong with a text; does not replace it. */
  reviewer: boolean
  /** Sends or stores a text that it must be given. */
  carrier: boolean
  /** Finds material on any topic. */
  finder: boolean
  /** … and not of one kind only. */
  anything: boolean
  files: 'list' | 'read' | 'other' | undefined
  /** Where the instructions first mention it. */
  mention: number
  /** The instructions want it in every run. */
  always: boolean
}

export function schemaProperties(schema: JsonRecord): JsonRecord {
  return isRecord(schema['properties']) ? schema['properties'] : {}
}

export function requiredOf(schema: JsonRecord): string[] {
  const list = schema['required']
  return Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : []
}

export function cardsOf(
  tools: LanguageModelV4CallOptions['tools'],
  evidence: ReadonlyMap<string, Evidence>,
): ToolCard[] {
  const cards: ToolCard[] = []
  for (const tool of tools ?? []) {
    if (tool.type !== 'function') continue
    const schema: JsonRecord = isRecord(tool.inputSchema) ? tool.inputSchema : {}
    cards.push(cardOf(tool.name, tool.description ?? '', schema, evidence.get(tool.name)))
  }
  return cards
}

function cardOf(name: string, description: string, schema: JsonRecord, evidence: Evidence | undefined): ToolCard {
  const about = withoutExamples(description)
  const bag: Bag = new Map()
  addWords(bag, nameWords(name), 1.5)
  addWords(bag, words(about), 1)
  for (const [key, value] of Object.entries(schemaProperties(schema))) {
    addWords(bag, nameWords(key), 0.3)
    if (isRecord(value) && typeof value['description'] === 'string') addWords(bag, words(value['description']), 0.3)
    if (isRecord(value) && Array.isArray(value['enum'])) addWords(bag, words(value['enum'].join(' ')), 0.4)
  }
  addWords(bag, words(evidence?.text ?? ''), 0.6)
  const { consumes, produces } = productsIn(`${about}. ${evidence?.text ?? ''}`)
  const files = fileKind(name, about, schema)
  const does = (concept: string): boolean => (bag.get(`~${concept}`) ?? 0) >= 1
  const transformer =
    files === undefined &&
    (consumes.size > 0 || does('write') || does('translate') || does('summarize') || does('review')) &&
    !(does('search') && !consumes.has('material'))
  return {
    name,
    description: description.trim(),
    schema,
    delegation: typeof schemaProperties(schema)['prompt'] === 'object' && requiredOf(schema).join() === 'prompt',
    bag,
    known: knownWords(name, about, schema),
    consumes,
    produces,
    transformer,
    reviewer: does('review') && firstOf('review', about) <= firstOf('write', about),
    carrier:
      !transformer &&
      requiredOf(schema).some((key) => /^(?:text|body|content|contents|message|html|markdown)$/i.test(key)) &&
      (does('send') || does('save') || files === 'other'),
    finder: !transformer && files === undefined && does('search'),
    anything: findsAnything(about, name),
    files,
    mention: evidence?.position ?? Number.MAX_SAFE_INTEGER,
    always: evidence?.always ?? false,
  }
}

/** Capitals inside a sentence are names that a description gives as examples, not words that it uses. */
function knownWords(name: string, about: string, schema: JsonRecord): Set<string> {
  const properties = Object.entries(schemaProperties(schema))
  const told = properties.flatMap(([, value]) =>
    isRecord(value) && typeof value['description'] === 'string' ? [withoutExamples(value['description'])] : [],
  )
  const plain = [about, ...told].map((text) => text.replace(/(?<=[\p{L}\p{N},]\s)\p{Lu}[\p{L}\p{N}]*/gu, ' '))
  const spoken = [...nameWords(name), ...properties.flatMap(([key]) => nameWords(key)), ...plain.flatMap(words)]
  return new Set(spoken.map(stem))
}

/** Where a description first speaks of a concept: what it opens with is what the tool is for. */
function firstOf(concept: string, about: string): number {
  const at = words(about).findIndex((word) => conceptsOf(word).includes(concept))
  return at < 0 ? Number.MAX_SAFE_INTEGER : at
}

function withoutExamples(description: string): string {
  return description.slice(0, 4000).replace(/\(?\b(?:e\.g\.|for example|such as)[^).;]*[).;]?/gi, ' ')
}

const PATH_NAMES = new Set(['path', 'file', 'filename', 'filepath', 'dir', 'directory', 'folder'])

export function isPathName(name: string): boolean {
  return nameWords(name).some((word) => PATH_NAMES.has(word))
}

function fileKind(name: string, about: string, schema: JsonRecord): ToolCard['files'] {
  const inName = new Set(nameWords(name))
  const named = ['file', 'files', 'dir', 'directory', 'folder', 'workspace', 'template', 'templates'].some((w) =>
    inName.has(w),
  )
  const paths = Object.keys(schemaProperties(schema)).filter(isPathName)
  const needed = requiredOf(schema).filter(isPathName)
  const others = requiredOf(schema).filter((key) => !isPathName(key))
  const verb = (...verbs: string[]): boolean => verbs.some((word) => inName.has(word))
  if (!named && paths.length === 0) return undefined
  if (others.length > 0 || verb('write', 'edit', 'delete', 'remove', 'move', 'save', 'create', 'mkdir', 'append')) {
    return paths.length > 0 ? 'other' : undefined
  }
  if (
    needed.length === 0 &&
    (verb('list', 'ls', 'tree', 'glob') || /\blists?\b.*\b(files?|folders?|director)/i.test(about))
  ) {
    return 'list'
  }
  if (verb('list', 'ls', 'tree') && named) return 'list'
  if (paths.length > 0 && (verb('read', 'open', 'cat', 'view', 'load', 'get') || /\b(reads?|opens?)\b/i.test(about)))
    return 'read'
  return paths.length > 0 ? 'other' : undefined
}
