import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createScorer, type Score, type Scorer } from '../evals/index.ts'
import type { CompletionCheck } from '../events/completion-check.ts'
import type { Processor } from '../processors/index.ts'
import { type ScriptedTurn, scriptedModel, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'
import { Agent, type RunOptions, type TaskCompletion } from './index.ts'

/** A scorer that passes an answer that holds a word, and says what is missing else. */
const holds = (word: string): Scorer =>
  createScorer({ id: word, name: `Has ${word}` })
    .generateScore(({ run }) => (run.output.includes(word) ? 1 : 0))
    .generateReason(({ score }) => (score === 1 ? 'fine' : `There is no ${word}.`))

/** A scorer of plain code, which gives `scores` one after the other; an error is thrown. */
function gives(...scores: unknown[]): Scorer & { asked: number } {
  const scorer = {
    id: 'given',
    asked: 0,
    run: async () => {
      const score = scores[Math.min(scorer.asked++, scores.length - 1)]
      if (score instanceof Error || score === null) throw score
      return { score } as Score
    },
  }
  return scorer
}

async function run(turns: readonly ScriptedTurn[], completion: TaskCompletion, options: RunOptions = {}) {
  const model = scriptedModel(turns)
  const look = createTool({ id: 'look', execute: () => 'seen' })
  const agent = new Agent({ id: 'a', model, tools: { look } })
  const result = await agent.generate('Go', { isTaskComplete: completion, ...options })
  return { model, result }
}

const answers = (...texts: string[]): ScriptedTurn[] => texts.map((text) => ({ text }))

describe('B5.2 the check of completion', () => {
  test('B5.2 an answer that does not pass goes on: the failed scorers’ reasons are read, and the next answer is checked', async () => {
    const checks: CompletionCheck[] = []
    const { model, result } = await run(answers('an analysis', 'analysis and advice'), {
      scorers: [holds('analysis'), holds('advice')],
      onComplete: (check) => void checks.push(check),
    })
    expect(result).toMatchObject({ text: 'analysis and advice', finishReason: 'stop', completion: { complete: true } })
    expect(model.calls[1]?.text).toContain('[retinue] The task is not complete yet: every check has to pass')
    expect(model.calls[1]?.text).toContain('- Has advice: There is no advice.')
    expect(model.calls[1]?.text).not.toContain('Has analysis')
    expect(checks.map(({ complete, iteration }) => [complete, iteration])).toEqual([
      [false, 1],
      [true, 2],
    ])
  })

  test('B5.2 `any` needs one, and tells that one is enough', async () => {
    const { model } = await run(answers('analysis'), { scorers: [holds('analysis'), holds('advice')], strategy: 'any' })
    expect(model.calls).toHaveLength(1)
    const again = await run(answers('x', 'advice'), { scorers: [holds('analysis'), holds('advice')], strategy: 'any' })
    expect(again.model.calls[1]?.text).toContain('one of the checks has to pass')
  })

  test('B5.2 at maxSteps the finish reason is `incomplete`, with the last answer', async () => {
    const { model, result } = await run(answers('one', 'two', 'three'), { scorers: [holds('advice')] }, { maxSteps: 3 })
    expect(result).toMatchObject({
      finishReason: 'incomplete',
      text: 'three',
      completion: { complete: false, iteration: 3 },
    })
    expect(model.calls).toHaveLength(3)
  })

  test('B5.2 only answers are checked, not steps that call tools', async () => {
    const scorer = gives(1)
    await run([{ calls: [{ name: 'look', args: {} }] }, { text: 'x' }], { scorers: [scorer] })
    expect(scorer.asked).toBe(1)
    const cut = gives(0)
    const { result } = await run([{ text: 'x', finish: 'length' }], { scorers: [cut] })
    expect([cut.asked, result.finishReason, result.completion]).toEqual([0, 'length', undefined])
  })

  test.each([
    [0.99, 'incomplete'],
    [1, 'stop'],
    [2, 'incomplete'],
    [-1, 'incomplete'],
  ])('B5.2 a scorer passes at 1 and at nothing else: %f', async (score, reason) => {
    const { result } = await run(answers('x'), { scorers: [gives(score)] }, { maxSteps: 1 })
    expect(result.finishReason).toBe(reason)
  })

  test('B5.2 suppressFeedback: the model is asked to go on and not told what was said', async () => {
    const { model } = await run(answers('x', 'advice'), { scorers: [holds('advice')], suppressFeedback: true })
    expect(model.calls[1]?.text).toMatch(/\[retinue\] Go on with the task/)
    expect(model.calls[1]?.text).not.toContain('There is no')
  })

  test('B5.2 in order, `all` stops at the first that fails and `any` at the first that passes', async () => {
    const late = gives(1)
    await run(answers('x'), { scorers: [holds('advice'), late], parallel: false }, { maxSteps: 1 })
    expect(late.asked).toBe(0)
    const { result } = await run(answers('x'), { scorers: [holds('x'), late], parallel: false, strategy: 'any' })
    expect([late.asked, result.completion?.scorers.length]).toEqual([0, 1])
  })

  test('B5.2 at the same time, every scorer that fails is heard', async () => {
    const { model } = await run(answers('x', 'advice and analysis'), { scorers: [holds('advice'), holds('analysis')] })
    expect(model.calls[1]?.text).toMatch(/no advice[\s\S]*no analysis/)
  })

  test('B5.2 B2.2 a subagent that is delegated to next sees the feedback too', async () => {
    const models = scriptedModels({
      a: [{ text: 'x' }, { calls: [{ name: 'child', args: { prompt: 'help' } }] }, { text: 'advice' }],
      'a/child': [{ text: 'ok' }],
    })
    const agent = new Agent({ id: 'a', agents: { child: new Agent({ id: 'c', description: 'd' }) } })
    await agent.generate('Go', { resolveModel: models.resolveModel, isTaskComplete: { scorers: [holds('advice')] } })
    expect(models.calls('a/child')[0]?.text).toContain('There is no advice.')
  })

  test('B5.2 a child has its own check: incomplete is `partial`, and its parent is told', async () => {
    const models = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'help' } }] }, { text: 'done' }],
      'a/child': [{ text: 'x' }],
    })
    const defaultOptions = { isTaskComplete: { scorers: [holds('advice')] }, maxSteps: 1 }
    const child = new Agent({ id: 'c', description: 'd', defaultOptions })
    const result = await new Agent({ id: 'a', agents: { child } }).generate('Go', { resolveModel: models.resolveModel })
    expect(result.toolResults[0]?.result).toMatchObject({ status: 'partial', finishReason: 'incomplete', text: 'x' })
    expect(models.calls('a')[1]?.text).toContain(
      '[child: partial. Its answer did not pass its own check of completion.]',
    )
    expect(result.finishReason).toBe('stop')
  })

  test('B5.2 B2.12 a relayed answer is checked as the run’s own', async () => {
    const models = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'help' } }] }, { text: 'advice' }],
      'a/child': [{ text: 'x' }],
    })
    const child = new Agent({ id: 'c', description: 'd', relay: true })
    const agent = new Agent({ id: 'a', agents: { child } })
    const isTaskComplete = { scorers: [holds('advice')] }
    const result = await agent.generate('Go', { resolveModel: models.resolveModel, isTaskComplete })
    expect(result.text).toBe('advice')
  })

  test('B5.2 B2.10 what the budget has nothing for is not asked for', async () => {
    const { result } = await run(answers('x'), { scorers: [holds('advice')] }, { budget: { tokens: 5 } })
    expect(result.finishReason).toBe('over-budget')
  })

  test('B5.4 B5.2 what scorers see: the task, the messages, the answer, the calls and results of all steps', async () => {
    const seen: unknown[] = []
    const scorer: Scorer = {
      id: 's',
      run: async (request) => {
        seen.push(request)
        return { score: 1 }
      },
    }
    await run([{ calls: [{ name: 'look', args: {} }] }, { text: 'x' }], { scorers: [scorer] })
    expect(seen[0]).toMatchObject({
      input: {
        task: 'Go',
        messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }, { role: 'assistant' }],
      },
      output: 'x',
      toolCalls: [{ toolName: 'look' }],
      toolResults: [{ result: 'seen' }],
      iteration: 2,
      maxIterations: 10,
      agentId: 'a',
      path: ['a'],
    })
  })
})

