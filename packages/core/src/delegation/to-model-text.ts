import type { JSONValue } from '@ai-sdk/provider'
import { modelSafeMessage } from '../errors/retinue-error.ts'
import { disarm, disarmJson } from '../messages/framework-note.ts'
import type { ToolOutput } from '../messages/message.ts'
import { assertNever } from '../shared/assert-never.ts'
import { toJson } from '../shared/json.ts'
import type { DelegationEnvelope } from './envelope.ts'

/** What the parent's model reads of a delegation: the answer, and for anything but a finished one a line that says what happened. */
export function toModelText(key: string, envelope: DelegationEnvelope): string {
  const text = disarm(envelope.text)
  if (envelope.status === 'completed') return text
  const line = `[${key}: ${envelope.status}. ${whatHappened(envelope)}]`
  return text.trim() === '' ? line : `${line}\n${text}`
}

/** The whole envelope as JSON, for a parent that asked for it: bytes by type and size, no provider's words. */
export function toModelJson(envelope: DelegationEnvelope): ToolOutput {
  const { error, files, ...rest } = envelope
  const shown = {
    ...rest,
    ...(error ? { error: { code: error.code, message: whatHappened(envelope) } } : {}),
    files: files.map((file) =>
      'url' in file ? file : { mediaType: file.mediaType, bytes: Math.floor((file.data.length * 3) / 4) },
    ),
  }
  const json = toJson(shown)
  return {
    type: 'json',
    value: disarmJson(json.ok ? json.value : ({ status: envelope.status, text: envelope.text } as JSONValue)),
  }
}

/** Why a delegation is not completed, in words that hold nothing of a provider's. */
export function whatHappened({ finishReason, error, text }: DelegationEnvelope): string {
  switch (finishReason) {
    case 'stop':
      return error && error.code !== 'model-answer-empty' ? modelSafeMessage(error) : 'It ended without an answer.'
    case 'length':
      return 'Its answer was cut off at the longest that its model gives.'
    case 'max-steps':
      return `It reached its limit of steps${text.trim() === '' ? ' without a final answer' : ''}.`
    case 'aborted':
      return 'It was cancelled.'
    case 'content-filter':
      return 'Its provider filtered the answer.'
    case 'tool-calls':
      return 'It waits for a tool that only a client can run.'
    case 'other':
      return 'Its model ended for a reason that its provider does not tell.'
    case 'error':
      return error ? modelSafeMessage(error) : 'It failed.'
    default:
      return assertNever(finishReason, 'finish reason')
  }
}
