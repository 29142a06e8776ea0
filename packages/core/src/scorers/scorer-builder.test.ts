import { expect, test } from 'vitest'
import { typedError } from '../../test-support/typed-error.ts'
import { RetinueError } from '../errors/retinue-error.ts'
import type { AskJudge, JudgeQuestion } from './judge.ts'
import { ScorerBuilder } from './scorer-builder.ts'
import { assertScorerOptions } from './scorer-options.ts'

const noJudge: AskJudge = () => Promise.reject(new Error('nobody asks'))
const bare = (): ScorerBuilder => new ScorerBuilder({ id: 's' }, noJudge)
const judge = { model: 'openai/gpt-5-mini' }

/** The error of a call that must fail. */
test('B5.4 steps run in their order, and each sees the run and what the others gave before it', async () => {
  const seen: unknown[] = []
  const scorer = bare()
    .preprocess((context) => seen.push(context) && 'made ready')
    .analyze(async (context) => seen.push(context) && { found: 2 })
    .generateScore((context) => seen.push(context) && 0.5)
    .generateReason((context) => (seen.push(context) ? 'half of it' : ''))
  const run = { input: { task: 'do it', messages: [] }, output: 'done', runId: 'r1', groundTruth: 4 }
  expect(await scorer.run({ ...run, input: 'do it' })).toEqual({
    runId: 'r1',
    score: 0.5,
    reason: 'half of it',
    preprocessStepResult: 'made ready',
    analyzeStepResult: { found: 2 },
  })
  const ready = { preprocessStepResult: 'made ready' }
  const analyzed = { ...ready, analyzeStepResult: { found: 2 } }
  expect(seen).toEqual([
    { run, results: {} },
    { run, results: ready },
    { run, results: analyzed },
    { run, results: { ...analyzed, generateScoreStepResult: 0.5 }, score: 0.5 },
  ])
})

test('B5.4 a step that was not defined has no result, and a run without an id gets one', async () => {
  const { runId, ...rest } = await bare()
    .generateScore(({ results }) => Object.keys(results).length)
    .run({ output: '' })
  expect([rest, runId.length > 10]).toEqual([{ score: 0 }, true])
})

test('B5.4 what a step does to its results is seen by no other', async () => {
  const scorer = bare()
    .preprocess(() => 1)
    .analyze(({ results }) => {
      ;(results as { preprocessStepResult: number }).preprocessStepResult = 9
    })
    .generateScore(({ results }) => results.preprocessStepResult as number)
  expect((await scorer.run({ output: 'x' })).score).toBe(1)
})

test('B5.4 a scorer never changes: each step makes a new one', async () => {
  const base = bare().preprocess(() => 'base')
  const one = base.generateScore(() => 1)
  const zero = base.generateScore(() => 0)
  expect([(await one.run({ output: '' })).score, (await zero.run({ output: '' })).score]).toEqual([1, 0])
  expect((await typedError(base.run({ output: '' }))).code).toBe('scorer-invalid')
})

test('B5.4 steps that are out of order, twice, or none are refused when the scorer is made', () => {
  const one = (): number => 1
  const why = (): string => ''
  const wrong: [() => unknown, string][] = [
    [() => bare().analyze(one).preprocess(one), 'analyze already'],
    [() => bare().preprocess(one).preprocess(one), 'preprocess already'],
    [() => bare().generateScore(one).analyze(one), 'generateScore already'],
    [() => bare().generateScore(one).generateReason(why).generateReason(why), 'generateReason already'],
    [() => bare().generateReason(why), 'no score'],
    [() => bare().generateScore('1' as never), 'no step'],
    [() => bare().generateScore({ createPrompt: () => '' }), 'no judge for generateScore'],
    [
      () => new ScorerBuilder({ id: 's', judge }, noJudge).analyze({ createPrompt: () => '' }),
      'what the judge answers',
    ],
    [() => bare().generateScore({ createPrompt: () => '', judge: {} as never }), 'no model'],
  ]
  for (const [make, problem] of wrong) {
    expect(make, problem).toThrow(expect.objectContaining({ code: 'scorer-invalid' }))
    expect(make, problem).toThrow(problem)
  }
})

test('B5.4 options that make no scorer are refused', () => {
  const wrong: unknown[] = [
    undefined,
    {},
    { id: ' ' },
    { id: 's', name: 1 },
    { id: 's', type: 'other' },
    { id: 's', judge: { model: [] } },
    { id: 's', judge: { model: {} } },
    { id: 's', judge: { ...judge, instructions: 1 } },
    { id: 's', judge: { ...judge, maxRetries: -1 } },
  ]
  for (const options of wrong)
    expect(() => assertScorerOptions(options), JSON.stringify(options)).toThrow(
      expect.objectContaining({ code: 'scorer-invalid' }),
    )
  expect(() => assertScorerOptions({ id: 's', judgement: judge })).toThrow(
    expect.objectContaining({ code: 'option-unknown' }),
  )
})

test('B5.3 a score that is no finite number is an error, and never counts as 0', async () => {
  const wrong = [Number.NaN, Number.POSITIVE_INFINITY, '1', '', { score: 1 }, [1], true, null, undefined, 1n]
  for (const score of wrong) {
    const error = await typedError(
      bare()
        .generateScore(() => score)
        .run({ output: 'x' }),
    )
    expect([error.code, error.data], String(score)).toEqual(['scorer-score-invalid', { scorer: 's' }])
  }
  for (const score of [0, -0, 1, 0.5, -3, 7]) {
    expect(
      (
        await bare()
          .generateScore(() => score)
          .run({ output: 'x' })
      ).score,
    ).toBe(score)
  }
})

