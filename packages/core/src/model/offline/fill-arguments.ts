import type { FillContext } from './fill-context.ts'
import { listedItems } from './fill-list.ts'
import { fillNumber } from './fill-number.ts'
import { fillString } from './fill-string.ts'
import type { JsonRecord } from './json.ts'
import { allowsNull, alternatives, recordAt, resolve, typeOf } from './schema.ts'
import { languageIn } from './signals.ts'
import { conceptsOf } from './synonyms.ts'
import { stem, words } from './tokens.ts'
import { requiredOf } from './tool-card.ts'

/** Either arguments that the request bears out, or the names of those that it does not give. */
export type Filled = { ok: true; value: JsonRecord } | { ok: false; missing: string[] }

export function fillArguments(schema: JsonRecord, context: FillContext): Filled {
  const missing: string[] = []
  const value = fillObject(resolve(schema, schema), { ...context, root: schema, missing, path: '' }, 0)
  return missing.length > 0 ? { ok: false, missing } : { ok: true, value }
}

interface Filling extends FillContext {
  root: JsonRecord
  missing: string[]
  path: string
}

const DEEPEST = 6

function fillObject(schema: JsonRecord, filling: Filling, depth: number): JsonRecord {
  const properties = recordAt(schema, 'properties')
  const required = new Set(requiredOf(schema))
  const filled = new Map<string, unknown>()
  // Required arguments choose first: an optional one must not take the only number of the request.
  const names = Object.keys(properties).sort((a, b) => Number(required.has(b)) - Number(required.has(a)))
  for (const name of names) {
    const property = resolve(properties[name], filling.root)
    const value = fillProperty(name, property, required.has(name), filling, depth)
    if (value !== undefined) filled.set(name, value)
    else if (required.has(name)) miss(name, property, filling)
  }
  // Built from own entries only, so that a property called `__proto__` stays a property.
  return Object.fromEntries(
    Object.keys(properties).flatMap((name) => (filled.has(name) ? [[name, filled.get(name)]] : [])),
  )
}

function miss(name: string, property: JsonRecord, filling: Filling): void {
  const format = property['format'] ?? (typeOf(property) === 'string' ? undefined : typeOf(property))
  filling.missing.push(`\`${filling.path}${name}\`${typeof format === 'string' ? ` (${format})` : ''}`)
}

function fillProperty(name: string, schema: JsonRecord, required: boolean, filling: Filling, depth: number): unknown {
  if ('const' in schema) return required ? schema['const'] : undefined
  const choices = schema['enum']
  if (Array.isArray(choices)) return fillEnum(name, choices, schema, required, filling)
  const others = alternatives(schema)
  if (others.length > 0 && schema['type'] === undefined) {
    for (const other of others) {
      const value = fillProperty(
        name,
        { ...schema, anyOf: undefined, oneOf: undefined, ...resolve(other, filling.root) },
        required,
        filling,
        depth,
      )
      if (value !== undefined) return value
    }
    return fallback(schema, required)
  }
  return fillTyped(name, schema, required, filling, depth) ?? fallback(schema, required)
}

function fillTyped(name: string, schema: JsonRecord, required: boolean, filling: Filling, depth: number): unknown {
  switch (typeOf(schema)) {
    case 'string':
      return fillString(name, schema, required, filling)
    case 'number':
    case 'integer':
      return fillNumber(name, schema, required, filling)
    case 'boolean':
      return required && schema['default'] === undefined ? false : undefined
    case 'array':
      return fillArray(name, schema, required, filling, depth)
    case 'object':
      return fillNested(name, schema, required, filling, depth)
    default:
      return undefined
  }
}

function fallback(schema: JsonRecord, required: boolean): unknown {
  if (!required) return undefined
  if (schema['default'] !== undefined) return schema['default']
  return allowsNull(schema) ? null : undefined
}

