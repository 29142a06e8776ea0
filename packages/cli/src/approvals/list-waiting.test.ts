import { expect, test } from 'vitest'
import { waitingTable } from './list-waiting.ts'

test('B7.2 a line for each call that waits; B7.4 a run that somebody died over is not hidden', () => {
  const run = { runId: 'r1', path: ['lead'], suspendedAt: 0, toolCalls: [] }
  const call = { toolCallId: 'c1', toolName: 'fell', args: { tree: 'oak' }, path: ['lead', 'scout'] }
  const toolCalls = [
    { ...call, requiresApproval: true },
    { ...call, toolCallId: 'c2', toolName: 'ask', args: {}, requiresApproval: false },
  ]
  const lines = waitingTable([run, { ...run, runId: 'r2', toolCalls }])
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  expect(lines.slice(1)).toEqual([
    ['r1', '1970-01-01 00:00:00', 'lead', '(all decided)', 'goes on, or was left: "approve RUN" takes it up again'],
    ['r2', 'c1', '1970-01-01 00:00:00', 'lead › scout', 'fell', '{"tree":"oak"}'],
    ['r2', 'c2', '1970-01-01 00:00:00', 'lead › scout', 'ask (an answer)', '{}'],
  ])
})
