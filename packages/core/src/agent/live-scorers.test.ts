import { expect, test, vi } from 'vitest'
import type { Score, Scorer } from '../evals/index.ts'
import { scriptedModel, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'
import { Agent, type LiveScore, type RunOptions } from './index.ts'

const scorer = (id: string, run: Scorer['run'] = async () => ({ score: 1 })): Scorer => ({ id, run })

function ask(options: RunOptions, agentScorers = {}) {
  return new Agent({ id: 'a', model: scriptedModel([{ text: 'an answer' }]), scorers: agentScorers }).generate(
    'Go',
    options,
  )
}

test('B1.1 the scorers of an agent and of a call grade the answer, by key; the call’s win', async () => {
  const seen: LiveScore[] = []
  const result = await ask(
    {
      scorers: { b: { scorer: scorer('call') }, c: scorer('plain', async () => ({ score: 0.5, reason: 'so so' })) },
      onScore: (score) => void seen.push(score),
    },
    { a: { scorer: scorer('own') }, b: scorer('lost') },
  )
  const scores = (await result.scores) ?? []
  expect(scores.map(({ key, scorerId, score, passed }) => [key, scorerId, score, passed])).toEqual([
    ['a', 'own', 1, true],
    ['b', 'call', 1, true],
    ['c', 'plain', 0.5, false],
  ])
  expect(scores[2]).toMatchObject({ reason: 'so so', runId: result.runId, agentId: 'a', path: ['a'] })
  expect(seen).toEqual(scores)
})

test('B1.1 they never delay the answer: none has begun when it is there', async () => {
  const begun: string[] = []
  let finish: (score: Score) => void = () => {}
  const slow = scorer('slow', () => {
    begun.push('slow')
    return new Promise((resolve) => {
      finish = resolve
    })
  })
  const result = await ask({ scorers: { slow } })
  expect([result.text, begun]).toEqual(['an answer', []])
  await vi.waitFor(() => expect(begun).toEqual(['slow']))
  finish({ score: 1 })
  expect(await result.scores).toMatchObject([{ score: 1 }])
})

test('B5.3 one that fails is an error and no score, and nothing rejects', async () => {
  const result = await ask({ scorers: { bad: scorer('bad', () => Promise.reject(new Error('boom'))) } })
  const [score] = (await result.scores) ?? []
  expect(score).toMatchObject({ errored: true, passed: false, error: { code: 'scorer-failed' } })
  expect(score).not.toHaveProperty('score')
})

test('B1.1 an onScore that throws is a warning', async () => {
  const warned: string[] = []
  const listen = (warning: Error) => void warned.push(warning.message)
  process.on('warning', listen)
  const onScore = () => {
    throw new Error('boom')
  }
  const result = await ask({ scorers: { s: scorer('s') }, onScore })
  expect(await result.scores).toHaveLength(1)
  await vi.waitFor(() => expect(warned.join()).toContain('The callback onScore failed: boom'))
  process.off('warning', listen)
})

test('B1.1 sampling: none, all, and about a share, always the same for the same run', async () => {
  const asked: string[] = []
  const counted = (id: string) => scorer(id, async () => (asked.push(id) > 0 ? { score: 1 } : { score: 0 }))
  for (let index = 0; index < 200; index++) {
    const ratio = (rate: number) => ({ type: 'ratio', rate }) as const
    const result = await ask({
      runId: `run-${index}`,
      scorers: {
        never: { scorer: counted('never'), sampling: { type: 'none' } },
        zero: { scorer: counted('zero'), sampling: ratio(0) },
        half: { scorer: counted('half'), sampling: ratio(0.5) },
        always: { scorer: counted('always'), sampling: ratio(1) },
      },
    })
    await result.scores
  }
  const count = (id: string) => asked.filter((each) => each === id).length
  expect([count('never'), count('zero'), count('always')]).toEqual([0, 0, 200])
  expect(count('half')).toBeGreaterThan(80)
  expect(count('half')).toBeLessThan(120)
})

test('B1.1 the answers of subagents are graded by their own scorers, and the root is told', async () => {
  const models = scriptedModels({
    a: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'done' }],
    'a/child': [{ text: 'found' }],
  })
  const own: unknown[] = []
  const told: unknown[] = []
  const child = new Agent({
    id: 'c',
    description: 'd',
    scorers: { s: scorer('s', async ({ output }) => ({ score: output === 'found' ? 1 : 0 })) },
    defaultOptions: { onScore: ({ agentId }) => void own.push(agentId) },
  })
  const stream = await new Agent({ id: 'a', agents: { child } }).stream('Go', {
    resolveModel: models.resolveModel,
    onScore: ({ path }) => void told.push(path),
  })
  expect(await stream.scores).toMatchObject([{ score: 1, agentId: 'c', path: ['a', 'child'] }])
  expect([own, told]).toEqual([['c'], [['a', 'child']]])
})

test('B1.1 a run without an answer is not graded; one without scorers has no scores', async () => {
  const controller = new AbortController()
  controller.abort()
  const aborted = await ask({ scorers: { s: scorer('s') }, abortSignal: controller.signal })
  expect(aborted).not.toHaveProperty('scores')
  expect(await ask({})).not.toHaveProperty('scores')
  const result = await new Agent({
    id: 'a',
    model: scriptedModel([{ text: 'I ask.', calls: [{ name: 'where', args: {} }] }]),
    tools: { where: createTool({ id: 'where' }) },
  }).generate('Go', { scorers: { s: scorer('s') } })
  expect(result.finishReason).toBe('tool-calls')
  expect(result).not.toHaveProperty('scores')
})

test.each([
  ['x'],
  [{ s: {} }],
  [{ s: { scorer: 5 } }],
  [{ s: { scorer: scorer('s'), sampling: 0.5 } }],
  [{ s: { scorer: scorer('s'), sampling: { type: 'ratio', rate: 2 } } }],
  [{ s: { scorer: scorer('s'), rate: 2 } }],
])('B1.1 scorers that are none are an error: %#', async (scorers) => {
  await expect(ask({ scorers: scorers as never })).rejects.toMatchObject({ code: 'option-invalid' })
  expect(() => new Agent({ id: 'a', scorers: scorers as never })).toThrow(/The scorers of the agent "a"/)
})
