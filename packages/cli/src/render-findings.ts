import { type DetailedFinding, type Palette, renderFindings } from '@retinue/project'
import picocolors from 'picocolors'

function palette(colors: boolean): Palette {
  const { red, yellow, bold, dim } = picocolors.createColors(colors)
  return { severity: (severity, text) => bold(severity === 'error' ? red(text) : yellow(text)), strong: bold, dim }
}

/** Findings as a terminal shows them, or plain text. */
export function renderAll(findings: readonly DetailedFinding[], colors: boolean): string {
  return renderFindings(findings, palette(colors))
}

export interface Summary {
  readonly errors: number
  readonly warnings: number
  readonly agents: number
  readonly ms: number
  /** Whether the command fails: with `--strict` a warning is enough. */
  readonly failed: boolean
}

/** `✖ 1 error, 0 warnings in 4 agents (38 ms)` */
export function renderSummary({ errors, warnings, agents, ms, failed }: Summary, colors: boolean): string {
  const { red, green } = picocolors.createColors(colors)
  const mark = failed ? red('✖') : green('✔')
  const counts = `${count(errors, 'error')}, ${count(warnings, 'warning')} in ${count(agents, 'agent')}`
  return `${mark} ${counts} (${Math.round(ms)} ms)`
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
