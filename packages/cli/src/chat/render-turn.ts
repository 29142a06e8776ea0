import { safeLine, safeText } from '../safe-text.ts'
import { type ItemView, renderItem, STATES, timeOf } from './render-item.ts'
import { fit, type Line, type Style, span, widthOf } from './styled-line.ts'
import type { TurnItem } from './turn-items.ts'
import { type TurnState, tokensOf } from './turn-state.ts'
import { wrap } from './wrap.ts'

/** A piece of a turn on the screen. */
export interface Block {
  readonly lines: readonly Line[]
  /** How many of the lines, from the first, will not change any more, as long as nobody resizes or toggles. */
  readonly settled: number
}

export interface TurnView extends ItemView {
  /** Leaves the answer out: the tree alone. */
  readonly treeOnly?: boolean
}

/** A turn as blocks of lines: what was said and what was delegated in the order in which it happened, then how it stands. */
export function renderTurn(turn: TurnState, view: TurnView): Block[] {
  const shown = turn.items.filter((item) => isShown(item, view))
  const blocks = shown.map((item, at): Block => {
    const before = shown[at - 1]
    const gap: Line[] = before !== undefined && (before.kind === 'text' || item.kind === 'text') ? [[]] : []
    const lines = [...gap, ...(item.kind === 'text' ? textLines(item.text, view.columns) : renderItem(item, view))]
    return { lines, settled: settledLines(item, lines.length, turn.state === 'running' && at === shown.length - 1) }
  })
  return [...blocks, { lines: endLines(turn, view, shown.at(-1)?.kind === 'text'), settled: 0 }]
}

function isShown(item: TurnItem, view: TurnView): boolean {
  if (item.kind !== 'text') return true
  return view.treeOnly !== true && item.text.trim() !== ''
}

/** A text only grows at its end; the rest is settled when it is over. */
function settledLines(item: TurnItem, lines: number, grows: boolean): number {
  if (item.kind === 'text') return grows ? lines - 1 : lines
  return item.state === 'running' || item.state === 'background' ? 0 : lines
}

function textLines(text: string, columns: number, style: Style = 'plain'): Line[] {
  return wrap(safeText(text).trim(), columns).map((line) => [span(line, style)])
}

/** Reasons that say no more than the state of the turn does. */
const SAID_BY_STATE: ReadonlySet<string> = new Set(['stop', 'error', 'suspended'])

/** How the turn stands: a line with state, time, tokens and model, and what went wrong. */
function endLines(turn: TurnState, view: TurnView, afterText: boolean): Line[] {
  const { mark, word, style } = STATES[turn.state]
  const reason = turn.finishReason
  // The run's own word, where it says more than the state does.
  const how = reason === undefined || SAID_BY_STATE.has(reason) ? word : reason
  const name = span(`${safeLine(turn.agent)}  `, 'strong')
  const facts = [span(how, style), span(`  ${timeOf(turn, view.now)}  ${tokensOf(turn)} tokens`, 'quiet')]
  const model = span(`  ${safeLine(turn.model?.used ?? '')}`, 'quiet')
  const most: Line = [span(`${mark} `, style), name, ...facts, model]
  const less: readonly Line[] = [most, most.slice(0, -1), [span(`${mark} `, style), ...facts]]
  // What is left out first is what one knows already.
  const line = less.find((candidate) => widthOf(candidate) <= view.columns) ?? facts
  return [...(afterText ? [[]] : []), fit(line, view.columns), ...problemLines(turn, view.columns)]
}

function problemLines({ problem }: TurnState, columns: number): Line[] {
  if (!problem) return []
  const head = problem.code === undefined ? problem.message : `error[${problem.code}]: ${problem.message}`
  const hint = problem.hint === undefined ? [] : textLines(`= fix: ${problem.hint}`, columns - 2)
  return [...textLines(head, columns, 'bad'), ...hint.map((line) => [span('  '), ...line])]
}