function fillNested(name: string, schema: JsonRecord, required: boolean, filling: Filling, depth: number): unknown {
  if (depth >= DEEPEST) return undefined
  const missing: string[] = []
  const value = fillObject(schema, { ...filling, missing, path: `${filling.path}${name}.` }, depth + 1)
  if (missing.length > 0) {
    if (required) filling.missing.push(...missing)
    return required ? {} : undefined
  }
  return required || Object.keys(value).length > 0 ? value : undefined
}

function fillArray(name: string, schema: JsonRecord, required: boolean, filling: Filling, depth: number): unknown {
  const items = resolve(schema['items'], filling.root)
  const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : 50
  let values: unknown[] = []
  if (Array.isArray(items['enum'])) values = items['enum'].filter((choice) => saysChoice(filling.text, choice))
  else if (typeOf(items) === 'object') {
    const value = depth < DEEPEST ? fillNested(name, items, false, filling, depth + 1) : undefined
    values = value === undefined ? [] : [value]
  } else values = listedItems(name, items, required, filling)
  values = values.slice(0, most)
  if (
    values.length === 0 &&
    required &&
    least === 0 &&
    schema['default'] === undefined &&
    !Array.isArray(items['enum'])
  )
    return undefined
  if (values.length === 0 || values.length < least) return undefined
  return values
}

/** A choice that the request names; else the default; else, where one must be made, the first. */
function fillEnum(
  name: string,
  choices: readonly unknown[],
  schema: JsonRecord,
  required: boolean,
  filling: Filling,
): unknown {
  const language = languageIn(filling.text, /source|from/i.test(name) ? 'from' : 'to')
  const spoken =
    language &&
    choices.find(
      (choice) =>
        typeof choice === 'string' && [language.code, language.name.toLowerCase()].includes(choice.toLowerCase()),
    )
  if (spoken !== undefined) return spoken
  const said = choices.filter((choice) => saysChoice(filling.text, choice))
  const literal = said.length > 1 ? placedChoice(name, said, filling.text) : said[0]
  if (literal !== undefined) return literal
  if (!required) return undefined
  const asked = new Set(words(filling.text).flatMap((word) => CHOICE_WORDS.get(word) ?? conceptsOf(word)))
  const alike = choices.find((choice) =>
    words(String(choice)).some((word) => (CHOICE_WORDS.get(word) ?? []).some((kind) => asked.has(kind))),
  )
  return alike ?? schema['default'] ?? choices[0]
}

/** Of two units that are both named, "to" takes the one after "to". */
function placedChoice(name: string, said: readonly unknown[], text: string): unknown {
  const after = (choice: unknown): boolean =>
    new RegExp(`\\b(?:to|into)\\s+${String(choice).replace(/[^\p{L}\p{N}]/gu, '.')}`, 'iu').test(text)
  if (/^(?:to|target)|(?:To|_to|Target)$/.test(name)) return said.find(after) ?? said[0]
  if (/^(?:from|source)|(?:From|_from|Source)$/.test(name)) return said.find((choice) => !after(choice)) ?? said[0]
  return said[0]
}

const CHOICE_WORDS: ReadonlyMap<string, string[]> = new Map(
  Object.entries({
    plus: 'add plus sum addition total together',
    minus: 'subtract minus subtraction less',
    times: 'multiply times multiplication product multiplied',
    over: 'divide divided division over',
    warm: 'celsius metric c',
    cold: 'fahrenheit imperial f',
    first: 'high urgent critical asap important',
    last: 'low minor trivial',
    up: 'asc ascending',
    down: 'desc descending',
  }).flatMap(([kind, list]) => list.split(' ').map((word): [string, string[]] => [word, [kind]])),
)

function saysChoice(text: string, choice: unknown): boolean {
  if (typeof choice === 'number') return words(text).includes(String(choice))
  if (typeof choice !== 'string' || choice === '') return false
  const wanted = words(choice.replace(/[_-]/g, ' ')).map(stem)
  if (wanted.length === 0) return text.includes(choice)
  const said = words(text.replace(/[_-]/g, ' ')).map(stem)
  return said.some((_, at) => wanted.every((word, offset) => said[at + offset] === word))
}
