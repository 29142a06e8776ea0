import { expect, test } from 'vitest'
import { callLines, pendingText } from './pending-text.ts'

const publish = {
  toolCallId: 'c1',
  toolName: 'publish',
  path: ['lead', 'writer'],
  args: { text: '# One\n\nTwo.', draft: false },
  requiresApproval: true,
}
const ask = {
  ...publish,
  toolCallId: 'c 2',
  toolName: 'ask',
  args: {},
  requiresApproval: false,
  suspendPayload: 'Left?',
}

test('B7.2 what waits: who asks, for what, with which arguments, and the commands that decide it', () => {
  expect(pendingText('r1', [publish], { dir: 'my app' })).toBe(`A call waits for a person in the run r1:

◇ lead › writer wants to run publish
  text:
    # One

    Two.
  draft: false

  retinue approvals approve r1 --dir 'my app'
  retinue approvals decline r1 --reason "…" --dir 'my app'
`)
})

test('B7.2 of several calls each is named; a suspended one is answered', () => {
  const text = pendingText('r1', [publish, ask], { model: 'a/b' })
  expect(text).toMatch(/^2 calls wait for a person in the run r1:\n/)
  expect(text).toContain('retinue approvals approve r1 c1 --model a/b\n')
  expect(text).toContain('◇ lead › writer: ask wants an answer\n  (no arguments)\n  asked:\n    Left?\n\n')
  expect(text).toContain("retinue approvals answer r1 'c 2' '…' --model a/b\n")
})

test('what is too long is cut where it says so; nothing steers the terminal, or the shell', () => {
  const long = { ...publish, args: { text: Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n') } }
  const lines = callLines(long, 'e shows all of it')
  expect(lines).toHaveLength(41)
  expect(lines.at(-1)).toBe('  … 22 more lines: e shows all of it')
  const evil = 'a\u001b[2J\u202eb'
  const text = pendingText("r'; rm", [{ ...publish, toolName: evil, path: [evil], args: { [evil]: evil } }])
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
  expect(text).toContain(`approve 'r'\\''; rm'\n`)
})
