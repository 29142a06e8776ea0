import { expect, test } from 'vitest'
import { PasteSplitter, Pastes } from './paste.ts'

const START = '\x1b[200~'
const END = '\x1b[201~'

test('a paste is told from keys, wherever the chunks are cut', () => {
  const all = `ab${START}one\rtwo\x03${END}cd\x1b[A`
  for (let cut = 0; cut <= all.length; cut++) {
    // Between the Esc and the rest of the first marker it can't be told from a pressed Esc.
    if (cut === 'ab\x1b'.length) continue
    const splitter = new PasteSplitter()
    const inputs = [...splitter.feed(all.slice(0, cut)), ...splitter.feed(all.slice(cut))]
    const of = (type: string): string[] => inputs.flatMap((input) => (input.type === type ? [input.text] : []))
    expect(of('paste')).toEqual(['one\rtwo\x03'])
    expect(of('keys').join('')).toBe('abcd\x1b[A')
  }
})

test('a lone Esc is passed on at once', () => {
  expect(new PasteSplitter().feed('\x1b')).toEqual([{ type: 'keys', text: '\x1b' }])
})

test('a paste of several lines stands in the line as a note and in the message as it is', () => {
  const pastes = new Pastes()
  const note = pastes.take('def f():\r\n\treturn 1\r\n')
  expect(note).toBe('[pasted #1: 2 lines]')
  expect(pastes.expand(`Explain ${note} please`)).toBe('Explain def f():\n\treturn 1 please')
  expect(pastes.expand('[pasted #7: 2 lines]')).toBe('[pasted #7: 2 lines]')
  expect(pastes.expand(`${pastes.take('$& a\nb')}`)).toBe('$& a\nb')
})

test('a short paste is as if it were typed, without what would be a key', () => {
  expect(new Pastes().take('a word\x03\x1b[A\t.\n')).toBe('a word    .')
  expect(new Pastes().take('x'.repeat(201))).toBe('[pasted #1: 201 characters]')
})
