import pc from 'picocolors'
import { displayWidth, truncate } from './display-width.ts'

export type Style = 'plain' | 'strong' | 'quiet' | 'good' | 'bad' | 'active'

export interface Span {
  readonly text: string
  readonly style: Style
}

/** One line of a terminal: what it says, apart from how it is painted, so that its width is known. */
export type Line = readonly Span[]

export function span(text: string, style: Style = 'plain'): Span {
  return { text, style }
}

export function textOf(line: Line): string {
  return line.map(({ text }) => text).join('')
}

export function widthOf(line: Line): number {
  return displayWidth(textOf(line))
}

/** The line cut to so many columns, with an ellipsis where something was cut. */
export function fit(line: Line, columns: number): Line {
  if (widthOf(line) <= columns) return line
  const out: Span[] = []
  let left = columns - 1
  for (const { text, style } of line) {
    const size = displayWidth(text)
    if (size > left) return [...out, { text: truncate(`${text}…`, left + 1), style }]
    out.push({ text, style })
    left -= size
  }
  return out
}

/** The line as a terminal takes it. */
export function paint(line: Line, colors: boolean): string {
  const { bold, dim, green, red, cyan } = pc.createColors(colors)
  const painters: Readonly<Record<Style, (text: string) => string>> = {
    plain: (text) => text,
    strong: bold,
    quiet: dim,
    good: green,
    bad: red,
    active: cyan,
  }
  return line.map(({ text, style }) => painters[style](text)).join('')
}
