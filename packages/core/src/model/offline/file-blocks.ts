import { argumentsOf, shortened } from './block-text.ts'
import type { Block } from './blocks.ts'
import type { PastCall } from './conversation.ts'
import { stripNotice } from './framing.ts'
import { isRecord } from './json.ts'
import { sharesWith } from './relevance.ts'
import { sentencesOf } from './sentences.ts'
import type { Stage } from './stage.ts'
import { WEAK_WORDS } from './stop-words.ts'
import { contentWords, stem, words } from './tokens.ts'

export const WHOLE: RegExp = /^(?:please\s+)?(?:read|open|show|print|display|cat|output|quote)\b/i

/** Who asks for a file to be read is shown all of it, or told that it was cut. */
export function wholeFile(stage: Stage, call: PastCall, several: boolean): Block[] {
  const text = call.outcome?.status === 'ok' ? fileText(call.outcome.value) : ''
  const base = {
    from: stage.card.name,
    of: several ? argumentsOf(call.input, false) : '',
    delegation: false,
    passages: [],
  }
  if (text === '') return []
  if (!text.includes('\n') && text.length <= 300) return [{ ...base, line: `“${text}”` }]
  return [{ ...base, text: shortened(text) }]
}

function fileText(value: unknown): string {
  if (typeof value === 'string') return stripNotice(value)
  if (!isRecord(value)) return ''
  const text = ['content', 'contents', 'text', 'body', 'data']
    .map((key) => value[key])
    .find((each) => typeof each === 'string')
  return typeof text === 'string' ? stripNotice(text) : ''
}

/** The sentences of the files that share a word with the request; else those of a file whose name does. */
export function foundInFiles(stage: Stage, calls: readonly PastCall[], request: string): Block[] {
  const shares = sharesWith(request)
  const sentences = calls.flatMap((call) => {
    const reference = argumentsOf(call.input, false)
    const text = call.outcome?.status === 'ok' ? fileText(call.outcome.value) : ''
    return sentencesOf(text)
      .filter((sentence) => !/^#{1,6}\s/.test(sentence))
      .map((sentence) => ({ text: sentence.replace(/^[-*•]\s+/, ''), reference, about: '', quoted: true }))
  })
  // What the name of a file says already is not what is looked for in it.
  const named = new Set(calls.flatMap((call) => words(argumentsOf(call.input, false))).map(stem))
  const rest = words(request).filter((word) => !named.has(stem(word)) && !WEAK_WORDS.has(word))
  const sharesRest = sharesWith(rest.join(' '), false)
  const close = contentWords(rest.join(' ')).length > 0 ? sentences.filter(({ text }) => sharesRest(text)) : []
  const fitting = close.length > 0 ? close : sentences.filter(({ text }) => shares(text))
  const passages = fitting.length > 0 ? fitting : sentences.filter(({ reference }) => shares(reference))
  return passages.length === 0 ? [] : [{ from: stage.card.name, of: '', delegation: false, passages }]
}
