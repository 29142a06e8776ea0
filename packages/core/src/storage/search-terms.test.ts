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

test('a query looks for each word once, and for no more than 32', () => {
  expect(queryTerms('one two ONE').map(({ word }) => word)).toEqual(['one', 'two'])
  expect(queryTerms(Array.from({ length: 100 }, (_none, n) => `w${n}`).join(' '))).toHaveLength(32)
})

test('words that are in every sentence are looked for only where there are no others', () => {
  const wordsOf = (query: string) => queryTerms(query).map(({ word }) => word)
  expect(wordsOf('Which deploy target did we pick?')).toEqual(['deploy', 'target', 'pick'])
  expect(wordsOf("Who am I, and what's this?")).toEqual(['who', 'am', 'i', 'and', 'what', 's', 'this'])
})

test('forms of a word begin alike', () => {
  const beginnings = (...words: string[]) => words.map((word) => queryTerms(word)[0]?.beginning)
  expect(beginnings('pick', 'picks', 'picked', 'picking')).toEqual(['pick', 'pick', 'pick', 'pick'])
  expect(beginnings('policy', 'policies', 'deploy', 'deployment')).toEqual(['polic', 'polic', 'deploy', 'deploy'])
  // Too short to tell, of another script, or no word.
  expect(beginnings('cats', 'used', 'cat', '京', 'x1yz')).toEqual(['cats', 'used', undefined, undefined, undefined])
})
