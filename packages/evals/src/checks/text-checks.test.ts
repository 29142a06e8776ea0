import type { Scorer } from '@retinue/core/evals'
import { expect, test } from 'vitest'
import { equals, excludes, includes, matches } from '../scorers/prebuilt.ts'

async function graded(check: Scorer, output: string): Promise<[number, string | undefined]> {
  const { score, reason } = await check.run({ output })
  return [score, reason]
}

test('includes: every text must be in the answer, letter by letter unless case is ignored', async () => {
  expect(await graded(includes('an'), 'an analysis')).toEqual([1, 'The answer holds "an".'])
  expect(await graded(includes('analysis'), 'an Analysis')).toEqual([
    0,
    'The answer does not hold "analysis", and it must.',
  ])
  expect(await graded(includes('aNalysis', { ignoreCase: true }), 'an Analysis')).toEqual([1, expect.any(String)])
  expect(await graded(includes(['a', 'b', 'c']), 'a')).toEqual([0, 'The answer does not hold "b", "c", and it must.'])
  expect(await graded(includes(['a', 'b']), 'ba')).toEqual([1, 'The answer holds "a", "b".'])
})

test('excludes: none of the texts may be in the answer', async () => {
  expect(await graded(excludes('sorry'), 'Sorry')).toEqual([1, 'The answer does not hold "sorry".'])
  expect(await graded(excludes('sorry', { ignoreCase: true }), 'Sorry')).toEqual([
    0,
    'The answer holds "sorry", and it must not.',
  ])
  expect(await graded(excludes(['a', 'b']), 'b')).toEqual([0, 'The answer holds "b", and it must not.'])
})

test('matches: an expression finds the same each time, whatever its flags', async () => {
  for (const pattern of [/\d{4}/, /\d{4}/g]) {
    const check = matches(pattern)
    expect([await graded(check, 'in 2026'), await graded(check, 'in 2026')]).toEqual([
      [1, `The answer matches ${pattern}.`],
      [1, `The answer matches ${pattern}.`],
    ])
    expect(await graded(check, 'in 26')).toEqual([0, `The answer does not match ${pattern}, and it must.`])
  }
  expect((await graded(matches(/a/y), 'ba'))[0]).toBe(0)
})

test('equals: the whole answer counts, without space at its ends unless that is asked for', async () => {
  expect(await graded(equals('yes'), ' yes\n')).toEqual([1, 'The answer is what it must be.'])
  expect(await graded(equals('yes'), 'yes!')).toEqual([0, 'The answer must be "yes" and nothing else, and it is not.'])
  expect((await graded(equals('yes'), 'Yes'))[0]).toBe(0)
  expect((await graded(equals('yes', { ignoreCase: true }), 'Yes'))[0]).toBe(1)
  expect((await graded(equals(' YES\n', { ignoreCase: true }), 'yes'))[0]).toBe(1)
  expect((await graded(equals('yes', { exactSpace: true }), 'yes\n'))[0]).toBe(0)
  expect((await graded(equals(''), ''))[0]).toBe(1)
})

test('an answer that is no text is an error of whoever asks, and no verdict', async () => {
  for (const check of [includes('a'), excludes('a'), matches(/a/), equals('a')])
    await expect(check.run({ output: { text: 'a' } as never })).rejects.toMatchObject({
      code: 'scorer-input-missing',
      data: { field: 'output', scorer: check.id },
    })
})

test('a check has an id of its own, and what it looks for in it', () => {
  expect(includes('an  analysis').id).toBe('includes:an analysis')
  expect(includes(['a', 'b']).id).toBe('includes:a,b')
  expect(excludes('a', { id: 'no-a' }).id).toBe('no-a')
  expect(matches(/x/i).id).toBe('matches:/x/i')
  expect(equals('y'.repeat(200)).id.length).toBeLessThan(70)
})

test('what would hold of everything, or of nothing, is refused', () => {
  const wrong: [() => unknown, string][] = [
    [() => includes(''), 'option-invalid'],
    [() => includes([]), 'option-invalid'],
    [() => includes(['a', '']), 'option-invalid'],
    [() => includes(1 as never), 'option-invalid'],
    [() => excludes([]), 'option-invalid'],
    [() => excludes(undefined as never), 'option-invalid'],
    [() => matches('a' as never), 'option-invalid'],
    [() => equals(undefined as never), 'option-invalid'],
    [() => includes('a', { caseless: true } as never), 'option-unknown'],
    [() => matches(/a/, { ignoreCase: true } as never), 'option-unknown'],
    [() => includes('a', 'b' as never), 'option-invalid'],
    [() => includes('a', null as never), 'option-invalid'],
  ]
  for (const [index, [make, code]] of wrong.entries())
    expect(make, String(index)).toThrow(expect.objectContaining({ code }))
})
