import type { InstructionsFact } from './facts.ts'
import { isRecord, kindOfValue } from './value-kind.ts'

/** What instructions are: text, a system message, a list of those, or a function that gives one of them. */
export function instructionsFact(value: unknown): InstructionsFact {
  const kind = kindOfValue(value)
  if (value === undefined || value === null) return { form: 'absent', blank: true, kind }
  if (typeof value === 'string') return { form: 'text', blank: value.trim() === '', kind, text: value }
  if (typeof value === 'function' && kind === 'function') return { form: 'function', blank: false, kind }
  if (Array.isArray(value)) {
    const parts = value.map((part: unknown) => instructionsFact(part))
    const wrong = parts.some(({ form }) => form !== 'text' && form !== 'message')
    if (wrong || parts.length === 0)
      return { form: 'wrong', blank: false, kind: parts.length === 0 ? 'empty list' : kind }
    const text = parts.map((part) => part.text).join('\n')
    return { form: 'list', blank: parts.every(({ blank }) => blank), kind, text }
  }
  const content = isRecord(value) ? value['content'] : undefined
  if (!isRecord(value) || typeof content !== 'string') return { form: 'wrong', blank: false, kind }
  const isSystem = value['role'] === undefined || value['role'] === 'system'
  return { form: isSystem ? 'message' : 'wrong', blank: content.trim() === '', kind, text: content }
}
