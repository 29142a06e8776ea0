import { printable } from '@retinue/project'
import picocolors from 'picocolors'
import type { TreeLine } from './protocol.ts'

/** How many lines the start may take. */
const MOST_LINES = 10

export interface StartOptions {
  readonly version: string
  readonly ms: number
  readonly url: string
  readonly tree: readonly TreeLine[]
  readonly warnings: number
  /** A model server on this machine that could answer in place of the stand-in, and how to ask it. */
  readonly offer?: string | undefined
  readonly colors: boolean
}

/** What `retinue dev` says when it is ready, in ten lines at most: version, time, URL, and the tree with the models that answer. */
export function startText({ version, ms, url, tree, warnings, offer, colors }: StartOptions): string {
  const { bold, dim, cyan, yellow, green } = picocolors.createColors(colors)
  const head = [
    `${bold('retinue')} ${version}  ${dim(`ready in ${Math.round(ms)} ms`)}`,
    `  ${green('➜')}  ${cyan(url)}`,
  ]
  if (warnings > 0) {
    const many = warnings === 1 ? '1 warning' : `${warnings} warnings`
    head.push(yellow(`  ${many}: "retinue check" shows them`))
  }
  const isStandIn = tree.some(({ used, requested }) => used !== requested && used.startsWith('offline/'))
  const foot = isStandIn ? [dim('  offline/planner stands in where no key is set, and is no language model')] : []
  if (isStandIn && offer !== undefined) foot.push(`  ${printable(offer)}`)
  const room = MOST_LINES - head.length - foot.length
  const shown = tree.length > room ? tree.slice(0, room - 1) : tree
  const lines = shown.map(({ key, depth, used, requested }) => {
    const model = used === requested ? dim(used) : `${yellow(used)} ${dim(`for ${requested}`)}`
    return `  ${'  '.repeat(depth)}${printable(key)}  ${model}`
  })
  if (shown.length < tree.length) lines.push(dim(`  and ${tree.length - shown.length} more: "retinue tree" shows them`))
  return `${[...head, ...lines, ...foot].join('\n')}\n`
}
