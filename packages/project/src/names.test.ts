import { expect, test } from 'vitest'
import { didYouMean, legalName, nameProblem } from './names.ts'

test('B1.5 what a name may be', () => {
  for (const name of ['a', 'A-b_9', 'x'.repeat(64), 'constructor', 'toString', '-', '__proto'])
    expect(nameProblem(name)).toBe(undefined)
  expect(nameProblem('')).toBe('it is empty')
  expect(nameProblem('x'.repeat(65))).toBe('it has 65 characters and may have 64')
  expect(nameProblem('a b')).toBe('" " is not a letter, a digit, "_" or "-"')
  expect(nameProblem('a😀')).toBe('"😀" is not a letter, a digit, "_" or "-"')
  expect(nameProblem('a\n')).toBe('"\\n" is not a letter, a digit, "_" or "-"')
  expect(nameProblem('__proto__')).toBe('"__proto__" is reserved by JavaScript')
})

test('a proposed name is legal', () => {
  for (const name of ['a b', 'été', '😀', '__proto__', '', '  ', 'x'.repeat(99)])
    expect(nameProblem(legalName(name))).toBe(undefined)
  expect(legalName('Écrivain principal')).toBe('Ecrivain-principal')
})

test('B11.10 what was meant', () => {
  const known = ['config.ts', 'instructions.md', 'tools', 'subagents', 'hooks.ts']
  expect(didYouMean('Config.ts', known)).toBe('config.ts')
  expect(didYouMean('tool', known)).toBe('tools')
  expect(didYouMean('sub-agents', known)).toBe('subagents')
  expect(didYouMean('instrutions.md', known)).toBe('instructions.md')
  for (const other of ['notes.txt', 'lib', 'a', 'data', 'models.ts'])
    expect([other, didYouMean(other, known)]).toEqual([other, undefined])
})
