import { availableParallelism } from 'node:os'

/** The lines of the table that a measured row gives. Without `floor` there is no other side. */
export function linesOf({ name, lines }, { ours, floor }) {
  return lines.map(({ what, unit, value, aim, why }) => {
    const line = { row: name, what, unit, ours: value(ours) }
    if (floor) line.floor = value(floor)
    // An exponent has no ratio that means anything.
    if (floor && unit !== 'exponent') line.ratio = line.ours / line.floor
    if (!aim) return line
    const judgement = judged(line, aim)
    return { ...line, ...judgement, ...(why && !judgement.reached ? { why } : {}) }
  })
}

function judged({ ours, ratio }, aim) {
  if (!Array.isArray(aim)) return { aim: aim.atMost, reached: ours <= aim.atMost }
  const [oursToBe, limit] = aim
  return { aimRatio: oursToBe / limit, reached: ratio <= oursToBe / limit }
}

/** The table. `judge`: whether to say which aims are reached. */
export function toMarkdown(lines, judge) {
  const head = ['', 'unit', 'Retinue', 'by hand', 'ratio', 'aim', 'reached']
  const rows = lines.map((line) => [
    line.what,
    line.unit,
    figure(line.ours),
    figure(line.floor),
    figure(line.ratio),
    aimOf(line),
    judge && line.reached !== undefined ? (line.reached ? 'yes' : 'no') : '',
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Why the lines that do not reach their aim are where they are, each reason once. */
export function toReasons(lines) {
  const byReason = Map.groupBy(
    lines.filter(({ why }) => why),
    ({ why }) => why,
  )
  if (byReason.size === 0) return ''
  const items = [...byReason].map(([why, those]) => `- ${those.map(({ what }) => what).join('; ')}: ${why}.`)
  return ['Why, where an aim is not reached:', '', ...items].join('\n')
}

function aimOf({ aim, aimRatio }) {
  if (aimRatio !== undefined) return `ratio ≤ ${figure(aimRatio)}`
  return aim === undefined ? '' : `≤ ${aim}`
}

/** Two or three digits that count. */
function figure(value) {
  if (value === undefined) return '–'
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3)
}

export function resultsOf(lines, quick) {
  const { platform, arch, version } = process
  return { at: new Date().toISOString(), node: version, platform, arch, cores: availableParallelism(), quick, lines }
}
