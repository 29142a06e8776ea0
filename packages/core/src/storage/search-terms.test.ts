import { expect, test } from 'vitest'
import { queryTerms, searchTerms } from './search-terms.ts'

test('words are found without case and accents, scripts without spaces by character', () => {
  expect(searchTerms('Le CAFÉ, c’est 2 €!')).toEqual(['le', 'cafe', 'c', 'est', '2'])
  expect(searchTerms('ﬁn 東京tower')).toEqual(['fin', '東', '京', 'tower'])
  expect(searchTerms('\0 \ud800 🙂 --')).toEqual([])
})

test('a word that is none of a language is cut, and only the beginning of a long text is looked at', () => {
  expect(searchTerms('x'.repeat(100)).map((term) => term.length)).toEqual([64, 36])
  expect(searchTerms(`${' '.repeat(199_999)}ab`)).toEqual(['a'])
})

test('a query looks for each word once, and for no more than 64', () => {
  expect(queryTerms('one two ONE')).toEqual(['one', 'two'])
  expect(queryTerms(Array.from({ length: 100 }, (_none, n) => `w${n}`).join(' '))).toHaveLength(64)
})
