import { expect, test } from 'vitest'
import type { DetailedFinding } from './finding.ts'
import { countFindings, sortFindings } from './finding.ts'
import { renderFinding } from './render.ts'

const finding: DetailedFinding = {
  code: 'subagent-description-missing',
  severity: 'error',
  message: 'subagent "writer" has no description',
  file: 'src/retinue/agents/sup/subagents/writer/config.ts',
  line: 3,
  column: 16,
  agentPath: ['sup', 'writer'],
  why: '"sup" reads the description to decide when to delegate',
  fix: "description: 'Use to turn notes into a draft.'",
  excerpt: { text: "export default agentConfig({ model: 'openai/gpt-5.5' })", length: 11 },
  label: "add `description: '…'`",
}

test('a finding reads as the documents show it', () => {
  expect(renderFinding(finding)).toBe(`error[subagent-description-missing]: subagent "writer" has no description
  ┌─ src/retinue/agents/sup/subagents/writer/config.ts:3:16
3 │ export default agentConfig({ model: 'openai/gpt-5.5' })
  │                ^^^^^^^^^^^ add \`description: '…'\`
  = why: "sup" reads the description to decide when to delegate
  = fix: description: 'Use to turn notes into a draft.'`)
})

test('the frame follows the width of the line number, tabs, and the end of the line', () => {
  const [, place, source, carets] = renderFinding({
    ...finding,
    line: 120,
    column: 3,
    excerpt: { text: '\t\tmodel: {', length: 90 },
  }).split('\n')
  expect(place).toBe('    ┌─ src/retinue/agents/sup/subagents/writer/config.ts:120:3')
  expect(source).toBe('120 │ \t\tmodel: {')
  expect(carets).toBe("    │ \t\t^^^^^^^^ add `description: '…'`")
})

test('a folder has no lines', () => {
  const { excerpt: _, ...folder } = { ...finding, file: 'src/retinue/agents/sup/subagents', line: 1, column: 1 }
  expect(renderFinding(folder).split('\n')[1]).toBe('  ┌─ src/retinue/agents/sup/subagents')
})

test('of a very long line the part around the column is shown', () => {
  const text = `${'a'.repeat(5000)}HERE${'b'.repeat(5000)}`
  const [, , source = '', carets = ''] = renderFinding({
    ...finding,
    column: 5001,
    excerpt: { text, length: 4 },
  }).split('\n')
  expect(source.length).toBeLessThan(180)
  expect(source.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('HERE')
})

test('control characters of names and messages do not reach a terminal', () => {
  const text = renderFinding({
    ...finding,
    message: 'a\u001b[31mb\u202ec',
    file: 'x\u0007.ts',
    excerpt: { text: '\u001b]0;t\u0007', length: 1 },
  })
  for (const character of ['\u001b', '\u0007', '\u202e']) expect(text).not.toContain(character)
  expect(text).toContain('a\\u001b[31mb\\u202ec')
})

test('B11.11 sorted by file, line, column, code; each once', () => {
  const at = (file: string, line: number, column: number, code: string): DetailedFinding => ({
    ...finding,
    file,
    line,
    column,
    code,
  })
  const sorted = [at('a', 2, 9, 'z'), at('a', 10, 1, 'a'), at('a', 10, 1, 'b'), at('b', 1, 2, 'a'), at('b', 1, 10, 'a')]
  expect(sortFindings([...sorted].reverse().concat(sorted))).toEqual(sorted)
  expect(countFindings([finding, { ...finding, severity: 'warning' }, finding])).toEqual({ errors: 2, warnings: 1 })
})
