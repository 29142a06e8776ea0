import { expect, test } from 'vitest'
import { checkGrowth } from './check-growth.mjs'
import { withTree } from './lib/temp-tree.mjs'

const check = (files) => withTree(files, checkGrowth).findings.map(({ where, what, lines }) => [where, what, lines])
const lines = (count) => 'export {}\n'.repeat(count)
const body = (count) => 'x()\n'.repeat(count)

test('a source file has up to 350 lines, a trunk file up to 200, a test as many as it likes', () => {
  expect(check({ 'packages/a/src/b.ts': lines(350), 'packages/a/src/loop/run-loop.ts': lines(200) })).toEqual([])
  expect(check({ 'packages/a/src/b.test.ts': lines(900), 'scripts/b.test.mjs': lines(900) })).toEqual([])
  expect(check({ 'packages/a/src/b.ts': lines(351), 'packages/a/src/loop/run-loop.ts': lines(201) })).toEqual([
    ['packages/a/src/b.ts:1', 'file', 351],
    ['packages/a/src/loop/run-loop.ts:1', 'trunk file', 201],
  ])
})

test('a function has up to 60 lines, and a finding names it', () => {
  expect(check({ 'packages/a/src/b.ts': `function ok() {\n${body(58)}}` })).toEqual([])
  const long = `{\n${body(59)}}\n`
  const source = `function one() ${long}const two = () => ${long}class C { three() ${long}}\nuse(() => ${long})`
  expect(check({ 'packages/a/src/b.ts': source })).toEqual([
    ['packages/a/src/b.ts:1', 'function one', 61],
    ['packages/a/src/b.ts:62', 'function two', 61],
    ['packages/a/src/b.ts:123', 'function three', 61],
    ['packages/a/src/b.ts:185', 'function (anonymous)', 61],
  ])
})
