import { expect, test } from 'vitest'
import { renderSummary } from './render-findings.ts'

test('the summary', () => {
  const summary = { errors: 1, warnings: 0, agents: 4, ms: 37.6, failed: true }
  expect(renderSummary(summary, false)).toBe('✖ 1 error, 0 warnings in 4 agents (38 ms)')
  expect(renderSummary({ ...summary, errors: 0, warnings: 1, failed: false }, false)).toBe(
    '✔ 0 errors, 1 warning in 4 agents (38 ms)',
  )
  expect(renderSummary(summary, true)).toBe('\u001b[31m✖\u001b[39m 1 error, 0 warnings in 4 agents (38 ms)')
})