test('B5.3 whatever a step throws is an error that says which scorer and step, without keys', async () => {
  const one = (): number => 1
  for (const thrown of [new Error('boom'), null, undefined, 'boom', { message: 'boom' }, 0]) {
    const fail = (): never => {
      throw thrown
    }
    const scorers = {
      preprocess: bare().preprocess(fail).generateScore(one),
      analyze: bare().analyze(fail).generateScore(one),
      generateScore: bare().generateScore(async () => fail()),
      generateReason: bare().generateScore(one).generateReason(fail),
    }
    for (const [step, scorer] of Object.entries(scorers)) {
      const error = await typedError(scorer.run({ output: 'x' }))
      expect([error.code, error.data, error.cause], step).toEqual(['scorer-failed', { scorer: 's', step }, thrown])
    }
  }
  const leaky = bare().generateScore(() => {
    throw new Error('Bearer sk-abcdef123456')
  })
  expect((await typedError(leaky.run({ output: 'x' }))).message).toBe(
    'The scorer "s" failed in generateScore: Bearer …',
  )
})

test('B5.3 a reason that is no text is a failure too', async () => {
  for (const reason of [undefined, null, 1, ['x']]) {
    const scorer = bare()
      .generateScore(() => 1)
      .generateReason(() => reason)
    expect((await typedError(scorer.run({ output: 'x' }))).data).toEqual({ scorer: 's', step: 'generateReason' })
  }
})

test('B5.4 a run without an output can’t be graded', async () => {
  for (const run of [{}, { output: null }, undefined, 'text'])
    expect(
      (
        await typedError(
          bare()
            .generateScore(() => 1)
            .run(run as never),
        )
      ).code,
    ).toBe('scorer-input-missing')
})

test('B5.4 a prompt goes to the judge of its step, else of the scorer, with the schema of its answer', async () => {
  const asked: JudgeQuestion[] = []
  const ask: AskJudge = async (question) => {
    asked.push(question)
    return question.step === 'generateScore' ? { score: 1 } : question.step
  }
  const other = { model: 'anthropic/other' }
  const outputSchema = { type: 'object' } as const
  const createPrompt = ({ run }: { run: { output: string } }): string => `Grade ${run.output}`
  const result = await new ScorerBuilder({ id: 's', judge }, ask)
    .preprocess({ createPrompt, outputSchema })
    .analyze({ createPrompt, outputSchema, judge: other })
    .generateScore({ createPrompt })
    .generateReason({ createPrompt: async ({ score }) => `Why ${score}?` })
    .run({ output: 'it', runId: 'r' })
  expect(
    asked.map(({ judge: { model }, scorer, step, prompt, schema }) => [model, scorer, step, prompt, schema]),
  ).toEqual([
    ['openai/gpt-5-mini', 's', 'preprocess', 'Grade it', outputSchema],
    ['anthropic/other', 's', 'analyze', 'Grade it', outputSchema],
    ['openai/gpt-5-mini', 's', 'generateScore', 'Grade it', expect.objectContaining({ required: ['score'] })],
    ['openai/gpt-5-mini', 's', 'generateReason', 'Why 1?', undefined],
  ])
  expect(result).toEqual({
    runId: 'r',
    score: 1,
    reason: 'generateReason',
    preprocessStepResult: 'preprocess',
    analyzeStepResult: 'analyze',
    preprocessPrompt: 'Grade it',
    analyzePrompt: 'Grade it',
    generateScorePrompt: 'Grade it',
    generateReasonPrompt: 'Why 1?',
  })
})

test('B5.4 a prompt that is no text is a failure, and the judge is not asked', async () => {
  for (const prompt of ['', ' \n', undefined, 1, {}]) {
    const scorer = new ScorerBuilder({ id: 's', judge }, noJudge).generateScore({ createPrompt: () => prompt })
    const error = await typedError(scorer.run({ output: 'x' }))
    expect([error.code, error.message]).toEqual(['scorer-failed', expect.stringContaining('createPrompt gave no text')])
  }
})

test('B5.3 a scorer that is called off rejects at once, and begins no other step', async () => {
  const begun = Promise.withResolvers<void>()
  const hang = Promise.withResolvers<number>()
  let later = 0
  const scorer = bare()
    .analyze(() => {
      begun.resolve()
      return hang.promise
    })
    .generateScore(() => ++later)
  const controller = new AbortController()
  const running = scorer.run({ output: 'x', abortSignal: controller.signal })
  await begun.promise
  controller.abort('enough')
  const error = await typedError(running)
  expect([error.code, error.cause]).toEqual(['scorer-aborted', 'enough'])
  hang.resolve(1)
  await hang.promise
  await null
  await null
  expect(later).toBe(0)
  const early = bare().generateScore(() => ++later)
  expect((await typedError(early.run({ output: 'x', abortSignal: AbortSignal.abort() }))).code).toBe('scorer-aborted')
  expect(later).toBe(0)
})

test('B5.4 an error of another scorer that a step runs keeps its own name', async () => {
  const inner = new ScorerBuilder({ id: 'inner' }, noJudge).generateScore(() => Number.NaN)
  const outer = bare().generateScore(async ({ run }) => (await inner.run(run)).score)
  const error = await typedError(outer.run({ output: 'x' }))
  expect([error.code, error.data]).toEqual(['scorer-score-invalid', { scorer: 'inner' }])
  expect(error).toBeInstanceOf(RetinueError)
})
