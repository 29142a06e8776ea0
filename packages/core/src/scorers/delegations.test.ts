import { expect, test } from 'vitest'
import { rejectedEnvelope, settle } from '../delegation/settle.ts'
import type { DelegationEnvelope } from '../events/envelope.ts'
import type { ToolResultRecord } from '../events/tool-record.ts'
import { noUsage } from '../events/usage.ts'
import { delegationsOf } from './delegations.ts'

const result = (toolName: string, given: unknown): ToolResultRecord => ({
  toolCallId: `call_${toolName}`,
  toolName,
  args: {},
  result: given,
})

const thread = { threadId: 't', resourceId: 'r', readOnly: false }

function envelope(toolResults: ToolResultRecord[] = []): DelegationEnvelope {
  const usage = noUsage()
  return settle({ text: 'done', finishReason: 'stop', usage, totalUsage: usage, toolResults }, thread)
}

test('B5.4 a scorer sees a run’s delegations, each followed by its child’s, and no other calls', () => {
  const reader = result('reader', envelope([result('deeper', envelope())]))
  const researcher = result('researcher', envelope([result('search', { status: 'completed', text: 'x' }), reader]))
  const toolResults = [result('search', 'ok'), researcher, result('writer', rejectedEnvelope('no', thread))]
  expect(
    delegationsOf({ output: '', toolResults })?.map(({ path, envelope: { status } }) => [path.join('/'), status]),
  ).toEqual([
    ['researcher', 'completed'],
    ['researcher/reader', 'completed'],
    ['writer', 'rejected'],
  ])
  expect(delegationsOf({ output: '', toolResults: [] })).toEqual([])
  expect(delegationsOf({ output: '' })).toBeUndefined()
})
