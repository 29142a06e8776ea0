import { Agent } from '@retinue/core/agent'
import type { Scorer, ScorerRun } from '@retinue/core/evals'
import { scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import { calledTool, didNotCall, maxToolCalls, noToolErrors, toolOrder } from '../scorers/prebuilt.ts'

/** A run in which these tools were called, with these arguments. */
function calls(...made: (string | [string, object])[]): ScorerRun {
  const toolCalls = made.map((each, index) => {
    const [toolName, args] = typeof each === 'string' ? [each, {}] : each
    return { toolCallId: `call_${index}`, toolName, args }
  })
  return { output: 'x', toolCalls, toolResults: toolCalls.map((call) => ({ ...call, result: 'ok' })) }
}

async function graded(check: Scorer, run: ScorerRun): Promise<[number, string | undefined]> {
  const { score, reason } = await check.run(run)
  return [score, reason]
}

test('calledTool: at least once, or exactly so often', async () => {
  expect(await graded(calledTool('search'), calls('read', 'search'))).toEqual([1, 'The tool "search" was called once.'])
  expect(await graded(calledTool('search'), calls('searching'))).toEqual([
    0,
    'The tool "search" was not called, and it must be called.',
  ])
  expect(await graded(calledTool('search', { times: 2 }), calls('search', 'search'))).toEqual([
    1,
    'The tool "search" was called 2 times.',
  ])
  for (const run of [calls('search'), calls('search', 'search', 'search')])
    expect((await graded(calledTool('search', { times: 2 }), run))[0]).toBe(0)
  expect(await graded(calledTool('search', { times: 2 }), calls('search'))).toEqual([
    0,
    'The tool "search" was called once, and it must be exactly 2 times.',
  ])
  expect((await graded(calledTool('search', { times: 0 }), calls('read')))[0]).toBe(1)
  expect((await graded(calledTool('search', { times: 0 }), calls('search')))[0]).toBe(0)
})

test('calledTool: arguments must hold what is asked for, or please a function', async () => {
  const run = calls(['search', { q: 'ai', tags: ['a', 'b'], page: { size: 5, from: 0 } }], ['search', { q: 'other' }])
  const holds = async (args: Record<string, unknown>): Promise<boolean> =>
    (await graded(calledTool('search', { args }), run))[0] === 1
  expect(await holds({ q: 'ai' })).toBe(true)
  expect(await holds({ page: { size: 5 } })).toBe(true)
  expect(await holds({ tags: ['a', 'b'] })).toBe(true)
  expect(await holds({})).toBe(true)
  for (const args of [
    { q: 'AI' },
    { q: 'ai', page: 5 },
    { tags: ['a'] },
    { tags: { 0: 'a' } },
    { none: undefined },
    { constructor: {} },
  ])
    expect(await holds(args), JSON.stringify(args)).toBe(false)
  expect(await graded(calledTool('search', { args: { q: 'x' } }), run)).toEqual([
    0,
    'The tool "search" was called with {"q":"x"} 0 times, and it must be called with {"q":"x"}.',
  ])
  const long = calledTool('search', { args: (args) => String((args as { q: string }).q).length > 2 })
  expect(await graded(long, run)).toEqual([1, 'The tool "search" was called with the right arguments once.'])
  const other = calledTool('search', { times: 1, args: { q: 'other' } })
  expect((await graded(other, run))[0]).toBe(1)
})

test('didNotCall: none of these tools', async () => {
  expect(await graded(didNotCall('drop'), calls('read'))).toEqual([1, 'There was no call of "drop".'])
  expect(await graded(didNotCall(['drop', 'pay']), calls('read', 'pay'))).toEqual([
    0,
    'There was a call of "pay", and there must be none.',
  ])
})

test('toolOrder: in this order, others between; or these and no others', async () => {
  const order = toolOrder(['search', 'read', 'write'])
  expect(await graded(order, calls('search', 'other', 'read', 'search', 'write'))).toEqual([
    1,
    'The tools were called in this order: "search", "read", "write".',
  ])
  expect(await graded(order, calls('read', 'search', 'write'))).toEqual([
    0,
    'The tools must be called in this order: "search", "read", "write". "read" did not come after "search".',
  ])
  expect(await graded(order, calls('read', 'write'))).toEqual([
    0,
    'The tools must be called in this order: "search", "read", "write". "search" was missing.',
  ])
  expect((await graded(toolOrder(['a', 'a']), calls('a')))[0]).toBe(0)
  expect((await graded(toolOrder(['a', 'a']), calls('a', 'b', 'a')))[0]).toBe(1)
  const exact = toolOrder(['a', 'b'], { exact: true })
  expect((await graded(exact, calls('a', 'b')))[0]).toBe(1)
  for (const run of [calls('a', 'c', 'b'), calls('a', 'b', 'b'), calls('b', 'a')])
    expect((await graded(exact, run))[0]).toBe(0)
})

test('maxToolCalls: of all tools, or of one', async () => {
  expect(await graded(maxToolCalls(2), calls('a', 'b'))).toEqual([1, 'There were 2 tool calls, within the limit of 2.'])
  expect(await graded(maxToolCalls(1), calls('a', 'b'))).toEqual([
    0,
    'There were 2 tool calls, and there may be at most 1.',
  ])
  expect((await graded(maxToolCalls(1, { tool: 'a' }), calls('a', 'b')))[0]).toBe(1)
  expect(await graded(maxToolCalls(0, { tool: 'b' }), calls('a', 'b'))).toEqual([
    0,
    'There were 1 tool call of "b", and there may be at most 0.',
  ])
})

test('noToolErrors: a failed call is named with its code, and not in its own words', async () => {
  expect(await graded(noToolErrors(), calls('a'))).toEqual([1, 'No tool call failed.'])
  const search = createTool({
    id: 'search',
    description: 'Searches.',
    execute: () => {
      throw new Error('secret words')
    },
  })
  const model = scriptedModel([{ calls: [{ name: 'search', args: {} }] }, { text: 'done' }])
  const { text, toolCalls, toolResults } = await new Agent({ id: 'a', model, tools: { search } }).generate('go')
  expect(await graded(noToolErrors(), { output: text, toolCalls, toolResults })).toEqual([
    0,
    'These tool calls failed: "search" (tool-failed).',
  ])
})

test('a run whose calls are not known is an error, and no verdict', async () => {
  const checks = [calledTool('a'), didNotCall('a'), toolOrder(['a']), maxToolCalls(9), noToolErrors()]
  for (const check of checks) {
    await expect(check.run({ output: 'x' })).rejects.toMatchObject({
      code: 'scorer-input-missing',
      data: { scorer: check.id },
    })
    // No calls at all are known calls.
    await expect(check.run({ output: 'x', toolCalls: [], toolResults: [] })).resolves.toHaveProperty('score')
  }
})

test('checks of one tool that differ have different ids', () => {
  expect(calledTool('search').id).toBe('called-tool:search')
  expect(calledTool('search', { times: 2, args: { q: 'ai' } }).id).toBe('called-tool:search,2,{"q":"ai"}')
  expect(maxToolCalls(3, { tool: 'search' }).id).toBe('max-tool-calls:3,search')
  expect(noToolErrors().id).toBe('no-tool-errors')
})

test('options that make no check are refused', () => {
  const wrong: [() => unknown, string][] = [
    [() => calledTool(''), 'option-invalid'],
    [() => calledTool(['a'] as never), 'option-invalid'],
    [() => calledTool('a', { times: -1 }), 'option-invalid'],
    [() => calledTool('a', { times: 1.5 }), 'option-invalid'],
    [() => calledTool('a', { count: 1 } as never), 'option-unknown'],
    [() => didNotCall([]), 'option-invalid'],
    [() => toolOrder([]), 'option-invalid'],
    [() => maxToolCalls(undefined as never), 'option-invalid'],
    [() => maxToolCalls(Number.NaN), 'option-invalid'],
    [() => maxToolCalls(1, { tool: '' }), 'option-invalid'],
    [() => noToolErrors({ except: 'a' } as never), 'option-unknown'],
  ]
  for (const [index, [make, code]] of wrong.entries())
    expect(make, String(index)).toThrow(expect.objectContaining({ code }))
})
