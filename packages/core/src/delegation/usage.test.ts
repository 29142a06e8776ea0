import { describe, expect, test } from 'vitest'
import { Agent, type Chunk } from '../agent/index.ts'
import type { DelegationEnvelope } from '../events/envelope.ts'
import { type ScriptedTurn, scriptedModels } from '../testing/index.ts'

const ask = (name: string, prompt = 'P') => ({ name, args: { prompt } })
const used = (input: number, output: number) => ({ usage: { input, output } })
/** A failure that passes on retry, at once. */
const busy = Object.assign(new Error('busy'), { statusCode: 429, responseHeaders: { 'retry-after-ms': '0' } })

/** sup → mid twice at once → leaf; a retried call, one without usage, one that fails. */
function tree() {
  const leaf = new Agent({ id: 'leaf', description: 'd' })
  const mid = new Agent({ id: 'mid', description: 'd', agents: { leaf } })
  const broken = new Agent({ id: 'broken', description: 'd', maxRetries: 0 })
  const sup = new Agent({ id: 'sup', agents: { mid, broken } })
  const leafTurn: ScriptedTurn = { text: 'leaf', usage: null }
  const script = scriptedModels({
    sup: [{ calls: [ask('mid'), ask('mid'), ask('broken')], ...used(1, 2) }, busy, { text: 'end', ...used(4, 8) }],
    'sup/mid': [
      { calls: [ask('leaf')], ...used(100, 10) },
      { calls: [ask('leaf')], ...used(200, 20) },
      { text: 'mid', ...used(1000, 100) },
      { text: 'mid', ...used(1000, 100) },
    ],
    'sup/mid/leaf': [leafTurn, leafTurn],
    'sup/broken': [new Error('down')],
  })
  return { sup, script }
}

/** It runs to its end; what every hook was told. */
async function streamed() {
  const { sup, script } = tree()
  const told: DelegationEnvelope[] = []
  const run = await sup.stream('Go', {
    resolveModel: script.resolveModel,
    delegation: { onDelegationComplete: ({ result }) => void told.push(result) },
  })
  const chunks: Chunk[] = []
  for await (const chunk of run.events) chunks.push(chunk)
  script.assertDone()
  return { run, chunks, told }
}

describe('B2.11 S13 usage', () => {
  test('B2.11 usage is the agent’s own, totalUsage the sum of the tree, and calls that reported none are counted', async () => {
    const { run } = await streamed()
    // Own: two answers and one attempt that failed without usage.
    expect(await run.usage).toMatchObject({
      inputTokens: 5,
      outputTokens: 10,
      totalTokens: 15,
      calls: 3,
      unreportedCalls: 1,
    })
    // The tree: four calls of mid, two of leaf without usage, one that failed.
    expect(await run.totalUsage).toMatchObject({
      inputTokens: 5 + 2300,
      outputTokens: 10 + 230,
      totalTokens: 15 + 2530,
      calls: 3 + 4 + 2 + 1,
      unreportedCalls: 1 + 2 + 1,
    })
  })

  test('B2.11 each delegation’s envelope, its end and its run’s finish carry its own sums', async () => {
    const { run, chunks, told } = await streamed()
    const envelopes = (await run.toolResults).map(({ result }) => result as DelegationEnvelope)
    expect(envelopes.map(({ usage }) => usage.calls)).toEqual([2, 2, 1])
    expect(envelopes.map(({ totalUsage }) => [totalUsage.calls, totalUsage.unreportedCalls])).toEqual([
      [3, 1],
      [3, 1],
      [1, 1],
    ])
    expect(envelopes.reduce((sum, { usage }) => sum + usage.totalTokens, 0)).toBe(2530)
    const ends = chunks.filter((chunk) => chunk.type === 'delegation-end' && chunk.path.length === 1)
    expect(ends.map(({ payload }) => (payload as { usage: unknown }).usage)).toEqual(
      expect.arrayContaining(envelopes.map(({ totalUsage }) => totalUsage)),
    )
    // The hooks are told the same, in the order in which the delegations ended.
    expect(new Set(told.map(({ totalUsage }) => totalUsage))).toEqual(new Set(envelopes.map((one) => one.totalUsage)))
    expect(told.map(({ usage }) => usage.totalTokens).toSorted()).toEqual(
      envelopes.map(({ usage }) => usage.totalTokens).toSorted(),
    )
    const finish = chunks.at(-1)
    expect(finish).toMatchObject({
      type: 'finish',
      payload: { output: { usage: await run.usage }, totalUsage: await run.totalUsage },
    })
    // Every step says what it used, and the steps of the tree add up to the whole.
    const steps = chunks.flatMap((chunk) =>
      chunk.type === 'step-finish' ? [chunk.payload.output.usage.totalTokens] : [],
    )
    expect(steps.reduce((sum, tokens) => sum + tokens, 0)).toBe((await run.totalUsage).totalTokens)
  })

  test('B2.11 generate gives the same sums', async () => {
    const { sup, script } = tree()
    const result = await sup.generate('Go', { resolveModel: script.resolveModel })
    const { run } = await streamed()
    expect([result.usage, result.totalUsage]).toEqual([await run.usage, await run.totalUsage])
  })
})
