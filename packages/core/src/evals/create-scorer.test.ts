import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { typedError } from '../../test-support/typed-error.ts'
import { type ScriptedTurn, scriptedModel } from '../testing/index.ts'
import { createScorer, type Scorer } from './index.ts'

/** An error as providers' packages throw it, to be tried again at once. */
const limited = (): Error =>
  Object.assign(new Error('Rate limit of org-secret-7 for key sk-abcdef123456'), {
    statusCode: 429,
    responseHeaders: { 'retry-after-ms': '0' },
  })

/** A scorer that asks a judge for its score, and the model that plays the judge. */
function judged(turns: readonly ScriptedTurn[], fallback?: readonly ScriptedTurn[]) {
  const model = scriptedModel(turns, 'judge')
  const stand = fallback && scriptedModel(fallback, 'stand-in')
  const scorer = createScorer({
    id: 'quality',
    judge: { model: stand ? [model, stand] : model, instructions: 'You know good prose.' },
  }).generateScore({ description: 'grade it', createPrompt: ({ run }) => `Grade this: ${run.output}` })
  return { scorer, model }
}

test('B5.4 code as the documents show it runs as it is', async () => {
  const scorer = createScorer({ id: 'task-complete', name: 'Task Completeness' }).generateScore(async (context) => {
    const text = (context.run.output || '').toString()
    const hasAnalysis = text.includes('analysis')
    const hasRecommendations = text.includes('recommendation')
    return hasAnalysis && hasRecommendations ? 1 : 0
  })
  expect((await scorer.run({ output: 'an analysis' })).score).toBe(0)
  expect((await scorer.run({ output: 'an analysis, with a recommendation' })).score).toBe(1)
  expect([scorer.id, scorer.name, scorer.description]).toEqual(['task-complete', 'Task Completeness', undefined])
  expect(createScorer({ id: 'bare' }).name).toBe('bare')
  expect(() => createScorer({ name: 'no id' } as never)).toThrow(expect.objectContaining({ code: 'scorer-invalid' }))
})

test('B5.4 the types of the steps go through the pipeline', () => {
  const model = scriptedModel([])
  const scorer = createScorer({ id: 's', judge: { model } })
    .preprocess(async ({ run, results }) => {
      expectTypeOf(run.output).toEqualTypeOf<string>()
      // @ts-expect-error: nothing comes before it
      results.preprocessStepResult
      return { words: run.output.split(' ') }
    })
    .analyze({
      description: 'finds claims',
      outputSchema: z.object({ claims: z.array(z.string()) }),
      createPrompt: ({ results }) => {
        expectTypeOf(results.preprocessStepResult).toEqualTypeOf<{ words: string[] }>()
        return results.preprocessStepResult.words.join('\n')
      },
    })
    .generateScore(({ results }) => {
      expectTypeOf(results.analyzeStepResult).toEqualTypeOf<{ claims: string[] }>()
      // @ts-expect-error: the score is what this step makes
      results.generateScoreStepResult
      return results.analyzeStepResult.claims.length / results.preprocessStepResult.words.length
    })
    .generateReason(({ results, score }) => {
      expectTypeOf(results.generateScoreStepResult).toEqualTypeOf<number>()
      expectTypeOf(score).toEqualTypeOf<number>()
      return `${results.analyzeStepResult.claims.length} claims`
    })
  expectTypeOf(scorer).toExtend<Scorer>()
  type Result = Awaited<ReturnType<typeof scorer.run>>
  expectTypeOf<Result['preprocessStepResult']>().toEqualTypeOf<{ words: string[] }>()
  expectTypeOf<Result['reason']>().toEqualTypeOf<string>()
  // @ts-expect-error: it is among the steps' results, not in what run gives
  expectTypeOf<Result['generateScoreStepResult']>()
})