describe('B5.3 a scorer that can’t say', () => {
  const bad: [string, unknown][] = [
    ['throws', new Error('boom')],
    ['throws null', null],
    ['NaN', Number.NaN],
    ["'1'", '1'],
    ['an object', { score: 1 }],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['true', true],
  ]

  test.each(bad)(
    'B5.3 S23 %s: asked twice, then the run ends as incomplete, and the model is not blamed',
    async (_name, score) => {
      const scorer = gives(score)
      const { model, result } = await run(answers('x', 'y'), { scorers: [scorer] })
      expect([scorer.asked, model.calls.length, result.finishReason]).toEqual([2, 1, 'incomplete'])
      const [verdict] = result.completion?.scorers ?? []
      expect(verdict).toMatchObject({
        errored: true,
        passed: false,
        error: { code: expect.stringMatching(/^scorer-/) },
      })
      expect(verdict).not.toHaveProperty('score')
    },
  )

  test.each(bad)('B5.3 %s, and then a verdict: the verdict counts', async (_name, score) => {
    const { result } = await run(answers('x'), { scorers: [gives(score, 1)] })
    expect(result).toMatchObject({ finishReason: 'stop', completion: { complete: true } })
  })

  test('B5.3 `continue` goes on, without words that blame; `throw` ends with an error', async () => {
    const broken = () => gives(new Error('boom'), new Error('boom'), 1)
    const { model, result } = await run(answers('x', 'y'), { scorers: [broken()], onScorerError: 'continue' })
    expect([result.text, result.finishReason]).toEqual(['y', 'stop'])
    expect(model.calls[1]?.text).not.toContain('not complete')
    const running = run(answers('x'), { scorers: [broken()], onScorerError: 'throw' })
    await expect(running).rejects.toMatchObject({ code: 'completion-unjudged', data: { scorer: 'given' } })
    await expect(running).rejects.toMatchObject({ hint: expect.stringContaining("'incomplete' or 'continue'") })
    const { result: incomplete } = await run(answers('x'), { scorers: [broken()] })
    expect(incomplete.error?.hint).toBe("Mend the scorer, or set isTaskComplete.onScorerError to 'continue'.")
  })

  test('B5.2 an answer whose provider gives another reason for its end is checked too', async () => {
    const turns: ScriptedTurn[] = [{ text: 'x', finish: 'other' }, { text: 'advice' }]
    const { result } = await run(turns, { scorers: [holds('advice')] })
    expect([result.text, result.finishReason]).toEqual(['advice', 'stop'])
  })

  test('B5.2 what a processor stopped is no answer to be judged', async () => {
    const scorer = gives(1)
    const outputProcessors: Processor[] = [
      { id: 'guard', processOutputStream: ({ part, abort }) => (part.type === 'text-delta' ? abort('no') : part) },
    ]
    const agent = new Agent({ id: 'a', model: scriptedModel(answers('x')), outputProcessors })
    const { finishReason } = await agent.generate('Go', { isTaskComplete: { scorers: [scorer] } })
    expect([finishReason, scorer.asked]).toEqual(['other', 0])
  })

  test('B5.3 under `any` one that is called off in its second attempt has said nothing', async () => {
    const second = Promise.withResolvers<void>()
    let asked = 0
    const slow: Scorer = {
      id: 'slow',
      run: ({ abortSignal }) => {
        if (++asked === 1) throw new Error('boom')
        second.resolve()
        // Whoever calls it off gets a rejection.
        return new Promise((_, reject) => abortSignal?.addEventListener('abort', () => reject(new Error('off'))))
      },
    }
    const passes: Scorer = { id: 'passes', run: () => second.promise.then(() => ({ score: 1 })) }
    const { result } = await run(answers('x'), { scorers: [slow, passes], strategy: 'any' })
    expect(asked).toBe(2)
    expect(result.completion?.scorers.map(({ scorerId }) => scorerId)).toEqual(['passes'])
  })

  test('B5.3 under `any` one that passes is enough, whatever the others do', async () => {
    const { result } = await run(answers('x'), { scorers: [gives(new Error('boom')), holds('x')], strategy: 'any' })
    expect(result.finishReason).toBe('stop')
  })

  test('B5.3 `continue` tells the model of those that failed and of no error', async () => {
    const scorers = [gives(new Error('secret boom')), holds('advice')]
    const { model } = await run(answers('x', 'y'), { scorers, onScorerError: 'continue' }, { maxSteps: 2 })
    expect(model.calls[1]?.text).toContain('no advice')
    expect(model.calls[1]?.text).not.toContain('boom')
  })

  describe('time', () => {
    beforeEach(() => {
      vi.useFakeTimers()
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    const hangs = (): Scorer & { asked: number; late: ((score: Score) => void)[] } => {
      const scorer = {
        id: 'slow',
        asked: 0,
        late: [] as ((score: Score) => void)[],
        run: () => {
          scorer.asked += 1
          return new Promise<Score>((resolve) => scorer.late.push(resolve))
        },
      }
      return scorer
    }

    test.each([true, false])(
      'B5.3 S23 one that hangs is given up after its time, twice; a later verdict is ignored (parallel: %s)',
      async (parallel) => {
        const scorer = hangs()
        const running = run(answers('x'), { scorers: [scorer], timeout: 1000, parallel })
        await vi.advanceTimersByTimeAsync(1000)
        scorer.late[0]?.({ score: 1 })
        await vi.advanceTimersByTimeAsync(1000)
        scorer.late[1]?.({ score: 1 })
        const { result } = await running
        expect(result).toMatchObject({
          finishReason: 'incomplete',
          completion: { complete: false, timedOut: true, durationMs: 2000 },
        })
        expect(result.completion?.scorers).toMatchObject([
          { timedOut: true, errored: true, error: { code: 'scorer-timed-out' }, durationMs: 2000 },
        ])
        expect(scorer.asked).toBe(2)
        expect(vi.getTimerCount()).toBe(0)
      },
    )

    test('B5.3 no timer is left behind, whatever the outcome', async () => {
      await run(answers('x'), { scorers: [holds('x'), gives(0)], timeout: 1000, strategy: 'any' })
      await run(answers('x'), { scorers: [gives(new Error('boom'))], timeout: 1000 })
      expect(vi.getTimerCount()).toBe(0)
    })

    test('B5.3 under `any` one that passes ends the waiting for those that hang, and they are told', async () => {
      let signal: AbortSignal | undefined
      const slow: Scorer = {
        id: 'slow',
        run: ({ abortSignal }) => {
          signal = abortSignal
          return new Promise(() => {})
        },
      }
      const { result } = await run(answers('x'), { scorers: [slow, holds('x')], strategy: 'any' })
      expect([result.finishReason, signal?.aborted, vi.getTimerCount()]).toEqual(['stop', true, 0])
    })

    test('B7.7 an abort ends the check at once, and nothing is asked again', async () => {
      const scorer = hangs()
      const controller = new AbortController()
      const running = run(answers('x'), { scorers: [scorer] }, { abortSignal: controller.signal })
      await vi.waitFor(() => expect(scorer.asked).toBe(1))
      controller.abort()
      const { result } = await running
      expect([result.finishReason, result.completion, scorer.asked, vi.getTimerCount()]).toEqual([
        'aborted',
        undefined,
        1,
        0,
      ])
    })
  })
})

describe('B5.6 what is told of a check', () => {
  test('B5.6 the chunk, the callback and the result carry the same; the chunk comes before the end of its step', async () => {
    const model = scriptedModel(answers('x', 'advice'))
    const checks: CompletionCheck[] = []
    const onComplete = (check: CompletionCheck) => void checks.push(check)
    const stream = await new Agent({ id: 'a', model }).stream('Go', {
      isTaskComplete: { scorers: [holds('advice')], onComplete },
    })
    const types: string[] = []
    const chunks: CompletionCheck[] = []
    for await (const chunk of stream.fullStream) {
      if (chunk.type === 'is-task-complete') chunks.push(chunk.payload)
      if (['is-task-complete', 'step-finish', 'finish'].includes(chunk.type)) types.push(chunk.type)
    }
    expect(types).toEqual(['is-task-complete', 'step-finish', 'is-task-complete', 'step-finish', 'finish'])
    expect(chunks).toEqual(checks)
    expect((await stream.result).completion).toEqual(checks[1])
    expect(checks[0]).toMatchObject({
      complete: false,
      timedOut: false,
      strategy: 'all',
      scorers: [
        { scorerId: 'advice', scorerName: 'Has advice', score: 0, passed: false, reason: 'There is no advice.' },
      ],
    })
    expect(checks[0]?.scorers[0]?.durationMs).toBeTypeOf('number')
  })

  test('B5.6 an onComplete that throws is reported and changes nothing', async () => {
    const model = scriptedModel(answers('x'))
    const onComplete = () => {
      throw new Error('boom')
    }
    const stream = await new Agent({ id: 'a', model }).stream('Go', {
      isTaskComplete: { scorers: [holds('x')], onComplete },
    })
    const errors: unknown[] = []
    for await (const chunk of stream.events) if (chunk.type === 'error') errors.push(chunk.payload.error.code)
    expect([errors, await stream.finishReason]).toEqual([['callback-failed'], 'stop'])
  })
})

describe('B5.1 B5.2 beside the iteration hook', () => {
  test('B5.1 the hook comes after the check, and sees that it is not final', async () => {
    const order: unknown[] = []
    await run(
      answers('x', 'advice'),
      { scorers: [holds('advice')], onComplete: ({ complete }) => void order.push(complete) },
      { onIterationComplete: ({ isFinal }) => void order.push(isFinal) },
    )
    expect(order).toEqual([false, false, true, true])
  })

  test('B5.1 `{ continue: false }` wins over an incomplete check', async () => {
    const { model, result } = await run(
      answers('x'),
      { scorers: [holds('advice')] },
      { onIterationComplete: () => ({ continue: false }) },
    )
    expect([model.calls.length, result.finishReason]).toEqual([1, 'stop'])
    expect(result.response.messages).toHaveLength(1)
  })

  test('B5.1 feedback of both is read', async () => {
    const { model } = await run(
      answers('x', 'advice'),
      { scorers: [holds('advice')] },
      { onIterationComplete: () => ({ feedback: 'Be kind.' }) },
    )
    expect(model.calls[1]?.text).toMatch(/There is no advice[\s\S]*Be kind\./)
  })
})

test.each<[unknown, string]>([
  ['x', 'option-invalid'],
  [{}, 'option-invalid'],
  [{ scorers: [] }, 'option-invalid'],
  [{ scorers: [{ id: 's' }] }, 'option-invalid'],
  [{ scorers: [holds('a'), holds('a')] }, 'option-invalid'],
  [{ scorers: [holds('a')], strategy: 'most' }, 'option-invalid'],
  [{ scorers: [holds('a')], timeout: 0 }, 'option-invalid'],
  [{ scorers: [holds('a')], onScorerError: 'ignore' }, 'option-invalid'],
  [{ scorers: [holds('a')], scorer: 1 }, 'option-unknown'],
])('B5.2 a check that checks nothing is an error before anything runs: %#', async (completion, code) => {
  await expect(run([], completion as TaskCompletion)).rejects.toMatchObject({ code })
})

describe('B5.2 what ends beside the check', () => {
  const look = createTool({ id: 'look', execute: () => 'seen' })
  const use = { calls: [{ name: 'look', args: {} }] }

  test('B5.2 stopWhen is asked of steps with calls, and turns no failed check into `stop`', async () => {
    const { model, result } = await run(
      answers('x', 'advice'),
      { scorers: [holds('advice')] },
      { stopWhen: () => true },
    )
    expect([model.calls.length, result.finishReason]).toEqual([2, 'stop'])
    const stopped = await run([use], { scorers: [holds('advice')] }, { stopWhen: () => true })
    expect(stopped.result).toMatchObject({ finishReason: 'stop', completion: undefined })
  })

  test('B5.2 an answer that was rejected is not the object of the run', async () => {
    const model = scriptedModel([{ text: '{"a":1}' }, use])
    const agent = new Agent({ id: 'a', model, tools: { look } })
    const structuredOutput = { schema: { type: 'object', properties: { a: { type: 'number' } } } } as const
    const result = await agent.generate('Go', {
      maxSteps: 2,
      structuredOutput,
      isTaskComplete: { scorers: [gives(0)] },
    })
    expect([result.finishReason, result.object]).toEqual(['max-steps', undefined])
  })

  test('B5.1 a last answer that does not fit its schema is an error, as any other', async () => {
    const model = scriptedModel([use, { text: 'no json' }])
    const agent = new Agent({ id: 'a', model, tools: { look } })
    const onIterationComplete = () => ({ continue: false, feedback: 'Answer.' })
    const running = agent.generate('Go', { structuredOutput: { schema: { type: 'object' } }, onIterationComplete })
    await expect(running).rejects.toMatchObject({ code: 'answer-invalid' })
    expect(model.calls[1]?.text.split('Answer.')).toHaveLength(2)
  })

  test('B5.3 a run that could not be judged says so, to whoever started it and to a parent', async () => {
    const { result } = await run(answers('x'), { scorers: [gives(new Error('hunter2'))] })
    expect(result).toMatchObject({ finishReason: 'incomplete', error: { code: 'completion-unjudged' } })
    const models = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'done' }],
      'a/child': [{ text: 'x' }],
    })
    const defaultOptions = { isTaskComplete: { scorers: [gives(new Error('hunter2'))] } }
    const child = new Agent({ id: 'c', description: 'd', defaultOptions })
    await new Agent({ id: 'a', agents: { child } }).generate('Go', { resolveModel: models.resolveModel })
    expect(models.calls('a')[1]?.text).toContain(
      '[child: partial. Whether its answer is complete could not be judged.]',
    )
  })

  test('B7.7 an abort inside onComplete ends the run as aborted', async () => {
    const controller = new AbortController()
    const onComplete = () => controller.abort()
    const { result } = await run(
      answers('x'),
      { scorers: [holds('x')], onComplete },
      { abortSignal: controller.signal },
    )
    expect(result.finishReason).toBe('aborted')
  })
})

