import { expect, test } from 'vitest'
import { inheritedOptions, isPlainProcess } from './node-options.ts'

test('a process that loads modules inherits what decides how they are found, with its values, and nothing else', () => {
  const own = [
    '--conditions=a',
    '-C',
    'b',
    '--import',
    './x.mjs',
    '--no-experimental-strip-types',
    '--preserve-symlinks',
  ]
  const other = ['--inspect', '--max-old-space-size=99', '--test', '--eval', 'x']
  expect(inheritedOptions([...other, ...own, ...other])).toEqual(own)
  expect(inheritedOptions(['-r'])).toEqual(['-r'])
})

test.each([
  [['--conditions=a', '-C', 'b', '--inspect'], '', true],
  [[], '--max-old-space-size=99', true],
  [['--import=./x.mjs'], '', false],
  [['-r', './x.cjs'], '', false],
  [['--experimental-strip-types'], '', false],
  [[], '--max-old-space-size=99  --loader ./x.mjs', false],
  [[], '--preserve-symlinks', false],
])('whether Node alone finds and reads modules: %j and NODE_OPTIONS %j', (options, variable, isPlain) => {
  expect(isPlainProcess(options, variable)).toBe(isPlain)
})
