import type { AgentMemory, RememberedMessage } from '@retinue/core/memory'
import { expect, test } from 'vitest'
import { withLateAnswers } from './late-answers.ts'

type Line = readonly [runId: string, role: 'user' | 'assistant' | 'tool', part: string]

/** A thread of lines; a part `?x` calls, `!x` is the result of that call, all else is text. */
function threadOf(lines: readonly Line[]): readonly RememberedMessage[] {
  return lines.map(([runId, role, text], index) => {
    const called = { toolCallId: text.slice(1), toolName: 't' }
    const part = text.startsWith('?')
      ? { type: 'tool-call', ...called, input: {} }
      : text.startsWith('!')
        ? { type: 'tool-result', ...called, output: { type: 'text', value: 'x' } }
        : { type: 'text', text }
    return { id: `m${index}`, sequence: index + 1, createdAt: 0, runId, role, content: [part] } as never
  })
}

/** What a page that has the messages from one to another shows, and how often the thread was read for it. */
async function page(lines: readonly Line[], from: number, to: number): Promise<[string[], number]> {
  const all = threadOf(lines)
  let reads = 0
  const recall: AgentMemory['recall'] = async ({ limit = 100, before = Number.POSITIVE_INFINITY, after }) => {
    reads += 1
    const those = all.filter(({ sequence }) => sequence < before && sequence > (after ?? 0))
    const messages = after === undefined ? those.slice(-limit) : those.slice(0, limit)
    return { messages, hasMore: those.length > limit, unreadable: [] }
  }
  const thread = { memory: { recall } as AgentMemory, threadId: 't', resourceId: 'r' }
  const shown = await withLateAnswers(thread, all.slice(from, to), to === all.length)
  return [shown.map(({ sequence }) => lines[sequence - 1]?.[2] as string), reads]
}

const LATE: readonly Line[] = [
  ['1', 'user', 'one'],
  ['1', 'assistant', '?p'],
  ['2', 'user', 'two'],
  ['2', 'assistant', 'A2'],
  ['1', 'tool', '!p'],
  ['1', 'assistant', 'paid'],
]

test('B7.1 what a run says later belongs to the page in which it was asked', async () => {
  expect(await page(LATE, 0, 2)).toEqual([['one', '?p', '!p', 'paid'], 1])
  expect(await page(LATE, 2, 6)).toEqual([['two', 'A2'], 1])
  expect(await page(LATE, 0, 6)).toEqual([['one', '?p', 'two', 'A2', '!p', 'paid'], 0])
})

test('the result that a client sends late begins a run of its own, which stands where it was said', async () => {
  const lines: readonly Line[] = [...LATE.slice(0, 4), ['3', 'tool', '!p'], ['3', 'assistant', 'thanks']]
  expect((await page(lines, 2, 6))[0]).toEqual(['two', 'A2', '!p', 'thanks'])
  expect((await page(lines, 0, 2))[0]).toEqual(['one', '?p'])
})

test('a page whose calls have their results costs no more than itself, and nor does an empty one', async () => {
  const lines: readonly Line[] = [
    ['1', 'user', 'one'],
    ['1', 'assistant', '?p'],
    ['1', 'tool', '!p'],
    ['1', 'assistant', 'paid'],
    ['2', 'user', 'two'],
  ]
  expect(await page(lines, 0, 4)).toEqual([['one', '?p', '!p', 'paid'], 0])
  expect(await page(lines, 0, 0)).toEqual([[], 0])
})
