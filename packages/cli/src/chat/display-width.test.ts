import { describe, expect, test } from 'vitest'
import { displayWidth, truncate, truncateStart } from './display-width.ts'
import { wrap } from './wrap.ts'

test.each([
  ['', 0],
  ['abc', 3],
  ['日本', 4],
  ['e\u0301', 1],
  ['한국', 4],
  ['👍', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['🇷🇼', 2],
  ['❤️', 2],
  ['✔ ▶ …', 5],
  ['Ｆ', 2],
])('"%s" takes %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width)
})

test('a cut text fits, and no character is cut in two', () => {
  expect(truncate('日本語', 6)).toBe('日本語')
  expect(truncate('日本語', 5)).toBe('日本…')
  expect(truncate('日本語', 4)).toBe('日…')
  expect(truncate('a👩‍👩‍👧‍👦b', 3)).toBe('a…')
  expect(truncate('abc', 0)).toBe('')
  expect(truncateStart('one two', 4)).toBe('…two')
})

describe('wrapping', () => {
  test('breaks between words and keeps line ends and indentation', () => {
    expect(wrap('one two three\n  four\n\nfive', 8)).toEqual(['one two', 'three', '  four', '', 'five'])
  })

  test('breaks a word that is too long, by columns', () => {
    expect(wrap('a 日本語日本語 b', 6)).toEqual(['a', '日本語', '日本語', 'b'])
    expect(wrap('abcdefgh', 3)).toEqual(['abc', 'def', 'gh'])
  })

  test('loses and invents nothing', () => {
    const text = 'The quick  brown 狐 jumps over\tthe 🐕 and a-very-long-word-that-goes-on-and-on. '.repeat(5)
    for (const columns of [2, 3, 7, 19, 80]) {
      expect(wrap(text, columns).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    }
  })
})
