import { expect, test } from 'vitest'
import { type FingerprintedTool, fingerprint } from './fingerprint.ts'

const tool: FingerprintedTool = { name: 'send', schema: { type: 'object', properties: { to: {} } }, version: undefined }
const args = { to: 'ada', lines: ['a', 'b'], more: { x: 1, y: null } }

test('B7.5 the order of fields does not matter', async () => {
  const other = { more: { y: null, x: 1 }, lines: ['a', 'b'], to: 'ada' }
  expect(await fingerprint(tool, other)).toBe(await fingerprint(tool, args))
})

test.each<[string, Partial<FingerprintedTool>, unknown]>([
  ['an argument', {}, { ...args, to: 'bob' }],
  ['the order of a list', {}, { ...args, lines: ['b', 'a'] }],
  ['a field more', {}, { ...args, cc: '' }],
  ['null for nothing', {}, { ...args, more: { x: 1 } }],
  ['a text for a number', {}, { ...args, more: { x: '1', y: null } }],
  ['the name', { name: 'sent' }, args],
  ['the schema', { schema: { type: 'object', properties: {} } }, args],
  ['the version', { version: '1' }, args],
])('B7.5 %s makes it another call', async (_what, change, given) => {
  expect(await fingerprint({ ...tool, ...change }, given)).not.toBe(await fingerprint(tool, args))
})
