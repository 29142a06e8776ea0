import { expect, expectTypeOf, test } from 'vitest'
import { isRetinueError } from '../errors/index.ts'
import { createSkill, type Skill } from './index.ts'

const skill = { name: 'pdf-forms', description: 'Fills in forms.', instructions: 'Fill them in.' }

test('createSkill types its argument and returns it', () => {
  expect(createSkill(skill)).toBe(skill)
  const made = createSkill({ ...skill, name: 'a', references: { 'references/a.md': 'A' } })
  expectTypeOf(made.name).toEqualTypeOf<'a'>()
  expectTypeOf(made.references['references/a.md']).toEqualTypeOf<'A'>()
})

test('all that a skill can hold', () => {
  const whole: Skill = {
    ...skill,
    description: 'd'.repeat(1024),
    instructions: ({ requestContext }) => String(requestContext.get('tenant')),
    references: { 'references/empty.md': '', 'references/late.md': async () => 'late' },
    license: 'MIT',
    compatibility: 'Needs the internet.',
    metadata: { author: 'me', nested: {} },
    allowedTools: ['search', 'Bash(git:*)'],
  }
  expect(createSkill(whole)).toBe(whole)
  for (const name of ['a', '1', 'pdf-forms-2', 'x'.repeat(64)]) createSkill({ ...skill, name })
})

/** What is wrong, by the field that is to blame. */
const wrong: readonly [field: string, fields: Record<string, unknown>][] = [
  ...['', ' ', 'Pdf', 'pdf_forms', '-pdf', 'pdf-', 'pdf--forms', 'é', 'pdf forms', 'x'.repeat(65), '__proto__', 7].map(
    (name): [string, Record<string, unknown>] => ['name', { name }],
  ),
  ['name', { name: undefined }],
  ['description', { description: undefined }],
  ['description', { description: ' \n' }],
  ['description', { description: 'd'.repeat(1025) }],
  ['description', { description: ['text'] }],
  ['instructions', { instructions: undefined }],
  ['instructions', { instructions: '\n' }],
  ['instructions', { instructions: 5 }],
  ['references', { references: ['a.md'] }],
  ['references', { references: { 'a.md': 5 } }],
  ['license', { license: '' }],
  ['compatibility', { compatibility: 3 }],
  ['metadata', { metadata: 'author' }],
  ['allowedTools', { allowedTools: 'search read' }],
  ['allowed-tools', { 'allowed-tools': 'search' }],
]

test.each(wrong)('the %s is to blame in %j', (field, fields) => {
  const refused = (): unknown => createSkill({ ...skill, ...fields } as Skill)
  expect(refused).toThrow(expect.objectContaining({ code: 'skill-invalid', data: expect.objectContaining({ field }) }))
})

test.each([undefined, null, 'text', [skill]])('%j is no skill', (value) => {
  expect(() => createSkill(value as unknown as Skill)).toThrow(expect.objectContaining({ code: 'skill-invalid' }))
})

test('the error says which skill, what is wrong and what is right', () => {
  try {
    createSkill({ ...skill, name: 'Bad Name' })
    expect.unreachable()
  } catch (error) {
    if (!isRetinueError(error)) throw error
    expect(error.message).toBe('The name of the skill "Bad Name" can\'t be used.')
    expect(error.hint).toBe('It is 1 to 64 letters a-z, digits and single hyphens, such as "pdf-forms".')
  }
})
