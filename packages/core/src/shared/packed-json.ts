import { toJson } from './json.ts'
import { isPlainObject } from './records.ts'

/** A value as plain JSON (bytes and URLs are left to whoever writes it), in which what occurs several times stands once. */
export interface PackedJson {
  /** Texts that occur several times. */
  readonly texts: readonly string[]
  /** Objects and lists that occur several times. */
  readonly shared: readonly unknown[]
  readonly value: unknown
}

/** Stands for a text that occurs several times; its value is the index. */
const TEXT = '$text'
/** Stands for an object that occurs several times. */
const SHARED = '$shared'
/** Wraps an object of a marked kind, by the name of its kind. */
const KIND = '$kind'
const MARKS: readonly string[] = [TEXT, SHARED, KIND]

/** How long a text must be, that a place for it elsewhere is shorter. */
const LONG = 32

/** A kind of objects that must be known again: what marks them is no property that JSON keeps. */
export interface MarkedKind {
  readonly name: string
  is(value: object): boolean
  /** Marks what was read. */
  mark(value: Record<string, unknown>): unknown
}

/**
 * Packs a value, so that a conversation that many records of a run point to is written once. What JSON can't carry is replaced by a
 * text that says so: it is there for people, and nothing goes on from it.
 */
export function packJson(value: unknown, kinds: readonly MarkedKind[] = []): PackedJson {
  const packing: Packing = {
    kinds,
    objects: new Map(),
    texts: new Map(),
    shared: new Map(),
    open: new Set(),
    sharedTexts: [],
    sharedObjects: [],
  }
  count(value, packing)
  const packed = pack(value, packing)
  return { texts: packing.sharedTexts, shared: packing.sharedObjects, value: packed }
}

interface Packing {
  readonly kinds: readonly MarkedKind[]
  /** How often each object, and each long text, was met. */
  readonly objects: Map<object, number>
  readonly texts: Map<string, number>
  /** Where what occurs several times stands. */
  readonly shared: Map<object | string, number>
  /** What of the way down is not done yet, to see circles by. */
  readonly open: Set<object>
  readonly sharedTexts: string[]
  readonly sharedObjects: unknown[]
}

function count(value: unknown, packing: Packing): void {
  if (typeof value === 'string') {
    if (value.length >= LONG) packing.texts.set(value, (packing.texts.get(value) ?? 0) + 1)
    return
  }
  if (typeof value !== 'object' || value === null || !isWalked(value)) return
  const times = (packing.objects.get(value) ?? 0) + 1
  packing.objects.set(value, times)
  if (times > 1) return
  for (const item of Array.isArray(value) ? value : Object.values(value)) count(item, packing)
}

function isWalked(value: object): boolean {
  return Array.isArray(value) || isPlainObject(value)
}

function pack(value: unknown, packing: Packing): unknown {
  if (typeof value === 'string') return packText(value, packing)
  if (typeof value === 'number') return Number.isFinite(value) ? value : unsaved(value, `${value} has no JSON form`)
  if (typeof value === 'boolean' || value === null || value === undefined) return value
  if (typeof value !== 'object') return unsaved(value)
  if (value instanceof Uint8Array || value instanceof URL) return value
  if (!isWalked(value)) {
    const json = toJson(value)
    return json.ok ? escaped(json.value) : unsaved(value, json.reason)
  }
  if (packing.open.has(value)) return '[not saved: it is in a circle]'
  if ((packing.objects.get(value) ?? 0) < 2) return packObject(value, packing)
  const known = packing.shared.get(value)
  if (known !== undefined) return { [SHARED]: known }
  const index = packing.sharedObjects.push(undefined) - 1
  packing.shared.set(value, index)
  packing.sharedObjects[index] = packObject(value, packing)
  return { [SHARED]: index }
}

function packText(text: string, { texts, shared, sharedTexts }: Packing): unknown {
  if ((texts.get(text) ?? 0) < 2) return text
  const index = shared.get(text) ?? sharedTexts.push(text) - 1
  shared.set(text, index)
  return { [TEXT]: index }
}

function packObject(value: object, packing: Packing): unknown {
  packing.open.add(value)
  const packed = Array.isArray(value)
    ? value.map((item) => (item === undefined ? null : pack(item, packing)))
    : packFields(value as Record<string, unknown>, packing)
  packing.open.delete(value)
  return packed
}

function packFields(value: Record<string, unknown>, packing: Packing): unknown {
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  const packed = Object.fromEntries(fields.map(([key, field]) => [key, pack(field, packing)]))
  const kind = packing.kinds.find((each) => each.is(value))
  if (kind) return { [KIND]: kind.name, value: packed }
  return MARKS.some((mark) => Object.hasOwn(packed, mark)) ? { [KIND]: 'plain', value: packed } : packed
}

/** JSON that was made of something else, of which nothing may be mistaken for a mark. */
function escaped(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(escaped)
  const copy = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, escaped(field)]))
  return MARKS.some((mark) => Object.hasOwn(copy, mark)) ? { [KIND]: 'plain', value: copy } : copy
}

function unsaved(value: unknown, reason = `a ${typeof value} has no JSON form`): string {
  return `[not saved: ${reason}]`
}

/** The value that was packed. Objects that were one object are one object again. */
export function unpackJson({ texts, shared, value }: PackedJson, kinds: readonly MarkedKind[] = []): unknown {
  return unpack(value, { texts, shared, kinds, made: [] })
}

interface Unpacking extends Omit<PackedJson, 'value'> {
  readonly kinds: readonly MarkedKind[]
  readonly made: unknown[]
}

function unpack(value: unknown, unpacking: Unpacking): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || value instanceof URL) return value
  if (Array.isArray(value)) return value.map((item) => unpack(item, unpacking))
  const fields = value as Record<string, unknown>
  if (Object.hasOwn(fields, TEXT)) return unpacking.texts[fields[TEXT] as number]
  if (Object.hasOwn(fields, SHARED)) {
    const index = fields[SHARED] as number
    unpacking.made[index] ??= unpack(unpacking.shared[index], unpacking)
    return unpacking.made[index]
  }
  if (!Object.hasOwn(fields, KIND)) return unpackFields(fields, unpacking)
  const made = unpackFields(fields['value'] as Record<string, unknown>, unpacking)
  return unpacking.kinds.find(({ name }) => name === fields[KIND])?.mark(made) ?? made
}

function unpackFields(fields: Record<string, unknown>, unpacking: Unpacking): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, unpack(field, unpacking)]))
}
