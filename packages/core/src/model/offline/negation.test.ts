import { expect, test } from 'vitest'
import { withoutNegated } from './negation.ts'

test.each([
  ['Do not delete it.', '', ['Do not delete it']],
  ['Send it to Bob, not Ann', 'Send it to Bob', ['not Ann']],
  ['Never delete, move or rename files. List them.', 'List them.', ['Never delete, move or rename files']],
  ['Do not email Bob and delete the account', '', ['Do not email Bob and delete the account']],
  ['You must not restart db-1, only read its log', 'read its log', ['must not restart db-1']],
  ['Instead of deleting u-5, lock it', 'lock it', ['Instead of deleting u-5']],
  ['Summarise it without quoting and email it to Bob', 'Summarise it. email it to Bob', ['without quoting']],
])('%s', (request, task, left) => {
  const found = withoutNegated(request)
  expect(found.left.map((each) => each.replace(/\.$/, ''))).toEqual(left)
  expect(found.task).toBe(task)
})

test.each([
  "I can't log in and the app does not start",
  'I never got my parcel',
  "Don't forget to email Bob",
  'Email bob@example.com saying do not come, never ever',
  'Tell Ann that you should not restart it',
  'Send Bob this message: Never restart it. Do not worry.',
  'Translate "do not delete" into French',
  'Why use tea instead of coffee?',
  'How do plants grow without rain?',
])('%s: nothing is negated', (request) => {
  expect(withoutNegated(request)).toEqual({ task: request, left: [] })
})
