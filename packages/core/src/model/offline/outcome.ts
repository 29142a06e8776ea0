import type { LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { stripNotice } from './framing.ts'
import { isRecord, type JsonRecord, parseIfJson } from './json.ts'

/** What a call came to. `value` is a text or JSON; there may be some even where the call did not complete. */
export interface Outcome {
  /** `running`: it goes on in the background. */
  status: 'ok' | 'partial' | 'failed' | 'denied' | 'running'
  /** What the result says about it, word for word. */
  reason: string
  value: unknown
}

export function readOutcome(output: LanguageModelV4ToolResultPart['output']): Outcome {
  switch (output.type) {
    case 'text':
      return fromText(output.value)
    case 'json':
      return fromJson(output.value)
    case 'content':
      return fromText(output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'))
    case 'execution-denied':
      return { status: 'denied', reason: output.reason ?? '', value: '' }
    case 'error-text':
      return { status: 'failed', reason: output.value.trim(), value: '' }
    case 'error-json':
      return { status: 'failed', reason: messageOf(output.value), value: '' }
  }
}

export function isEmptyOutcome(outcome: Outcome): boolean {
  return outcome.status === 'ok' && isEmptyValue(outcome.value)
}

function isEmptyValue(value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (typeof value === 'string')
    return /^\s*(?:no (?:results?|matches|passages|hits|files)\b.{0,80}|nothing (?:was )?found.{0,80})?\s*$/i.test(
      value,
    )
  if (Array.isArray(value)) return value.length === 0
  if (!isRecord(value)) return false
  const lists = Object.values(value).filter(Array.isArray)
  return lists.length > 0 ? lists.every((list) => list.length === 0) : Object.keys(value).length === 0
}

const TROUBLE =
  'partial|failed|rejected|cancelled|canceled|timed[- ]out|over[- ]budget|declined|denied|aborted|incomplete'
const OPENS_WITH_TROUBLE = new RegExp(
  String.raw`^\W{0,3}(?:(?:status|outcome|result)\W{1,3})?(?:${TROUBLE})\s*[\]:.;,()—–-]|^\W{0,3}(?:the |this )?(?:delegation|subagent|agent|call|run)\b.{0,80}\b(?:failed|timed out|was (?:rejected|cancelled|denied|declined|aborted)|did not (?:finish|complete))\b`,
  'i',
)

function fromText(text: string): Outcome {
  const parsed = parseIfJson(text)
  if (typeof parsed !== 'string') return fromJson(parsed)
  const [first = '', ...rest] = stripNotice(text).split('\n')
  const after = rest.join('\n').trim()
  if (/^\W{0,3}(?:tool )?error\b\s*[:!(\-–—]/i.test(first) && first.length <= 600)
    return { status: 'failed', reason: first.trim(), value: after }
  if (STATUS_LINE.test(first) || (first.length <= 400 && OPENS_WITH_TROUBLE.test(first))) {
    return { status: after === '' ? 'failed' : 'partial', reason: first.trim(), value: after }
  }
  return { status: 'ok', reason: '', value: text.trim() }
}

/** `[researcher: partial. It reached its limit of steps.]`: how a parent reads of a delegation that did not complete. */
const STATUS_LINE = new RegExp(String.raw`^\[[\w-]{1,64}: (?:${TROUBLE})\b[^\n]{0,600}\]$`, 'i')

const STATUSES = new Set(TROUBLE.replaceAll('[- ]', '-').split('|'))

function fromJson(value: unknown): Outcome {
  if (!isRecord(value)) return { status: 'ok', reason: '', value }
  const status = typeof value['status'] === 'string' ? value['status'].toLowerCase() : ''
  const envelope =
    typeof value['text'] === 'string' && ('finishReason' in value || STATUSES.has(status) || status === 'completed')
  // A status alone is data: an order may well be "cancelled".
  if (envelope || (STATUSES.has(status) && 'error' in value)) {
    const text = typeof value['text'] === 'string' ? value['text'].trim() : ''
    if (!STATUSES.has(status)) return { status: 'ok', reason: '', value: text }
    const reason = [status, messageOf(value['error'] ?? value['reason'] ?? value['message'] ?? '')]
      .filter(Boolean)
      .join(': ')
    return { status: text === '' ? 'failed' : 'partial', reason, value: text }
  }
  if (isFailure(value)) return { status: 'failed', reason: messageOf(value), value: '' }
  return { status: 'ok', reason: '', value }
}

function isFailure(value: JsonRecord): boolean {
  if (value['ok'] === false || value['success'] === false || value['isError'] === true) return true
  const error = value['error']
  return error !== undefined && error !== null && error !== false && error !== '' && Object.keys(value).length <= 3
}

function messageOf(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  if (isRecord(value)) {
    for (const key of ['message', 'error', 'reason', 'text']) {
      if (value[key] !== undefined) return messageOf(value[key])
    }
  }
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
