import { describe, expect, test } from 'vitest'
import { Agent, type Chunk, isAgent } from '../agent/index.ts'
import { isRetinueError, RetinueError } from '../errors/index.ts'
import { type DelegationEnvelope, isEnvelope } from '../events/envelope.ts'
import { scriptedModels } from '../testing/index.ts'
import { type DelegatedRequest, type DelegateTarget, isDelegateTarget } from './delegate-target.ts'

const PROMPT = { prompt: 'P' }

/** A supervisor delegates to code that is not ours. */
async function delegated(
  runDelegated: (request: DelegatedRequest) => unknown,
  onStart?: (abort: () => void) => void,
  extra: Partial<DelegateTarget> = {},
) {
  const remote: DelegateTarget = {
    id: 'remote-agent',
    description: 'Far away.',
    runDelegated: runDelegated as DelegateTarget['runDelegated'],
    ...extra,
  }
  const script = scriptedModels({
    sup: [{ text: 'Asking.', calls: [{ id: 'c', name: 'remote', args: PROMPT }] }, { text: 'end' }],
  })
  const sup = new Agent({ id: 'sup', agents: { remote } })
  const run = await sup.stream('Go', { resolveModel: script.resolveModel, runId: 'run' })
  onStart?.(() => run.abort())
  const chunks: Chunk[] = []
  for await (const chunk of run.events) chunks.push(chunk)
  return {
    run,
    chunks,
    envelope: (await run.toolResults)[0]?.result as DelegationEnvelope,
    read: script.calls('sup')[1]?.text ?? '',
    totalUsage: await run.totalUsage,
  }
}

const answer = (more: object = {}) => ({ text: 'From afar.', finishReason: 'stop', ...more })

