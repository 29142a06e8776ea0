import { stripVTControlCharacters } from 'node:util'

const LINE_ENDS = /\r\n|[\r\u2028\u2029]/g
const TAB = '    '
/** What is left of a terminal's commands, and what turns the direction of writing. Joiners stay: emoji and scripts need them. */
const STEERING = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]/gu

/** A text of a model, a tool or a server, without anything that could steer a terminal. Its lines stay. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replace(LINE_ENDS, '\n').replaceAll('\t', TAB).replace(STEERING, '')
}

/** The same on one line, blanks run together. */
export function safeLine(text: string): string {
  return safeText(text).replace(/\s+/g, ' ').trim()
}
