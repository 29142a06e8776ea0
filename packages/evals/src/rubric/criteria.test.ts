import { RequestContext } from '@retinue/core/request-context'
import { expect, test } from 'vitest'
import { criteriaOf, rubricOf } from './criteria.ts'

test('B5.5 criteria as text are one a line, all required, without list markers', () => {
  const text =
    '- It names sources\r\n\n * It is short\n1. First\n 2) Second\n[ ] Open\n- [x] Ticked\n• Dot\n  3.5 litres are named\n-5 is below zero'
  expect(criteriaOf(text, 's')).toEqual(
    [
      'It names sources',
      'It is short',
      'First',
      'Second',
      'Open',
      'Ticked',
      'Dot',
      '3.5 litres are named',
      '-5 is below zero',
    ].map((description, index) => ({ id: `c${index + 1}`, description, required: true })),
  )
})

test('B5.5 criteria as a list have their defaults', () => {
  expect(criteriaOf([{ description: ' A ' }, { id: 'tone', description: 'B', required: false }], 's')).toEqual([
    { id: 'c1', description: 'A', required: true },
    { id: 'tone', description: 'B', required: false },
  ])
})

test('B5.5 a rubric that holds nothing, or what is no criterion, is refused', () => {
  const wrong: unknown[] = [
    [],
    '',
    ' \n - \n',
    7,
    {},
    null,
    [{}],
    ['text'],
    [{ description: ' ' }],
    [{ description: 'A', id: '' }],
    [{ description: 'A', id: 1 }],
    [{ description: 'A', required: 'no' }],
    [{ description: 'A', required: null }],
    [{ description: 'A', id: 'c2' }, { description: 'B' }],
    [
      { description: 'A', id: 'x' },
      { description: 'B', id: 'x' },
    ],
  ]
  for (const rubric of wrong)
    expect(() => criteriaOf(rubric, 's'), JSON.stringify(rubric)).toThrow(
      expect.objectContaining({ code: 'scorer-invalid', data: { scorer: 's' } }),
    )
})

test('B5.5 a run brings a rubric in its request context, else in its additional context', () => {
  const requestContext = new RequestContext([['rubric', 'A']])
  expect(rubricOf({ output: '', requestContext, additionalContext: { rubric: 'B' } })).toBe('A')
  expect(rubricOf({ output: '', requestContext: new RequestContext(), additionalContext: { rubric: 'B' } })).toBe('B')
  expect(rubricOf({ output: '', requestContext: new RequestContext([['rubric', null]]) })).toBeUndefined()
  expect(rubricOf({ output: '' })).toBeUndefined()
})
