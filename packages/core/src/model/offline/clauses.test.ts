import { expect, test } from 'vitest'
import { splitClauses, splitPayload } from './clauses.ts'

test.each([
  ['Compare A and B; a short brief.', ['Compare A and B', 'a short brief.']],
  ['Find tea and write about it', ['Find tea', 'write about it']],
  ['Find salt and pepper', ['Find salt and pepper']],
  ['1. Find tea. 2. Find coffee.', ['Find tea.', 'Find coffee.']],
  ['- find tea\n- find coffee', ['find tea', 'find coffee']],
  ['Say "tea and find; coffee. Then go" twice', ['Say "tea and find; coffee. Then go" twice']],
  ['The U.S. economy, e.g. trade', ['The U.S. economy, e.g. trade']],
])('%j', (request, expected) => {
  expect(splitClauses(request).map((clause) => clause.text)).toEqual(expected)
})

test('"then" asks for an order, "and" does not', () => {
  expect(splitClauses('Find tea, then translate it').map((clause) => clause.later)).toEqual([false, true])
  expect(splitClauses('Find tea and translate it').map((clause) => clause.later)).toEqual([false, false])
})

test.each([
  ['Translate into French: Tea: a plant.', 'Translate into French', 'Tea: a plant.'],
  ['Turn them into a brief.\n\nNotes:\n- tea\n- coffee', 'Turn them into a brief.', '- tea\n- coffee'],
  ['See https://example.org/x: good', 'See https://example.org/x: good', ''],
])('%j: what is to be worked on is no part of the task', (request, task, payload) => {
  expect(splitPayload(request, (head) => /translate/i.test(head))).toEqual({ task, payload })
})
