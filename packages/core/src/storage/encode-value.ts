import { base64 } from '../messages/file-data.ts'
import { isObject, isPlainObject } from '../shared/records.ts'
import { valueRefused } from './storage-errors.ts'

/**
 * How long the JSON of one value (a message, metadata, a text) may be, in UTF-16 code units. Files of several megabytes fit; what is
 * longer belongs in a file store, with a link here.
 */
export const MAX_VALUE_LENGTH = 16_000_000

/** Nesting at which a value is refused: deeper ones overflow the stack of whoever prints them. */
const MAX_DEPTH = 1000

/** Marks an object that stands for what JSON has no form for. An object that has this key itself is wrapped, so nothing is mistaken. */
const TAG = '$retinue'

/**
 * A value as JSON text that `decodeValue` gives back equal: plain JSON, `-0`, URLs and bytes. Whatever else would come back different
 * (NaN, dates, maps, functions, `undefined` in a list, a list with properties of its own, what makes its own JSON, cycles, what is too
 * long or too deep) is refused, with the way to it. A property that is `undefined` counts as absent. `place` names the value in errors.
 */
export function encodeValue(value: unknown, place: string): string {
  const walk: Walk = { place, keys: [], tagged: false, length: 0 }
  inspect(value, walk)
  const text = JSON.stringify(walk.tagged ? withTags(value) : value)
  if (text.length > MAX_VALUE_LENGTH) throw tooLong(place, text.length)
  return text
}

/** The value of a text that `encodeValue` made; throws for any other text. */
export function decodeValue(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return text.includes(`"${TAG}"`) ? withoutTags(value) : value
}

interface Walk {
  readonly place: string
  readonly keys: (string | number)[]
  /** Whether something was met that needs a tag. */
  tagged: boolean
  /** Of the texts met so far: to print a value that is too long anyway could take all memory. */
  length: number
}

function inspect(value: unknown, walk: Walk): void {
  switch (typeof value) {
    case 'string':
      walk.length += value.length
      if (walk.length > MAX_VALUE_LENGTH) throw tooLong(walk.place, walk.length)
      return
    case 'boolean':
      return
    case 'number':
      if (!Number.isFinite(value)) throw refused(walk, `${value} has no JSON form`)
      if (Object.is(value, -0)) walk.tagged = true
      return
    case 'object':
      if (value !== null) inspectObject(value, walk)
      return
    default:
      throw refused(walk, `${value === undefined ? 'undefined' : `a ${typeof value}`} has no JSON form`)
  }
}

function inspectObject(value: object, walk: Walk): void {
  if (value instanceof Uint8Array || value instanceof URL) {
    walk.tagged = true
    walk.length += value instanceof URL ? value.href.length : Math.ceil(value.byteLength / 3) * 4
    if (walk.length > MAX_VALUE_LENGTH) throw tooLong(walk.place, walk.length)
    return
  }
  if (walk.keys.length >= MAX_DEPTH)
    throw refused(walk, `it is in a circle or nested more than ${MAX_DEPTH} levels deep`)
  if (!Array.isArray(value) && !isPlainObject(value))
    throw refused(walk, `a value of type ${typeName(value)} would not come back as it is`)
  // It need not be among the keys.
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function')
    throw refused(walk, 'it makes its own JSON (`toJSON`)')
  if (Object.getOwnPropertySymbols(value).length > 0) throw refused(walk, 'a symbol as a key has no JSON form')
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) inspectAt(value[index], index, walk)
    if (Object.keys(value).length > value.length)
      throw refused(walk, 'a list with properties of its own has no JSON form')
    return
  }
  if (Object.hasOwn(value, TAG)) walk.tagged = true
  for (const key of Object.keys(value)) {
    walk.length += key.length
    const property = value[key]
    if (property !== undefined) inspectAt(property, key, walk)
  }
}

function inspectAt(value: unknown, key: string | number, walk: Walk): void {
  walk.keys.push(key)
  inspect(value, walk)
  walk.keys.pop()
}

/** A copy in which whatever JSON has no form for is a tagged object. Only for values that `inspect` let pass. */
function withTags(value: unknown): unknown {
  if (Object.is(value, -0)) return { [TAG]: 'negative-zero' }
  if (value instanceof URL) return { [TAG]: 'url', value: value.href }
  if (value instanceof Uint8Array) return { [TAG]: 'bytes', value: base64(value) }
  if (Array.isArray(value)) return value.map(withTags)
  if (!isObject(value)) return value
  // Through entries, so that a key `__proto__` is a property like others.
  const copy = Object.fromEntries(Object.entries(value).map(([key, property]) => [key, withTags(property)]))
  return Object.hasOwn(value, TAG) ? { [TAG]: 'object', value: copy } : copy
}

/** Undoes `withTags`, in place: `JSON.parse` made the value for us alone. */
function withoutTags(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = withoutTags(value[index])
    return value
  }
  if (!isObject(value)) return value
  if (!Object.hasOwn(value, TAG)) return withoutTagsWithin(value)
  switch (value[TAG]) {
    case 'negative-zero':
      return -0
    case 'url':
      return new URL(value['value'] as string)
    case 'bytes':
      return bytes(value['value'] as string)
    case 'object':
      return withoutTagsWithin(value['value'] as Record<string, unknown>)
    default:
      throw new TypeError(`unknown tag ${JSON.stringify(value[TAG])}`)
  }
}

function withoutTagsWithin(object: Record<string, unknown>): Record<string, unknown> {
  // `__proto__` is an own property here, as `JSON.parse` makes it, so that assigning changes it and not the prototype.
  for (const key of Object.keys(object)) object[key] = withoutTags(object[key])
  return object
}

function bytes(text: string): Uint8Array {
  const binary = atob(text)
  return Uint8Array.from({ length: binary.length }, (_none, index) => binary.charCodeAt(index))
}

function refused({ place, keys }: Walk, reason: string): Error {
  return valueRefused(pathTo(place, keys), reason)
}

/** At which depth a path ends in an error: what is a thousand levels deep is not found by its path. */
const SHOWN_KEYS = 12

function pathTo(place: string, keys: readonly (string | number)[]): string {
  const shown = keys
    .slice(0, SHOWN_KEYS)
    .map((key) =>
      typeof key === 'number' ? `[${key}]` : /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 80))}]`,
    )
  return `${place}${shown.join('')}${keys.length > SHOWN_KEYS ? '…' : ''}`
}

function tooLong(place: string, length: number): Error {
  return valueRefused(place, `its JSON is longer than ${MAX_VALUE_LENGTH} characters`, {
    length,
    limit: MAX_VALUE_LENGTH,
  })
}

function typeName(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}
