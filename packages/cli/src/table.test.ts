import { expect, test } from 'vitest'
import { renderTable, timeText } from './table.ts'

test('columns are as wide as what is in them; the last is cut; nothing steers the terminal', () => {
  const rows = [
    ['one', 'lead › writer', 'x'.repeat(80)],
    ['three\u001b[2J', 'lead', 'y\nz'],
  ]
  expect(renderTable(['RUN', 'ASKS', 'ARGUMENTS'], rows)).toBe(
    `RUN    ASKS           ARGUMENTS\none    lead › writer  ${'x'.repeat(59)}…\nthree  lead           y z\n`,
  )
})

test('a time is the same wherever it is read', () => {
  expect(timeText(Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toBe('2026-01-02 03:04:05')
})
