// What Retinue adds to its model calls, beside a loop written by hand: `npm run bench [-- --only=name,name] [--quick]`.
//
// How it measures:
// - The models answer at once (model.mjs), so that all the time is the framework's own and that of the web streams of the models.
// - The other side is floor.mjs: the least loop that has ids, event envelopes, checks of arguments, an abort signal and a queue.
// - Each side runs in a process of its own kind (worker.mjs), warmed until its code is compiled. Rounds take turns: one side, the
//   other, again; each figure is the median over the rounds, so that a busy machine disturbs both sides alike.
// - Time is CPU time of the whole process, garbage collection and compilation included; memory is what is left after collection.
// - Both sides are checked to give the same text. Deltas that a reader had not read yet may come merged: characters are counted.
//
// Quote ratios, never times: a time is one of this machine at this moment. The last columns compare with what the project aims at
// (rows.mjs), for guidance, and below the table stands why, where an aim is not reached; what must hold on every machine is in
// counts.test.mjs. The import has no other side: what bare Node takes is taken off.
//
// A Markdown table goes to stdout and the same as JSON to results/latest.json. `--quick` only shows that the bench runs; its figures
// mean nothing, and go to results/quick.json.
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureBatch } from './measures/batch.mjs'
import { measureCheck } from './measures/check.mjs'
import { measureImport } from './measures/import.mjs'
import { measurePeak } from './measures/peak.mjs'
import { measureStorage } from './measures/storage.mjs'
import { measureWaiting } from './measures/waiting.mjs'
import { linesOf, resultsOf, toMarkdown, toReasons } from './report.mjs'
import { ROWS } from './rows.mjs'

const MEASURES = {
  batch: measureBatch,
  peak: measurePeak,
  waiting: measureWaiting,
  import: measureImport,
  storage: measureStorage,
  check: measureCheck,
}

const { values } = parseArgs({ options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } } })
const names = ROWS.map(({ name }) => name)
const wanted = values.only?.split(',') ?? names
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`No row is called ${unknown.join(', ')}. There are ${names.join(', ')}.`)
  process.exit(1)
}

const lines = []
for (const row of ROWS) {
  if (!wanted.includes(row.name)) continue
  console.error(`${row.name} …`)
  lines.push(...linesOf(row, await MEASURES[row.measure](values.quick ? { ...row, ...row.quick } : row)))
}
console.log(toMarkdown(lines, !values.quick))
const below = values.quick ? 'A quick run: the figures mean nothing.' : toReasons(lines)
if (below !== '') console.log(`\n${below}`)

const results = new URL('./results/', import.meta.url)
mkdirSync(results, { recursive: true })
writeFileSync(
  new URL(values.quick ? 'quick.json' : 'latest.json', results),
  `${JSON.stringify(resultsOf(lines, values.quick), null, 2)}\n`,
)
