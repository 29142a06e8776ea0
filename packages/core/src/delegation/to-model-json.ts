import type { JSONValue } from '@ai-sdk/provider'
import { type ErrorInfo, modelSafeMessage } from '../errors/retinue-error.ts'
import type { GeneratedFile } from '../events/chunk.ts'
import { type DelegationEnvelope, isEnvelope } from '../events/envelope.ts'
import type { ToolResultRecord } from '../events/tool-record.ts'
import { disarmJson } from '../messages/framework-note.ts'
import type { ToolOutput } from '../messages/message.ts'
import { toJson } from '../shared/json.ts'
import { whatHappened } from './to-model-text.ts'

/**
 * The whole envelope as JSON, for a parent that asked for it: bytes by type and size, and no provider's words, in the envelope as
 * in those that are nested in it.
 */
export function toModelJson(envelope: DelegationEnvelope): ToolOutput {
  const { status, text } = envelope
  const json = toJson(shownEnvelope(envelope))
  return { type: 'json', value: disarmJson(json.ok ? json.value : { status, text }) }
}

function shownEnvelope(envelope: DelegationEnvelope): object {
  const { error, hookErrors, object, files, subAgentToolResults, ...plain } = envelope
  return {
    ...plain,
    ...(object === undefined ? {} : { object: shownValue(object) }),
    ...(error ? { error: { code: error.code, message: whatHappened(envelope) } } : {}),
    ...(hookErrors ? { hookErrors: hookErrors.map(shownError) } : {}),
    files: files.map(shownFile),
    subAgentToolResults: subAgentToolResults.map(shownRecord),
  }
}

function shownError({ code, message }: ErrorInfo): object {
  return { code, message: modelSafeMessage({ code, message }) }
}

function shownRecord({ args, result, ...record }: ToolResultRecord): object {
  return { ...record, args: shownValue(args), ...(result === undefined ? {} : { result: shownValue(result) }) }
}

function shownFile(file: GeneratedFile): object {
  return 'url' in file ? file : { mediaType: file.mediaType, bytes: decodedLength(file.data) }
}

/** How many bytes a base64 text stands for. */
function decodedLength(base64: string): number {
  const text = base64.replace(/=+$/, '')
  return Math.floor((text.length * 3) / 4)
}

/** A value that a tool gave. What JSON can't carry says so in its place, and the rest is shown all the same. */
function shownValue(value: unknown): JSONValue {
  try {
    const text = JSON.stringify(value, shown)
    return text === undefined ? null : (JSON.parse(text) as JSONValue)
  } catch (error) {
    return `(This can't be told in JSON: ${error instanceof Error ? error.message : 'it is unreadable'})`
  }
}

/** A replacer for `JSON.stringify`: `this` has the value as it was before its own `toJSON`. */
function shown(this: unknown, key: string, value: unknown): unknown {
  const raw: unknown = (this as Record<string, unknown>)[key]
  if (isEnvelope(raw)) return shownEnvelope(raw)
  if (ArrayBuffer.isView(raw) || raw instanceof ArrayBuffer) return { type: kindOf(raw), bytes: raw.byteLength }
  return value
}

function kindOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}