describe('B2.10 B2.11 judges', () => {
  const judged = (model: ReturnType<typeof scriptedModel> | string) =>
    createScorer({ id: 'judge', judge: { model, maxRetries: 0 } }).generateScore({
      description: 'd',
      createPrompt: () => 'Grade it.',
    })

  test('B2.11 what a judge uses is in the total, and under the budget', async () => {
    const judge = scriptedModel([
      { text: '{"score":0}', usage: { input: 1000, output: 0 } },
      { text: '{"score":1}', usage: { input: 1000, output: 0 } },
    ])
    const { result } = await run(answers('x', 'y'), { scorers: [judged(judge)] })
    expect([result.usage.inputTokens, result.totalUsage.inputTokens]).toEqual([20, 2020])
    const poor = scriptedModel([{ text: '{"score":0}', usage: { input: 1000, output: 0 } }])
    const spent = await run(answers('x'), { scorers: [judged(poor)] }, { budget: { tokens: 500 } })
    expect(spent.result.finishReason).toBe('over-budget')
  })

  test('B1.2 a judge is made with the providers of the run', async () => {
    const judge = scriptedModel([{ text: '{"score":1}' }])
    const { result } = await run(answers('x'), { scorers: [judged('mine/x')] }, { providers: { mine: () => judge } })
    expect(result.finishReason).toBe('stop')
  })

  test('S22 a judge that fails is not asked all over again', async () => {
    const denied = Object.assign(new Error('no'), { statusCode: 401 })
    const judge = scriptedModel([denied])
    const { result } = await run(answers('x'), { scorers: [judged(judge)] })
    expect([judge.calls.length, result.finishReason]).toEqual([1, 'incomplete'])
  })

  test('B5.4 what a scorer is shown it can’t rewrite', async () => {
    const scorer: Scorer = {
      id: 's',
      run: async ({ input, toolCalls }) => {
        const message = (input as unknown as { messages: { content: unknown[] }[] }).messages[0]
        expect(() => message?.content.pop()).toThrow(TypeError)
        ;(toolCalls as unknown[]).length = 0
        return { score: 1 }
      },
    }
    const { result } = await run(answers('x'), { scorers: [scorer] })
    expect(result.finishReason).toBe('stop')
  })
})
