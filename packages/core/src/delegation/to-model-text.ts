import { modelSafeMessage } from '../errors/retinue-error.ts'
import type { DelegationEnvelope } from '../events/envelope.ts'
import { disarm } from '../messages/framework-note.ts'
import { assertNever } from '../shared/assert-never.ts'
import { toJson } from '../shared/json.ts'

/** What the parent's model reads of a delegation: the answer, and for anything but a finished one a line that says what happened. */
export function toModelText(key: string, envelope: DelegationEnvelope): string {
  const text = disarm(answerOf(envelope))
  if (envelope.status === 'completed') return text
  // What happened can quote the child: an answer that does not fit, say.
  const line = disarm(`[${key}: ${envelope.status}. ${whatHappened(envelope)}]`)
  return text.trim() === '' ? line : `${line}\n${text}`
}

/** The answer in words; a target that answers with an object alone is read as JSON. */
export function answerOf({ text, object }: DelegationEnvelope): string {
  if (text.trim() !== '' || object === undefined) return text
  const json = toJson(object)
  return json.ok ? JSON.stringify(json.value) : text
}

/** Why a delegation is not completed, in words that hold nothing of a provider's. */
export function whatHappened({ status, finishReason, error, text }: DelegationEnvelope): string {
  if ((status === 'rejected' || status === 'timed-out') && error) return error.message
  switch (finishReason) {
    case 'stop':
      return error && error.code !== 'model-answer-empty' ? modelSafeMessage(error) : 'It ended without an answer.'
    case 'length':
      return 'Its answer was cut off at the longest that its model gives.'
    case 'max-steps':
      return `It reached its limit of steps${text.trim() === '' ? ' without a final answer' : ''}.`
    case 'incomplete':
      return error ? modelSafeMessage(error) : 'Its answer did not pass its own check of completion.'
    case 'over-budget':
      return 'The budget for it was spent before it had ended.'
    case 'aborted':
      return 'It was cancelled.'
    case 'bailed':
      return 'It was stopped without an answer.'
    case 'content-filter':
      return 'Its provider filtered the answer.'
    case 'suspended':
      return 'It waits for a person, and can not be gone on with.'
    case 'tool-calls':
      return 'It waits for a tool that only a client can run.'
    case 'other':
      return error ? modelSafeMessage(error) : 'Its model ended for a reason that its provider does not tell.'
    case 'error':
      return error ? modelSafeMessage(error) : 'It failed.'
    default:
      return assertNever(finishReason, 'finish reason')
  }
}
