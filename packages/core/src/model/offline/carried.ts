import type { Conversation } from './conversation.ts'
import { fieldsOf, isDataLine } from './data-lines.ts'
import { stripNotice } from './framing.ts'
import type { Results } from './handed.ts'
import { isRecord, type JsonRecord, parseIfJson } from './json.ts'
import type { Stage } from './stage.ts'
import { nameWords } from './tokens.ts'

/** A value that an earlier step of the turn brought, under the name that it had there. */
export interface Carried {
  key: string
  value: unknown
}

const MOST = 200
const NAMES = ['name', 'title', 'label', 'text', 'item']

/** The values that a stage may take over: of the stages that it waited for, and of the material that it was handed. */
export function carriedTo(stage: Stage, conversation: Conversation, results: Results): Carried[] {
  const found: Carried[] = []
  for (const before of stage.after) {
    if (before.card.files !== undefined) continue
    for (const call of results.get(before) ?? []) {
      if (call.outcome?.status !== 'ok') continue
      const { value } = call.outcome
      collect(typeof value === 'string' ? readBlock(value) : value, '', found, 0)
    }
  }
  for (const { text } of conversation.materials) collect(readBlock(text), '', found, 0)
  return found.slice(0, MOST)
}

function collect(value: unknown, key: string, found: Carried[], depth: number): void {
  if (depth > 5 || found.length >= MOST || value === null || value === undefined) return
  if (Array.isArray(value)) {
    const names = value.slice(0, 50).flatMap(nameOf)
    if (names.length > 0 && names.length === Math.min(50, value.length)) found.push({ key, value: names })
    // Of several records none is the one that is meant.
    if (value.length === 1) collect(value[0], key, found, depth + 1)
  } else if (isRecord(value)) {
    // A record of its own kind is called by it: the `id` of a `user` is a `userId`.
    for (const [name, each] of Object.entries(value)) {
      const full = /^(?:id|name|email)$/i.test(name) && key !== '' ? `${singular(key)} ${name}` : name
      collect(each, full, found, depth + 1)
    }
    const [name] = nameOf(value)
    if (key !== '' && name !== undefined) found.push({ key, value: [name] })
  } else if (key !== '') found.push({ key, value })
}

function nameOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (!isRecord(value)) return []
  const name = NAMES.map((key) => value[key]).find((each) => typeof each === 'string')
  return typeof name === 'string' ? [name] : []
}

function singular(key: string): string {
  const plain = nameWords(key).join(' ')
  return /^(?:results?|data|items?|hits?|records?|matches|values?)$/.test(plain) ? '' : plain.replace(/s$/, '')
}

/** The answer of an agent below, as the data that it sets out. */
function readBlock(text: string): unknown {
  const plain = stripNotice(text)
  const parsed = parseIfJson(plain.trim())
  if (typeof parsed !== 'string') return parsed
  const record: JsonRecord = {}
  const lists = new Map<string, JsonRecord[]>()
  for (const raw of plain.slice(0, 40_000).split('\n')) {
    const line = raw
      .trim()
      .replace(/^From `[^`]{1,80}`(?: \([^)]{0,100}\))?:\s*/, '')
      .replace(/^[-*]\s+/, '')
    if (!isDataLine(line)) continue
    const lead = /^([^:“”]{1,60}): (?=[^:“”]{1,60}: )/.exec(line)?.[1]
    const fields = Object.fromEntries(fieldsOf(line).map(({ key, value }) => [key, value]))
    if (lead === undefined) for (const [key, value] of Object.entries(fields)) record[key] ??= value
    else lists.set(lead, [...(lists.get(lead) ?? []), fields])
  }
  return { ...record, ...Object.fromEntries(lists) }
}
