import { expect, test } from 'vitest'
import { type IterationFacts, type NextStep, nextStep, steered } from './next-step.ts'

const ENDS = ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'] as const
const ANSWERS = ['unchecked', 'fits', 'repairable', 'unfit'] as const

/** Every combination of facts that can occur. */
function* allFacts(): Generator<IterationFacts> {
  for (const aborted of [true, false])
    for (const modelEnd of ENDS)
      for (const calls of [0, 2])
        for (const clientCalls of calls === 0 ? [0] : [0, 1])
          for (const hopeless of [true, false])
            for (const answer of ANSWERS)
              for (const iteration of [1, 3])
                for (const [bailed, last, budget, stopped] of [
                  [false, undefined, 'enough'],
                  [false, undefined, 'enough', 'other'],
                  [false, undefined, 'enough', 'error'],
                  [false, undefined, 'last-call'],
                  [false, undefined, 'none'],
                  [true, undefined, 'enough'],
                  [false, 'feedback', 'enough'],
                  [false, 'budget', 'last-call'],
                ] as const)
                  yield {
                    aborted,
                    modelEnd,
                    calls,
                    clientCalls,
                    bailed,
                    last,
                    budget,
                    stopped,
                    hopeless,
                    answer,
                    iteration,
                    maxSteps: 3,
                  }
}

/** The rules in the order of the contract, each with its reason. */
function expected(facts: IterationFacts): NextStep {
  const {
    aborted,
    modelEnd,
    calls,
    clientCalls,
    bailed,
    last,
    budget,
    stopped,
    hopeless,
    answer,
    iteration,
    maxSteps,
  } = facts
  const finish = (reason: Extract<NextStep, { type: 'finish' }>['reason']): NextStep => ({ type: 'finish', reason })
  if (aborted) return { type: 'abort' }
  if (stopped) return finish(stopped)
  if (bailed) return finish('bailed')
  if (modelEnd === 'error' || modelEnd === 'length' || modelEnd === 'content-filter') return finish(modelEnd)
  if (last === 'budget') return finish('over-budget')
  if (last) return finish(answer === 'unfit' || answer === 'repairable' ? 'error' : 'stop')
  if (hopeless) return finish('error')
  if (clientCalls > 0) return finish('tool-calls')
  const more = iteration < maxSteps
  if (calls > 0 && budget === 'last-call') return { type: 'last-call', why: 'budget' }
  if (budget === 'none' && (calls > 0 || answer === 'repairable')) return finish('over-budget')
  if (budget === 'last-call' && answer === 'repairable') return finish('over-budget')
  if (calls > 0) return more ? { type: 'continue' } : finish('max-steps')
  if (answer === 'unfit' || (answer === 'repairable' && !more)) return finish('error')
  if (answer === 'repairable') return { type: 'repair' }
  return finish(modelEnd === 'other' ? 'other' : 'stop')
}

test('B1.10 the next move of a run, for every combination of facts', () => {
  let cases = 0
  for (const facts of allFacts()) {
    expect(nextStep(facts), JSON.stringify(facts)).toEqual(expected(facts))
    cases += 1
  }
  expect(cases).toBe(2 * 6 * 3 * 2 * 4 * 2 * 8)
})

test('B1.10 a run without calls left never goes on without a reason, and one with maxSteps reached never goes on', () => {
  for (const facts of allFacts()) {
    const next = nextStep(facts)
    if (next.type === 'continue' || next.type === 'repair') expect(facts.iteration).toBeLessThan(facts.maxSteps)
    if (next.type === 'continue') expect(facts.calls).toBeGreaterThan(0)
  }
})

test('B5.1 what a hook can and can’t change, for every combination of facts', () => {
  for (const facts of allFacts()) {
    const planned = nextStep(facts)
    const say = (steering: Parameters<typeof steered>[1]) => steered(planned, steering, facts)
    const ended = planned.type === 'finish' ? planned.reason : planned.type
    expect(say({}), JSON.stringify(facts)).toEqual(planned)
    expect(say({ feedback: 'x' })).toEqual(planned)
    for (const steering of [{ continue: true }, { continue: false }, { continue: false, feedback: 'x' }]) {
      const next = say(steering)
      // No hook brings back what an abort, an error, a bail or a client's tool ended.
      if (['abort', 'error', 'bailed', 'tool-calls'].includes(ended)) expect(next).toEqual(planned)
      if (next.type === 'continue') expect(facts.iteration).toBeLessThan(facts.maxSteps)
      if (next.type === 'last-call') expect([facts.calls > 0, facts.last]).toEqual([true, undefined])
      if (steering.continue === false) expect(next.type).not.toBe('continue')
    }
  }
})
