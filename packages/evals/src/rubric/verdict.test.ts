import { expect, test } from 'vitest'
import { criteriaOf } from './criteria.ts'
import { reasonOf } from './reason.ts'
import { readVerdict } from './verdict.ts'

const criteria = criteriaOf(
  [
    { id: 'a', description: 'It holds an analysis' },
    { id: 'b', description: 'It is short', required: false },
  ],
  's',
)

const said = (criterion: unknown, satisfied: unknown = true, more: object = {}): object => ({
  criterion,
  satisfied,
  reasoning: 'so',
  ...more,
})

/** What is wrong with a list of verdicts. */
function problemsOf(list: unknown, more: object = {}): readonly string[] {
  const read = readVerdict({ criteria: list, ...more }, criteria)
  return 'problems' in read ? read.problems : []
}

test('B5.5 one verdict for each criterion is read in the order of the rubric, with the rubric’s own `required`', () => {
  const list = [said('b', false, { required: true }), said('a', true, { required: false })]
  expect(readVerdict({ criteria: list, overallAssessment: 'good' }, criteria)).toEqual({
    verdict: {
      criteria: [
        { criterion: 'a', satisfied: true, required: true, reasoning: 'so' },
        { criterion: 'b', satisfied: false, required: false, reasoning: 'so' },
      ],
      overallAssessment: 'good',
    },
  })
})

test('B5.5 a criterion can be named by its description, where only one reads so', () => {
  const list = [said(' It holds an analysis '), said('b')]
  expect(problemsOf(list)).toEqual([])
  const twins = criteriaOf([{ description: 'Same' }, { description: 'Same' }], 's')
  expect(readVerdict({ criteria: [said('Same'), said('c2')] }, twins)).toHaveProperty('problems')
  expect(readVerdict({ criteria: [said('c1'), said('c2')] }, twins)).toHaveProperty('verdict')
})

test('B5.5 a verdict that is missing, double, of no criterion or no verdict is a problem', () => {
  expect(problemsOf([])).toEqual(['there is no verdict for "a"', 'there is no verdict for "b"'])
  expect(problemsOf([said('b')])).toEqual(['there is no verdict for "a"'])
  // Nothing hangs on one that is not required.
  expect(problemsOf([said('a')])).toEqual([])
  expect(problemsOf([said('a'), said('b'), said('a', false)])).toEqual(['there are two verdicts for "a"'])
  expect(problemsOf([said('a'), said('b'), said('It holds an analysis')])).toEqual(['there are two verdicts for "a"'])
  const unknown = 'there is a verdict for a criterion that is not in the rubric'
  for (const name of ['c', 'A', '', 0, undefined, null, 'constructor', '__proto__'])
    expect(problemsOf([said('a'), said('b'), said(name)]), String(name)).toEqual([unknown])
  expect(problemsOf(['a', null, said('b')])).toEqual([unknown, unknown])
  for (const satisfied of ['true', 1, null, undefined, 'yes'])
    expect(problemsOf([{ ...said('a'), satisfied }, said('b')])).toEqual([
      '`satisfied` of "a" is neither true nor false',
    ])
  expect(problemsOf([said('a', true, { reasoning: 1 }), said('b')])).toEqual(['`reasoning` of "a" is no text'])
  for (const list of [undefined, null, {}, 'a']) expect(problemsOf(list)).toEqual(['`criteria` is no list'])
  expect(problemsOf([said('a'), said('b')], { overallAssessment: 1 })).toEqual(['`overallAssessment` is no text'])
  for (const answer of [undefined, null, 'x', [said('a'), said('b')], 1])
    expect(readVerdict(answer, criteria)).toEqual({ problems: ['`criteria` is no list'] })
})

test('B5.5 the reason names what is not met in the judge’s words, and optional ones apart', () => {
  const verdict = (a: boolean, b: boolean, overallAssessment = '') => ({
    criteria: [
      { criterion: 'a', satisfied: a, required: true, reasoning: 'Only a summary.' },
      { criterion: 'b', satisfied: b, required: false, reasoning: 'Five pages.' },
    ],
    overallAssessment,
  })
  expect(reasonOf(verdict(false, false, 'Weak.'), criteria)).toBe(
    [
      'The rubric is not satisfied: 1 of 1 required criteria are not met.',
      'To mend:',
      '- It holds an analysis: Only a summary.',
      'Optional, not met:',
      '- It is short: Five pages.',
      'Overall: Weak.',
    ].join('\n'),
  )
  expect(reasonOf(verdict(true, false), criteria)).toBe(
    [
      'The rubric is satisfied.',
      'Optional, not met:',
      '- It is short: Five pages.',
      'Met:',
      '- It holds an analysis',
    ].join('\n'),
  )
})
