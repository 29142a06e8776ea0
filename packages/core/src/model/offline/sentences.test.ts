import { expect, test } from 'vitest'
import { sentencesOf } from './sentences.ts'

test('sentences are exact pieces of the text', () => {
  const text = 'The U.S. economy grew by 3.5% (e.g. in trade). Dr. Ann agreed! "Did she?" Yes.\nA new line'
  expect(sentencesOf(text)).toEqual([
    'The U.S. economy grew by 3.5% (e.g. in trade).',
    'Dr. Ann agreed!',
    '"Did she?"',
    'Yes.',
    'A new line',
  ])
})

test('a long sentence is taken in exact pieces, none of which is cut inside a character', () => {
  const text = `${'tea grows in the hills; '.repeat(40)}${'𝒶'.repeat(800)}`
  const pieces = sentencesOf(text)
  expect(pieces.length).toBeGreaterThan(3)
  for (const piece of pieces) {
    expect(text).toContain(piece)
    expect(piece.isWellFormed()).toBe(true)
    expect(piece.length).toBeLessThanOrEqual(350)
  }
})
