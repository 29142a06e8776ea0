import { expect, test } from 'vitest'
import type { TreeLine } from './protocol.ts'
import { startText } from './start-text.ts'

const BASE = { version: '1.2.3', ms: 412.4, url: 'http://127.0.0.1:4111', colors: false, warnings: 0 }

function lines(count: number, used: string): TreeLine[] {
  return Array.from({ length: count }, (_, at) => ({ key: `a${at}`, depth: at % 2, requested: 'openai/gpt-5.5', used }))
}

test('dev says in ten lines at most what it is, where it is, and which models answer', () => {
  expect(startText({ ...BASE, tree: lines(2, 'openai/gpt-5.5') })).toBe(`retinue 1.2.3  ready in 412 ms
  ➜  http://127.0.0.1:4111
  a0  openai/gpt-5.5
    a1  openai/gpt-5.5
`)
  const many = startText({ ...BASE, warnings: 2, tree: lines(50, 'offline/planner') })
  expect(many.trimEnd().split('\n')).toHaveLength(10)
  expect(many).toContain('  2 warnings: "retinue check" shows them\n')
  expect(many).toContain('  and 45 more: "retinue tree" shows them\n')
  expect(many).toContain('offline/planner stands in')
  const offer = 'Ollama runs here: RETINUE_MODEL=ollama/qwen3 retinue dev'
  const offered = startText({ ...BASE, offer, tree: lines(50, 'offline/planner') })
  expect([offered.trimEnd().split('\n').length, offered.includes(offer)]).toEqual([10, true])
  expect(startText({ ...BASE, offer, tree: lines(2, 'openai/gpt-5.5') })).not.toContain('Ollama')
})
