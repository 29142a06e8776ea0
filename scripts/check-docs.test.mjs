import { expect, test } from 'vitest'
import { checkDocs } from './check-docs.mjs'
import { withTree } from './lib/temp-tree.mjs'

const entries = {
  'packages/a/src': 'All of a.',
  'packages/a/src/loop': 'The loop.',
  'examples/demo': 'An example.',
}

function check(page) {
  const text = Object.entries(page).map(([dir, sentence]) => `- \`${dir}\`: ${sentence}\n`)
  const files = { 'packages/a/src/loop/deep/x.ts': '', 'examples/demo/x.ts': '', 'ARCHITECTURE.md': text.join('') }
  return withTree(files, checkDocs).findings
}

test('a page that names each folder once passes; deeper folders may be named', () => {
  expect(check(entries)).toEqual([])
  expect(check({ ...entries, 'packages/a/src/loop/deep': 'Deeper.' })).toEqual([])
})

test('a folder that is missing, gone or without a sentence is told', () => {
  const { 'examples/demo': _, ...rest } = entries
  expect(check(rest)).toEqual([expect.stringContaining('examples/demo is not named')])
  expect(check({ ...entries, 'packages/a/src/old': 'Gone.' })).toEqual([expect.stringContaining('does not exist')])
  expect(check({ ...entries, 'packages/a/src/loop': '' })).toEqual([expect.stringContaining('says nothing')])
})
