import { expect, test } from 'vitest'
import { importCandidates, isRelative } from './import-candidates.ts'

test('B11.1 an import without an extension', () => {
  const files = ['./a.ts', './a.mts', './a.js', './a.mjs']
  const folders = ['./a/index.ts', './a/index.mts', './a/index.js', './a/index.mjs']
  expect(importCandidates('./a')).toEqual([...files, ...folders])
  expect(importCandidates('./a?raw')[0]).toBe('./a.ts?raw')
})

test('B11.1 .js written for .ts, before anything else', () => {
  expect(importCandidates('../a.js')[0]).toBe('../a.ts')
  expect(importCandidates('../a.mjs')[0]).toBe('../a.mts')
})

test('B11.1 folders', () => {
  for (const specifier of ['.', './', '..', '../lib/']) {
    const [first] = importCandidates(specifier)
    expect(first).toBe(`${specifier.replace(/\/$/, '')}/index.ts`)
  }
})

test('packages and URLs are not relative', () => {
  expect(['.', '..', './a', '../a'].every(isRelative)).toBe(true)
  expect(['a', '.a', '..a', '/a', '@a/b', 'node:fs', 'file:///a', '#a'].some(isRelative)).toBe(false)
})
