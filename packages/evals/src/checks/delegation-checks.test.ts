import { Agent } from '@retinue/core/agent'
import type { Scorer, ScorerRun } from '@retinue/core/evals'
import { type ScriptedTurn, scriptedModels } from '@retinue/core/testing'
import { beforeAll, expect, test } from 'vitest'
import { calledTool, delegatedTo, delegationOrder, noToolErrors } from '../scorers/prebuilt.ts'

const ask = (name: string) => ({ name, args: { prompt: 'do it' } })
const done: ScriptedTurn = { text: 'done' }

/** A supervisor asks the researcher, who asks a reader, then the writer twice: the first time it fails. */
let run: ScorerRun

beforeAll(async () => {
  const script = scriptedModels({
    supervisor: [
      { calls: [ask('researcher')] },
      { calls: [ask('writer')] },
      { calls: [ask('writer'), { name: 'unknown', args: {} }] },
      done,
    ],
    'supervisor/researcher': [{ calls: [ask('reader')] }, done],
    'supervisor/researcher/reader': [done],
    'supervisor/writer': [new Error('broken'), done],
  })
  const agent = (id: string, agents = {}): Agent => new Agent({ id, description: id, agents })
  const agents = { researcher: agent('r', { reader: agent('d') }), writer: agent('w') }
  const { resolveModel } = script
  const { text, toolCalls, toolResults } = await agent('supervisor', agents).generate('go', { resolveModel })
  script.assertDone()
  run = { output: text, toolCalls, toolResults }
})

async function graded(check: Scorer, of: ScorerRun = run): Promise<[number, string | undefined]> {
  const { score, reason } = await check.run(of)
  return [score, reason]
}

test('delegatedTo: a delegation counts if it ended as it should', async () => {
  expect(await graded(delegatedTo('researcher'))).toEqual([
    1,
    'There was 1 delegation to "researcher" that ended as completed.',
  ])
  expect(await graded(delegatedTo('writer', { times: 2 }))).toEqual([
    0,
    'There was 1 delegation to "writer" that ended as completed; how they ended: failed, completed. There must be exactly 2.',
  ])
  expect((await graded(delegatedTo('writer', { times: 2, status: 'any' })))[0]).toBe(1)
  expect((await graded(delegatedTo('writer', { times: 1, status: 'failed' })))[0]).toBe(1)
  expect((await graded(delegatedTo('writer', { times: 2, status: ['failed', 'completed'] })))[0]).toBe(1)
  expect(await graded(delegatedTo('editor'))).toEqual([0, 'There was no delegation to "editor". Delegate to it.'])
  expect((await graded(delegatedTo('editor', { times: 0 })))[0]).toBe(1)
  // A call is no delegation, whatever its name.
  expect((await graded(delegatedTo('unknown', { status: 'any' })))[0]).toBe(0)
})

test('delegatedTo: a child’s own delegations are seen, by key or by path', async () => {
  const found = async (subagent: string): Promise<number> => (await graded(delegatedTo(subagent)))[0]
  expect(await found('reader')).toBe(1)
  expect(await found('researcher/reader')).toBe(1)
  for (const other of ['writer/reader', 'researcher/reader/x', 'reader/researcher', 'x/researcher', 'read'])
    expect(await found(other), other).toBe(0)
})

test('delegationOrder: in this order, what a child delegated after the delegation to it', async () => {
  const order = async (...subagents: string[]): Promise<number> => (await graded(delegationOrder(subagents)))[0]
  expect(await order('researcher', 'writer')).toBe(1)
  expect(await order('researcher', 'reader', 'writer')).toBe(1)
  expect(await order('reader', 'researcher')).toBe(0)
  expect(await order('writer', 'writer')).toBe(0)
  expect((await graded(delegationOrder(['writer', 'writer'], { status: 'any' })))[0]).toBe(1)
  expect(await graded(delegationOrder(['writer', 'researcher']))).toEqual([
    0,
    'Delegate in this order: "writer", "researcher". "researcher" did not come after "writer".',
  ])
  expect((await graded(delegationOrder(['researcher', 'writer'])))[1]).toBe(
    'The delegations came in this order: "researcher", "writer".',
  )
})

test('a delegation is a tool call too, and one that failed a failed call', async () => {
  expect((await graded(calledTool('writer', { times: 2 })))[0]).toBe(1)
  expect((await graded(noToolErrors()))[1]).toBe('These tool calls failed: "writer", "unknown" (tool-unknown).')
})

test('a run whose results are not known is an error, and no verdict', async () => {
  for (const check of [delegatedTo('a'), delegatedTo('a', { times: 0 }), delegationOrder(['a'])])
    await expect(check.run({ output: 'x', toolCalls: [] })).rejects.toMatchObject({
      code: 'scorer-input-missing',
      data: { scorer: check.id, field: 'toolResults' },
    })
})

test('options that make no check are refused', () => {
  expect(delegatedTo('a/b', { times: 2 }).id).toBe('delegated-to:a/b,2')
  expect(() => delegatedTo(['a'] as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  expect(() => delegatedTo('')).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  expect(() => delegationOrder([])).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  expect(() => delegatedTo('a', { state: 'any' } as never)).toThrow(expect.objectContaining({ code: 'option-unknown' }))
})