describe('B1.4 a target that is no agent of ours', () => {
  test('B2.10 a budget of its own that it has spent ends it, and not its parent', async () => {
    const data = { limit: 'tokens', used: 'all', ownerRunId: 'run', own: false }
    const error = new RetinueError({ code: 'budget-spent', message: 'My budget is spent.', data })
    const { run, envelope } = await delegated(() => answer({ text: '', finishReason: 'over-budget', error }))
    expect(envelope.status).not.toBe('completed')
    expect(await run.result).toMatchObject({ text: 'end', finishReason: 'stop', error: undefined })
  })

  test('B1.4 it gets the prompt, the conversation, a path, a run id, a context and the signal', async () => {
    let got: DelegatedRequest | undefined
    const { envelope, read } = await delegated((request) => {
      got = request
      return answer({ usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10, calls: 1 } })
    })
    expect(got).toMatchObject({ prompt: 'P', input: undefined, runId: 'run.1', path: ['sup', 'remote'] })
    expect(got?.messages.map((message) => message.role)).toEqual(['user', 'assistant'])
    expect(got?.abortSignal.aborted).toBe(false)
    expect(got?.requestContext.get('x')).toBeUndefined()
    expect(envelope).toMatchObject({
      status: 'completed',
      text: 'From afar.',
      sources: [],
      files: [],
      subAgentToolResults: [],
    })
    expect(envelope.totalUsage).toMatchObject({ totalTokens: 10, calls: 1 })
    expect(read).toContain('tool: From afar.')
  })

  test('B1.4 one of another copy of this package is known by its form, and our objects by their brands', () => {
    const other = { id: 'x', runDelegated: () => {}, [Symbol.for('retinue.agent')]: true }
    expect([isDelegateTarget(other), isAgent(other), isAgent({ ...other, [Symbol.for('retinue.agent')]: 1 })]).toEqual([
      true,
      true,
      false,
    ])
    expect(isEnvelope({ [Symbol.for('retinue.envelope')]: true })).toBe(true)
    expect(
      isRetinueError(Object.assign(new Error('x'), { [Symbol.for('retinue.error')]: true, code: 'tool-failed' })),
    ).toBe(true)
  })

  test.each([
    {},
    { id: 'x' },
    { id: 5, runDelegated: () => {} },
    { id: 'x', description: 5, runDelegated: () => {} },
    null,
    'x',
    [],
  ])('B1.4 %j is no target, and that is an error when the agent is made', (bad) => {
    expect(isDelegateTarget(bad)).toBe(false)
    expect(() => new Agent({ id: 'sup', agents: { bad: bad as never } })).toThrow(
      /"bad" in the agents of the agent "sup" is no agent/,
    )
  })

  test('B2.5 it hands over its typed input as a value, and as JSON', async () => {
    let got: DelegatedRequest | undefined
    const runDelegated = (request: DelegatedRequest) => {
      got = request
      return answer()
    }
    await delegated(runDelegated, undefined, {
      inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    })
    expect([got?.prompt, got?.input]).toEqual(['{"prompt":"P"}', PROMPT])
  })

  const nonsense: [string, unknown][] = [
    ['nothing', undefined],
    ['a text', 'done'],
    ['no text', { finishReason: 'stop' }],
    ['no finish reason', { text: 'x' }],
    ['an unknown finish reason', answer({ finishReason: 'toString' })],
  ]
  test.each(nonsense)('B2.5 one that gives %s has failed', async (_name, given) => {
    const { envelope, read } = await delegated(() => given)
    expect(envelope).toMatchObject({ status: 'failed', text: '', error: { code: 'delegation-failed' } })
    expect(read).toContain('[remote: failed. It broke off with an error.]')
  })

  test('B2.5 odd members of a result are left out, and spoil no sum', async () => {
    const { envelope, totalUsage } = await delegated(() =>
      answer({
        usage: { inputTokens: 'many', outputTokens: Number.NaN, totalTokens: -5, calls: 1, reasoningTokens: undefined },
        sources: 'none',
        files: [null, 'x', { mediaType: 'image/png', data: 'AA==' }],
        toolResults: { a: 1 },
        error: null,
        extra: 'kept out',
      }),
    )
    expect(envelope).toMatchObject({
      status: 'completed',
      sources: [],
      files: [{ mediaType: 'image/png', data: 'AA==' }],
      subAgentToolResults: [],
    })
    expect(envelope).not.toHaveProperty('extra')
    expect(totalUsage).toMatchObject({
      inputTokens: 20,
      outputTokens: 10,
      totalTokens: 30,
      reasoningTokens: 0,
      calls: 3,
    })
  })

  test('B2.5 an answer that is only an object is read as JSON', async () => {
    const { envelope, read } = await delegated(() => answer({ text: '', object: { n: 1 } }))
    expect(envelope).toMatchObject({ status: 'completed', object: { n: 1 } })
    expect(read).toContain('tool: {"n":1}')
  })

  test.each(['sync', 'async'])(
    'B2.6 B12.2 the words of one that throws (%s) are the application’s, without keys',
    async (how) => {
      const raw = new Error('CANARY Bearer abcdef.123')
      const { envelope, read } = await delegated(() => {
        if (how === 'sync') throw raw
        return Promise.reject(raw)
      })
      expect(envelope).toMatchObject({
        status: 'failed',
        error: { code: 'delegation-failed', message: '"remote" failed: CANARY Bearer …' },
      })
      expect(envelope.error?.cause).toBe(raw)
      expect(read).not.toContain('CANARY')
    },
  )

  test.each([new Error('CANARY'), { code: 'answer-invalid', message: 'CANARY' }, 'CANARY'])(
    'B2.6 B12.2 an error of its result that is not ours (%s) reaches no model',
    async (error) => {
      const { envelope, read } = await delegated(() => answer({ text: 'part', finishReason: 'error', error }))
      expect(envelope).toMatchObject({ status: 'failed', text: 'part', error: { code: 'delegation-failed' } })
      expect(envelope.error?.message).toContain('CANARY')
      expect(read).toContain('[remote: failed. It broke off with an error.]\npart')
      expect(read).not.toContain('CANARY')
    },
  )

  test('B2.5 stop with an error is failed', async () => {
    const error = new RetinueError({ code: 'answer-invalid', message: 'It does not fit.' })
    const { envelope, read } = await delegated(() => answer({ error }))
    expect(envelope).toMatchObject({ status: 'failed', error: { code: 'answer-invalid' } })
    expect(read).toContain('[remote: failed. It does not fit.]')
  })

  test('B7.7 one that ignores an abort is not waited for, and what it gives later changes nothing', async () => {
    let finish = (_result: unknown): void => {}
    let begin = (): void => {}
    const began = new Promise<void>((resolve) => {
      begin = resolve
    })
    const { envelope, chunks, run, totalUsage } = await delegated(
      () => {
        begin()
        return new Promise((resolve) => {
          finish = resolve
        })
      },
      (abort) => void began.then(abort),
    )
    expect(envelope).toMatchObject({ status: 'cancelled', text: '' })
    expect(chunks.filter((chunk) => chunk.type === 'delegation-end')).toHaveLength(1)
    expect(chunks.at(-1)?.type).toBe('finish')
    finish(answer({ usage: { totalTokens: 99 } }))
    await Promise.resolve()
    const late: Chunk[] = []
    for await (const chunk of run.events) late.push(chunk)
    expect(late).toEqual(chunks)
    expect(totalUsage.totalTokens).toBe(15)
  })

  test('B7.7 one that throws because of an abort is cancelled', async () => {
    let begin = (): void => {}
    const began = new Promise<void>((resolve) => {
      begin = resolve
    })
    const { envelope } = await delegated(
      ({ abortSignal }) => {
        begin()
        return new Promise((_resolve, reject) =>
          abortSignal.addEventListener('abort', () => reject(abortSignal.reason)),
        )
      },
      (abort) => void began.then(abort),
    )
    expect(envelope.status).toBe('cancelled')
  })
})
