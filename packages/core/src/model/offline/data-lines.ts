import { isRecord } from './json.ts'
import { cutAt } from './tokens.ts'

const MOST_LINES = 20

/** Values that are no prose, each beside its key, as they were returned. */
export function dataLines(value: unknown): string[] {
  const lines: string[] = []
  write(value, '', lines, 0)
  return lines.slice(0, MOST_LINES)
}

function write(value: unknown, key: string, lines: string[], depth: number): void {
  if (lines.length > MOST_LINES || depth > 6 || value === null || value === undefined) return
  if (Array.isArray(value)) {
    if (value.every((each) => !isRecord(each) && !Array.isArray(each)))
      lines.push(labelled(key, value.slice(0, 50).map(shown).join(', ')))
    else for (const each of value.slice(0, MOST_LINES)) write(each, key, lines, depth + 1)
  } else if (isRecord(value)) {
    const entries = Object.entries(value)
    const flat = entries.filter(
      ([, each]) => !isRecord(each) && !Array.isArray(each) && each !== null && each !== undefined,
    )
    if (flat.length > 0) lines.push(labelled(key, flat.map(([name, each]) => `${name}: ${shown(each)}`).join('; ')))
    for (const [name, each] of entries) if (isRecord(each) || Array.isArray(each)) write(each, name, lines, depth + 1)
  } else lines.push(labelled(key, shown(value)))
}

function labelled(key: string, text: string): string {
  return key === '' ? text : `${key}: ${text}`
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return String(value)
  return `“${cutAt(value.split('\n')[0] ?? '', 300)}”`
}

const VALUE = String.raw`(?:“[^“”]{0,301}”|-?\d[\d.,eE+-]*|true|false)`
const FIELD = String.raw`[\p{L}\p{N}_$@][\p{L}\p{N}_$@. -]{0,60}: ${VALUE}(?:, ${VALUE}){0,60}`
const DATA_LINE = new RegExp(String.raw`^(?:[\p{L}\p{N}_$@.-]{1,60}: )?${FIELD}(?:; ${FIELD}){0,40}$`, 'u')

/** Whether a line is one that this planner wrote for values: it is passed on as it is, never put in quotation marks. */
export function isDataLine(line: string): boolean {
  return line.length <= 4000 && DATA_LINE.test(line)
}

/** The values of such lines, by the last name before each; quotation marks off, numbers as numbers. */
export function fieldsOf(line: string): { key: string; value: unknown }[] {
  return [...line.matchAll(new RegExp(String.raw`([\p{L}\p{N}_$@.-]{1,60}): (${VALUE}(?:, ${VALUE})*)`, 'gu'))].map(
    ([, key = '', shown = '']) => {
      const values = [...shown.matchAll(new RegExp(VALUE, 'gu'))].map(([value]) => readValue(value))
      return { key, value: values.length === 1 ? values[0] : values }
    },
  )
}

function readValue(shown: string): unknown {
  if (shown.startsWith('“')) return shown.slice(1, -1)
  if (shown === 'true' || shown === 'false') return shown === 'true'
  const number = Number(shown)
  return Number.isFinite(number) ? number : shown
}
