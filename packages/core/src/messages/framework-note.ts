import type { JSONValue } from '@ai-sdk/provider'
import type { UserMessage } from './message.ts'

/**
 * What the framework adds to a conversation is a user message that begins with this mark. Wherever else the mark occurs it is
 * altered, so that no person, model, tool or file can speak as the framework.
 */
const FRAMEWORK_MARK = '[retinue]'
const DISARMED_MARK = '[retinue ]'

/** A message of the framework's own; its `origin` says which part of it spoke. */
export function frameworkNote(text: string, origin: string): UserMessage {
  return {
    role: 'user',
    content: [{ type: 'text', text: `${FRAMEWORK_MARK} ${disarm(text)}` }],
    providerOptions: { retinue: { origin } },
  }
}

/** A text of somebody else's, without the mark. */
export function disarm(text: string): string {
  return text.includes(FRAMEWORK_MARK) ? text.replaceAll(FRAMEWORK_MARK, DISARMED_MARK) : text
}

/** A JSON value of somebody else's, without the mark in its texts and keys. The value itself if there is none. */
export function disarmJson(value: JSONValue): JSONValue {
  if (typeof value === 'string') return disarm(value)
  if (typeof value !== 'object' || value === null) return value
  return JSON.stringify(value).includes(FRAMEWORK_MARK)
    ? (JSON.parse(JSON.stringify(value).replaceAll(FRAMEWORK_MARK, DISARMED_MARK)) as JSONValue)
    : value
}
