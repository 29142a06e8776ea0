import { describe, expect, test } from 'vitest'
import { displayWidth } from './display-width.ts'
import { renderTurn, type TurnView } from './render-turn.ts'
import { textOf } from './styled-line.ts'
import type { DelegationItem } from './turn-items.ts'
import { newTurn, type TurnState } from './turn-state.ts'

const scout: DelegationItem = {
  kind: 'delegation',
  runId: 'r.1',
  callId: 'c1',
  key: 'scout',
  prompt: 'Look around and tell me what there is to be seen in the north',
  state: 'running',
  startedAt: 1000,
  ownTokens: 30,
  items: [
    { kind: 'tool', callId: 'c2', name: 'peek', args: { at: 'north' }, state: 'done', startedAt: 1000, endedAt: 1012 },
    {
      kind: 'delegation',
      runId: 'r.2',
      callId: 'c3',
      key: 'guide',
      prompt: 'Lead me',
      state: 'failed',
      problem: { message: 'Lost the way' },
      startedAt: 1000,
      endedAt: 3500,
      ownTokens: 0,
      totalTokens: 12,
      items: [],
    },
    { kind: 'text', id: 't', text: 'I see a great deal of' },
  ],
}
const turn: TurnState = {
  ...newTurn('lead', 0),
  model: { requested: 'a/b', used: 'a/b' },
  ownTokens: 5,
  items: [{ kind: 'text', id: 't', text: 'I ask the scout.' }, scout],
}
const view: TurnView = { columns: 80, expanded: true, now: 3250 }

const render = (state: TurnState, change: Partial<TurnView> = {}): string[] =>
  renderTurn(state, { ...view, ...change }).flatMap(({ lines }) => lines.map(textOf))

describe('a turn on the screen', () => {
  test('expanded: the tree with state, time and tokens, tool calls as leaves, and what a child says now', () => {
    expect(render(turn)).toEqual([
      'I ask the scout.',
      '',
      '▶ scout  running  2.3 s  42 tokens  Look around and tell me what there is to be…',
      '│  ✔ peek  12 ms  {"at":"north"}',
      '│  ✖ guide  failed  2.5 s  12 tokens  Lost the way',
      '│  I see a great deal of',
      '▶ lead  running  3.3 s  47 tokens  a/b',
    ])
  })

  test('collapsed: one line a delegation, which says how much is inside', () => {
    expect(render(turn, { expanded: false })).toEqual([
      'I ask the scout.',
      '',
      '▶ scout  running  2.3 s  42 tokens  +2  Look around and tell me what there is t…',
      '▶ lead  running  3.3 s  47 tokens  a/b',
    ])
  })

  test('the tree alone leaves out what was said', () => {
    expect(render(turn, { treeOnly: true, expanded: false })[0]).toMatch(/^▶ scout/)
  })

  test('a failed turn says what happened and what to do', () => {
    const problem = { code: 'model-key-missing', message: 'There is no key.', hint: 'Set OPENAI_API_KEY.' }
    const lines = render({ ...turn, items: [], state: 'failed', finishReason: 'error', endedAt: 100, problem })
    expect(lines).toEqual([
      '✖ lead  failed  100 ms  5 tokens  a/b',
      'error[model-key-missing]: There is no key.',
      '  = fix: Set OPENAI_API_KEY.',
    ])
  })

  test('the run’s own word says how it ended where it is more than the state', () => {
    const ended = { ...turn, items: [], endedAt: 100 }
    expect(render({ ...ended, state: 'cancelled', finishReason: 'aborted' })[0]).toMatch(/^■ lead {2}aborted/)
    expect(render({ ...ended, state: 'partial', finishReason: 'max-steps' })[0]).toMatch(/^◐ lead {2}max-steps/)
    expect(render({ ...ended, state: 'done', finishReason: 'stop' })[0]).toMatch(/^✔ lead {2}done/)
  })

  const wide: TurnState = {
    ...turn,
    items: [
      { kind: 'text', id: 't', text: '日本語の長い文章です。👩‍👩‍👧‍👦 family 🇷🇼 flag é combined' },
      { kind: 'text', id: 'u', text: 'x'.repeat(50) },
      { ...scout, key: 'forscher_日本', prompt: '日本語のとても長い文章'.repeat(9) },
    ],
  }
  test.each([8, 13, 20, 40, 79, 200])('no line is wider than a terminal of %i columns', (columns) => {
    for (const state of [turn, wide]) {
      for (const line of render(state, { columns })) expect(displayWidth(line), line).toBeLessThanOrEqual(columns)
    }
  })

  test('no text of a model or a tool steers the terminal', () => {
    const evil = 'a\u001b[2Jb\u001b]0;title\u0007c\u009b31md\r\be\u202ef\u0000g\ud800'
    const items = [
      { kind: 'text' as const, id: 't', text: evil },
      { ...scout, key: evil, prompt: evil },
      { ...scout, callId: 'x', problem: { message: evil }, items: [] },
      { kind: 'tool' as const, callId: 'y', name: evil, args: { evil }, state: 'done' as const, startedAt: 0 },
    ]
    const problem = { message: evil, hint: evil }
    const lines = render({
      ...turn,
      agent: evil,
      model: { requested: evil, used: evil },
      items,
      state: 'failed',
      problem,
    })
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u)
    expect(lines[0]).toBe('abcd')
  })

  test('what still changes is not settled, what is over is', () => {
    expect(renderTurn(turn, view).map(({ lines, settled }) => [lines.length, settled])).toEqual([
      [1, 1],
      [5, 0],
      [1, 0],
    ])
    const growing = { ...turn, items: [{ kind: 'text' as const, id: 't', text: 'one\ntwo\nthree' }] }
    expect(renderTurn(growing, view)[0]).toMatchObject({ settled: 2 })
  })
})
