import { type Kind, kindOf } from './argument-kinds.ts'
import type { Carried } from './carried.ts'
import { datesIn, emailsIn, urlsIn } from './extract.ts'
import { fitted } from './fitted.ts'
import type { JsonRecord } from './json.ts'
import { typeOf } from './schema.ts'
import { nameWords, stem, words } from './tokens.ts'

/** A value under the argument's very name. */
export function sameNamed(name: string, schema: JsonRecord, carried: readonly Carried[]): unknown {
  const own = plain(name)
  return first(
    carried.filter(({ key }) => plain(key) === own),
    schema,
  )
}

/** What no word of the request gives, from what came before: by its name, its kind or its form, where only one fits. */
export function carriedValue(name: string, schema: JsonRecord, carried: readonly Carried[]): unknown {
  const same = sameNamed(name, schema, carried)
  if (same !== undefined) return same
  const type = typeOf(schema)
  if (type === 'array') {
    const lists = carried.filter(({ value }) => Array.isArray(value))
    const told = new Set(words(`${nameWords(name).join(' ')} ${String(schema['description'] ?? '')}`).map(stem))
    const named = lists.filter(({ key }) => nameWords(key).some((word) => told.has(stem(word))))
    return only(named.length > 0 ? named : lists, schema, true)
  }
  const own = nameWords(name).map(stem)
  const close = carried.filter(({ key }) => {
    const theirs = nameWords(key).map(stem)
    const related = own.every((word) => theirs.includes(word)) || theirs.every((word) => own.includes(word))
    return related && own.at(-1) !== undefined && (own.at(-1) === theirs.at(-1) || theirs.at(-1) === 'id')
  })
  const near = only(close, schema)
  if (near !== undefined) return near
  if (type !== 'string') return undefined
  const kind = kindOf(name, schema)
  if (kind === undefined) return undefined
  const form = FORMS[kind]
  if (form)
    return only(
      carried.filter(({ value }) => typeof value === 'string' && form(value)),
      schema,
    )
  // An id serves only where its name says that it is the same thing's: a phone number is no account.
  if (kind !== 'name') return undefined
  return only(
    carried.filter(({ key }) => kindOf(key, {}) === 'name' && ofOneKind(own, nameWords(key).map(stem))),
    schema,
  )
}

const FORMS: Partial<Record<Kind, (value: string) => boolean>> = {
  email: (value) => emailsIn(value)[0]?.text === value,
  url: (value) => urlsIn(value)[0]?.text === value,
  date: (value) => datesIn(value)[0]?.at === 0,
}

const PLACES = new Set(
  'city location place town region country state address origin destination airport where'.split(' ').map(stem),
)

/** Of names, one of a place serves for a place and one of a person for a person. */
function ofOneKind(own: readonly string[], theirs: readonly string[]): boolean {
  const place = (list: readonly string[]): boolean => list.some((word) => PLACES.has(word))
  return place(own) === place(theirs)
}

function plain(name: string): string {
  return nameWords(name).join('')
}

function first(found: readonly Carried[], schema: JsonRecord): unknown {
  for (const { value } of found) {
    const fit = fitting(value, schema)
    if (fit !== undefined) return fit
  }
  return undefined
}

function only(found: readonly Carried[], schema: JsonRecord, longest = false): unknown {
  const fits = found.map(({ value }) => fitting(value, schema)).filter((value) => value !== undefined)
  const different = new Map(fits.map((value) => [JSON.stringify(value), value]))
  if (different.size === 1) return fits[0]
  if (!longest) return undefined
  const several = [...different.values()].filter((value) => Array.isArray(value) && value.length > 1)
  return several.length === 1 ? several[0] : undefined
}

function fitting(value: unknown, schema: JsonRecord): unknown {
  const choices = schema['enum']
  if (Array.isArray(choices)) return choices.includes(value) ? value : undefined
  switch (typeOf(schema)) {
    case 'string': {
      const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
      return text === undefined || text === '' ? undefined : fitted(text, schema, undefined)
    }
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) ? value : undefined
    case 'array':
      return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
        ? value
        : undefined
    default:
      return undefined
  }
}
