import { expect, test } from 'vitest'
import { wantsColors } from './wants-colors.ts'

test('colours only on a terminal, where nobody said no', () => {
  expect(wantsColors({ isTTY: true }, {})).toBe(true)
  expect(wantsColors({}, {})).toBe(false)
  for (const env of [{ NO_COLOR: '1' }, { CI: 'true' }, { TERM: 'dumb' }])
    expect(wantsColors({ isTTY: true }, env)).toBe(false)
  expect(wantsColors({ isTTY: true }, { NO_COLOR: '', CI: '' })).toBe(true)
})
