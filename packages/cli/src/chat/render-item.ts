import { elapsed } from '../run/elapsed.ts'
import { safeLine } from '../safe-text.ts'
import { displayWidth, truncate, truncateStart } from './display-width.ts'
import { fit, type Line, type Span, type Style, span, widthOf } from './styled-line.ts'
import type { DelegationItem, ItemState, ToolItem, TurnItem } from './turn-items.ts'
import { tokensOf } from './turn-state.ts'

export interface ItemView {
  readonly columns: number
  /** Whether a delegation shows what is inside it. */
  readonly expanded: boolean
  /** The time up to which what still runs has run. */
  readonly now: number
}

/** The mark and the word of each state: nobody needs to tell colours apart. */
export const STATES: Readonly<Record<ItemState, { mark: string; word: string; style: Style }>> = {
  running: { mark: '▶', word: 'running', style: 'active' },
  waiting: { mark: '◇', word: 'waiting', style: 'active' },
  done: { mark: '✔', word: 'done', style: 'good' },
  partial: { mark: '◐', word: 'partial', style: 'bad' },
  failed: { mark: '✖', word: 'failed', style: 'bad' },
  cancelled: { mark: '■', word: 'cancelled', style: 'quiet' },
  background: { mark: '◌', word: 'in the background', style: 'active' },
  declined: { mark: '✖', word: 'declined', style: 'bad' },
}

/** More of a text than a line can hold: what comes after it need not be looked at. */
const LONGEST = 1000
/** An excerpt shorter than this says nothing. */
const SHORTEST = 12

/** A delegation or a tool call as lines of a tree; a delegation with what is inside it, if it is expanded. */
export function renderItem(item: ToolItem | DelegationItem, view: ItemView, depth = 0): Line[] {
  const guide = span('│  '.repeat(depth), 'quiet')
  if (item.kind === 'tool') return [fit(toolLine(item, view, guide), view.columns)]
  const lines = [fit(delegationLine(item, view, guide), view.columns)]
  if (!view.expanded) return lines
  for (const child of item.items) if (child.kind !== 'text') lines.push(...renderItem(child, view, depth + 1))
  const said = item.state === 'running' ? tail(item.items.at(-1), view.columns - 3 * (depth + 1)) : undefined
  if (said !== undefined) lines.push([span('│  '.repeat(depth + 1), 'quiet'), span(said, 'quiet')])
  return lines
}

/** How long something took, or has taken so far: that in tenths of a second, so that it does not flicker. */
export function timeOf({ startedAt, endedAt }: { startedAt: number; endedAt?: number }, now: number): string {
  if (endedAt !== undefined) return elapsed(Math.max(0, endedAt - startedAt))
  const ms = Math.max(0, now - startedAt)
  return ms < 1000 ? `${(ms / 1000).toFixed(1)} s` : elapsed(ms)
}

function delegationLine(item: DelegationItem, view: ItemView, guide: Span): Line {
  const { mark, word, style } = STATES[item.state]
  const inside = item.items.filter(({ kind }) => kind !== 'text').length
  const line = [
    guide,
    span(`${mark} `, style),
    span(safeLine(item.key), 'strong'),
    span(`  ${word}`, style),
    span(`  ${timeOf(item, view.now)}  ${tokensOf(item)} tokens`, 'quiet'),
  ]
  if (!view.expanded && inside > 0) line.push(span(`  +${inside}`, 'quiet'))
  return withExcerpt(line, item.problem?.message ?? item.prompt, item.problem ? 'bad' : 'quiet', view.columns)
}

function toolLine(item: ToolItem, view: ItemView, guide: Span): Line {
  const { mark, word, style } = STATES[item.state]
  const line = [guide, span(`${mark} `, style), span(safeLine(item.name))]
  if (item.state !== 'done') line.push(span(`  ${word}`, style))
  // How long a person takes is not the tool's time.
  if (item.state !== 'waiting') line.push(span(`  ${timeOf(item, view.now)}`, 'quiet'))
  if (item.problem) return withExcerpt(line, item.problem.message, 'bad', view.columns)
  return item.args === undefined ? line : withExcerpt(line, JSON.stringify(item.args) ?? '', 'quiet', view.columns)
}

/** The line with as much of a text as there is room for. */
function withExcerpt(line: Line, text: string, style: Style, columns: number): Line {
  const room = columns - widthOf(line) - 2
  const excerpt = safeLine(text.slice(0, LONGEST))
  if (excerpt === '' || room < Math.min(SHORTEST, displayWidth(excerpt))) return line
  return [...line, span(`  ${truncate(excerpt, room)}`, style)]
}

/** The end of what a child says right now. */
function tail(last: TurnItem | undefined, columns: number): string | undefined {
  if (last?.kind !== 'text' || columns < SHORTEST) return undefined
  const text = safeLine(last.text.slice(-LONGEST))
  return text === '' ? undefined : truncateStart(text, columns)
}