test('B5.4 the types refuse steps out of order, twice, and a run without a score', () => {
  const one = (): number => 1
  const unscored = createScorer({ id: 's' }).analyze(() => 'x')
  // @ts-expect-error: there is no score yet
  unscored.run
  // @ts-expect-error: preprocess comes first
  unscored.preprocess
  // @ts-expect-error: analyze was there
  unscored.analyze
  const scored = unscored.generateScore(one)
  // @ts-expect-error: the score was there
  scored.generateScore
  const finished = scored.generateReason(() => 'why')
  // @ts-expect-error: the reason was there
  finished.generateReason
  unscored.generateScore(({ results }) => {
    // @ts-expect-error: this step was not defined
    results.preprocessStepResult
    return results.analyzeStepResult.length
  })
  // @ts-expect-error: a score is a number
  expect(() => unscored.generateScore(() => '1')).not.toThrow()
  // @ts-expect-error: an analysis of a judge needs a schema
  expect(() => createScorer({ id: 's' }).analyze({ description: '', createPrompt: () => '' })).toThrow()
})

test('B5.4 a judge is an agent: its instructions, the prompt and the form of its answer reach the model', async () => {
  const { scorer, model } = judged([{ text: '```json\n{"score": 0.25}\n```' }])
  const result = await scorer.run({ output: 'a text', runId: 'r' })
  expect(result).toEqual({ runId: 'r', score: 0.25, generateScorePrompt: 'Grade this: a text' })
  const [call] = model.calls
  expect(call?.text).toContain('You know good prose.')
  expect(call?.text).toContain('user: Grade this: a text')
  expect(call?.text).toContain('"required":["score"]')
  expect(call?.options.responseFormat).toMatchObject({ type: 'json', schema: { required: ['score'] } })
})

test('B5.4 a judge’s reason is its text, and what it analyzed is what the schema makes of its answer', async () => {
  const model = scriptedModel([{ text: '{"claims":"2"}' }, { text: 'It holds two claims.' }])
  const scorer = createScorer({ id: 's', judge: { model } })
    .analyze({
      description: '',
      outputSchema: z.object({ claims: z.string(), more: z.boolean().default(false) }),
      createPrompt: () => 'Count',
    })
    .generateScore(({ results }) => Number(results.analyzeStepResult.claims))
    .generateReason({ description: '', createPrompt: ({ score }) => `Why ${score}?` })
  expect(await scorer.run({ output: 'x', runId: 'r' })).toMatchObject({
    score: 2,
    reason: 'It holds two claims.',
    analyzeStepResult: { claims: '2', more: false },
    generateReasonPrompt: 'Why 2?',
  })
  expect(model.calls[1]?.options.responseFormat).toBeUndefined()
})

const BAD_ANSWERS: Record<string, string> = {
  prose: 'I would say this deserves full marks.',
  'half a JSON': '{"score": 1',
  'an empty list': '[]',
  'a number as text': '{"score": "1"}',
  'a number alone': '1',
  'no score': '{}',
  'a score of null': '{"score": null}',
  'prose around JSON': 'Here you are: {"score": 1}',
}

for (const [name, text] of Object.entries(BAD_ANSWERS)) {
  test(`B5.3 a judge that answers ${name} is asked once more, and then has failed`, async () => {
    const mended = judged([{ text }, { text: '{"score": 1}' }])
    expect((await mended.scorer.run({ output: 'x' })).score).toBe(1)
    expect(mended.model.calls[1]?.text).toContain('[retinue]')
    const { scorer, model } = judged([{ text }, { text }])
    const error = await typedError(scorer.run({ output: 'x' }))
    model.assertDone()
    expect(error.code).toBe('scorer-judge-failed')
    expect(error.data).toEqual({ scorer: 'quality', step: 'generateScore', because: 'answer-invalid' })
    expect(error.message).toMatch(/^The judge of the scorer "quality" failed in generateScore: also after a repair/)
  })
}

test('B5.3 what was wrong with a judge’s last answer is said in our own words, and not in the judge’s', async () => {
  const why = async (...texts: string[]): Promise<string> =>
    (await typedError(judged(texts.map((text) => ({ text }))).scorer.run({ output: 'x' }))).message.replace(
      /^.*fit: /,
      '',
    )
  expect(await why('Full marks', 'Full marks')).toBe('it is no JSON.')
  expect(await why('{"score": "1"}', 'Full marks')).toBe('it is no JSON.')
  expect(await why('Full marks', '{"score": "1"}')).toMatch(/score.*number/)
})

test('B5.3 a judge that is limited is tried again, then its fallback; its provider’s words don’t get out', async () => {
  const again = judged([limited(), limited(), { text: '{"score": 1}' }])
  expect((await again.scorer.run({ output: 'x' })).score).toBe(1)
  again.model.assertDone()
  const fallback = judged([limited(), limited(), limited()], [{ text: '{"score": 1}' }])
  expect((await fallback.scorer.run({ output: 'x' })).score).toBe(1)
  const { scorer } = judged([limited(), limited(), limited()])
  const error = await typedError(scorer.run({ output: 'x' }))
  expect(error.toJSON()).toEqual({
    code: 'scorer-judge-failed',
    message: 'The judge of the scorer "quality" failed in generateScore: The call of its model failed.',
    hint: expect.stringContaining('limits the rate'),
  })
  expect(error.data).toEqual({ scorer: 'quality', step: 'generateScore', because: 'model-call-failed', status: 429 })
})

test('B5.3 the retries of a judge are its own to set', async () => {
  const model = scriptedModel([limited(), { text: 'never asked' }])
  const scorer = createScorer({ id: 's', judge: { model, maxRetries: 0 } }).generateScore({
    description: '',
    createPrompt: () => 'x',
  })
  await typedError(scorer.run({ output: 'x' }))
  expect(model.calls.length).toBe(1)
})

test('B5.3 a judge that is cut off, says nothing, or has no model that answers has failed', async () => {
  const endings: [ScriptedTurn, RegExp][] = [
    [{ text: '{"score": 1}', finish: 'length' }, /ended with "length"/],
    [{ text: '{"score": 1}', finish: 'content-filter' }, /ended with "content-filter"/],
    [{ text: '' }, /no JSON/],
    [new Error('broken'), /The call of its model failed/],
  ]
  for (const [turn, why] of endings) {
    const error = await typedError(judged([turn, turn]).scorer.run({ output: 'x' }))
    expect([error.code, error.message]).toEqual(['scorer-judge-failed', expect.stringMatching(why)])
  }
  const unknown = createScorer({ id: 's', judge: { model: 'nowhere/model' } }).generateScore({
    description: '',
    createPrompt: () => 'x',
  })
  expect((await typedError(unknown.run({ output: 'x' }))).data).toMatchObject({ because: 'model-provider-unknown' })
})

test('B5.3 a text that a judge leaves empty is no reason', async () => {
  const scorer = createScorer({ id: 's', judge: { model: scriptedModel([{ text: ' ' }]) } })
    .generateScore(() => 0)
    .generateReason({ description: '', createPrompt: () => 'Why?' })
  expect((await typedError(scorer.run({ output: 'x' }))).data).toMatchObject({ because: 'model-answer-empty' })
})

test('B5.3 a judge that hangs is called off with its scorer', async () => {
  const asked = Promise.withResolvers<AbortSignal | undefined>()
  const { scorer } = judged([
    ({ options }) => {
      asked.resolve(options.abortSignal)
      return new Promise(() => {})
    },
  ])
  const controller = new AbortController()
  const running = scorer.run({ output: 'x', abortSignal: controller.signal })
  const signal = await asked.promise
  controller.abort()
  expect((await typedError(running)).code).toBe('scorer-aborted')
  expect(signal?.aborted).toBe(true)
})

test('B5.4 a judge by name runs on the application’s own providers', async () => {
  const model = scriptedModel([{ text: '{"score": 1}' }])
  const scorer = createScorer({ id: 's', judge: { model: 'mine/judge', providers: { mine: () => model } } })
  const graded = scorer.generateScore({ description: '', createPrompt: () => 'x' })
  expect((await graded.run({ output: 'x' })).score).toBe(1)
})

test('B5.4 a schema that no model can be told is refused when the scorer is made', () => {
  const scorer = createScorer({ id: 's', judge: { model: 'openai/gpt-5-mini' } })
  const step = { description: '', outputSchema: z.object({ at: z.date() }), createPrompt: () => '' }
  expect(() => scorer.analyze(step)).toThrow(expect.objectContaining({ code: 'schema-unsupported' }))
})
